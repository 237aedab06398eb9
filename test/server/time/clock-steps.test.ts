import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { TestCheckoutServer, createGate } from '../../support/test-checkout-server.ts';

// The machine's clock is set while the server runs: `Date.now()` steps, but timers are not affected.

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
      await shop.advance(8000);
      assert.equal(shop.service.createRequests.length, 1);
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
