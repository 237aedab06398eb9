import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { TestCheckoutServer, createGate } from '../../support/test-checkout-server.ts';

// The machine's clock is set while the server runs, or while it does not: `Date.now()` steps, but timers are not affected.

const hour = 3_600_000;
const steps = new Map([
  ['an hour back', -hour],
  ['an hour forward', hour],
  ['a day back', -24 * hour],
  ['a day forward', 24 * hour],
]);
/** The longest delay that a step may cause. */
const maxDelayMs = 5000;

for (const [stepName, stepMs] of steps)
  suite(`when the clock is set ${stepName},`, () => {
    const open = async (): Promise<{ shop: TestCheckoutServer; step: () => void }> => {
      const shop = await TestCheckoutServer.open();
      return { shop, step: () => shop.fakeClock.setWall(shop.fakeClock.wall() + stepMs) };
    };

    test('a viewed invoice is fetched and its payment reaches the shop', async () => {
      const { shop, step } = await open();
      await shop.until(shop.createInvoice());
      await shop.getCheckout();
      await shop.advance(3000);
      step();
      const fetchesBefore = shop.service.fetchRequests.length;
      await shop.advance(2000 + maxDelayMs);
      assert.ok(shop.service.fetchRequests.length > fetchesBefore, 'the invoice is fetched');
      await shop.getCheckout();
      shop.service.setStatus('PAID');
      await shop.advance(4000);
      assert.deepEqual(shop.outcomeKinds(), ['paid']);
      assert.equal((await shop.getCheckout()).checkout.status, 'paid');
    });

    test('an invoice that nobody views is fetched on time, and does not expire before its deadline', async () => {
      const { shop, step } = await open();
      await shop.until(shop.createInvoice());
      await shop.advance(3000);
      step();
      await shop.advance(30_000);
      const fetchesBefore = shop.service.fetchRequests.length;
      await shop.advance(10_000 + maxDelayMs);
      assert.ok(shop.service.fetchRequests.length > fetchesBefore, 'the invoice is fetched');
      await shop.advance(600_000);
      assert.deepEqual(shop.outcomes, []);
    });

    test('a create under way is not repeated', async () => {
      const { shop, step } = await open();
      const serviceGate = createGate();
      shop.service.createFaults.push({ kind: 'hangs', until: serviceGate.promise });
      void shop.createInvoice();
      await shop.advance(500);
      step();
      await shop.advance(7000);
      assert.equal(shop.service.createRequests.length, 1);
      assert.equal((await shop.loadAttempts())[0]?.callCount, 1, 'no process has claimed it');
      serviceGate.open();
      await shop.advance(0);
      assert.equal((await shop.loadAttempts())[0]?.state, 'live');
    });

    test('the step is logged once, with its size', async () => {
      const { shop, step } = await open();
      await shop.advance(3000);
      step();
      await shop.advance(10_000);
      assert.deepEqual(
        shop.logEntries.filter(({ event }) => event === 'clock_jumped'),
        [{ level: 'warn', event: 'clock_jumped', facts: { jumped_ms: stepMs } }],
      );
    });
  });

for (const [stepName, stepMs] of [...steps].filter(([, ms]) => ms < 0))
  suite(`when the clock is set ${stepName} while no process runs,`, () => {
    const restart = async (shop: TestCheckoutServer): Promise<void> => {
      shop.fakeClock.setWall(shop.fakeClock.wall() + stepMs);
      shop.crash();
      await shop.advance(2000); // the first round of the detector
    };

    test('an invoice that nobody views is fetched after its usual pause', async () => {
      const shop = await TestCheckoutServer.openWithInvoice();
      await shop.advance(30_000);
      await restart(shop);
      const fetchesBefore = shop.service.fetchRequests.length;
      await shop.advance(10_000 + maxDelayMs);
      assert.ok(shop.service.fetchRequests.length > fetchesBefore);
    });

    test('an outcome that the shop has refused is delivered', async () => {
      const shop = await TestCheckoutServer.openWithInvoice();
      shop.service.setStatus('PAID');
      shop.onOutcome = () => Promise.reject(new Error('the shop is closed'));
      await shop.advance(300_000);
      await restart(shop);
      shop.onOutcome = () => Promise.resolve();
      await shop.advance(60_000 + maxDelayMs);
      assert.deepEqual(shop.outcomeKinds(), ['paid']);
    });

    test('a create that was under way at the end of the process is repeated', async () => {
      const shop = await TestCheckoutServer.open();
      shop.service.createFaults.push({ kind: 'hangs', until: createGate().promise });
      void shop.createInvoice();
      await shop.advance(500);
      await restart(shop);
      await shop.advance(9000 + maxDelayMs); // the lease of the call ends
      assert.deepEqual(shop.service.createRequests.length, 2);
      assert.equal((await shop.loadAttempts())[0]?.state, 'live');
    });

    test('the step is logged once, with about its size', async () => {
      const shop = await TestCheckoutServer.open();
      await shop.advance(60_000);
      await restart(shop);
      await shop.advance(60_000);
      const [entry, ...others] = shop.logEntries.filter(({ event }) => event === 'clock_jumped');
      const jumpedMs = entry !== undefined && 'jumped_ms' in entry.facts ? Number(entry.facts.jumped_ms) : NaN;
      assert.ok(jumpedMs >= stepMs && jumpedMs < stepMs + 11_000, String(jumpedMs));
      assert.deepEqual(others, []);
    });
  });

test('a restart without a step of the clock moves nothing, and logs no step', async () => {
  const shop = await TestCheckoutServer.openWithInvoice();
  await shop.advance(60_000);
  shop.crash();
  await shop.advance(60_000);
  assert.ok(!shop.loggedEvents().includes('clock_jumped'));
});
