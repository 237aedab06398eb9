import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { createMemoryStore, type CheckoutStore } from '../../../src/server.ts';
import { createSqliteStore } from '../../../src/sqlite.ts';
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

const stores = new Map<string, (t: TestContext) => Promise<CheckoutStore>>([
  ['memory', () => Promise.resolve(createMemoryStore())],
  [
    'SQLite',
    async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'clock-'));
      const store = await createSqliteStore({ file: join(folder, 'shop.db') });
      t.after(async () => {
        await store.close();
        await rm(folder, { recursive: true });
      });
      return store;
    },
  ],
]);

for (const [storeName, openStore] of stores)
  for (const [stepName, stepMs] of steps)
    suite(`when the clock is set ${stepName}, with a store in ${storeName},`, () => {
      const open = async (t: TestContext): Promise<{ shop: TestCheckoutServer; step: () => void }> => {
        const shop = await TestCheckoutServer.open({}, { store: await openStore(t) });
        t.after(() => shop.server.stop());
        return { shop, step: () => shop.fakeClock.setWall(shop.fakeClock.wall() + stepMs) };
      };

      test('a viewed invoice is fetched and its payment reaches the shop', async (t) => {
        const { shop, step } = await open(t);
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

      test('an invoice that nobody views is fetched on time, and does not expire before its deadline', async (t) => {
        const { shop, step } = await open(t);
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

      test('a call of a process that has died is repeated by another process', async (t) => {
        const { shop, step } = await open(t);
        shop.service.createFaults.push({ kind: 'hangs', until: createGate().promise });
        void shop.createInvoice();
        await shop.advance(500);
        shop.crash();
        step();
        await shop.advance(4000 + maxDelayMs);
        assert.equal(shop.service.createRequests.length, 2);
        assert.equal((await shop.loadAttempts())[0]?.state, 'live');
      });

      test('a create in doubt is repeated', async (t) => {
        const { shop, step } = await open(t);
        shop.service.createFaults.push({ kind: 'lost' });
        await shop.until(shop.createInvoice());
        step();
        await shop.advance(2000 + maxDelayMs);
        assert.equal((await shop.loadAttempts())[0]?.state, 'live');
      });

      test('a create under way is not repeated', async (t) => {
        const { shop, step } = await open(t);
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

      test('an outcome that could not be delivered is delivered', async (t) => {
        const { shop, step } = await open(t);
        let failures = 0;
        shop.onOutcome = () => (failures++ < 2 ? Promise.reject(new Error('the shop is away')) : Promise.resolve());
        await shop.until(shop.createInvoice());
        shop.service.setStatus('PAID');
        while (failures === 0) await shop.advance(500);
        step();
        await shop.advance(2000 + maxDelayMs);
        assert.equal(shop.outcomes.length, 1);
      });

      test('the step is logged once, with its size', async (t) => {
        const { shop, step } = await open(t);
        await shop.advance(3000);
        step();
        await shop.advance(10_000);
        assert.deepEqual(
          shop.logEntries.filter(({ event }) => event === 'clock_jumped'),
          [{ level: 'warn', event: 'clock_jumped', facts: { jumped_ms: stepMs } }],
        );
      });
    });
