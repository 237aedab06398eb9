import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { systemClock } from '../../../src/base/clock.ts';
import { createPostgresStore } from '../../../src/postgres.ts';
import { postgresDatabases } from '../../stores/databases.ts';
import { TestCheckoutServer, createGate } from '../../support/test-checkout-server.ts';
import { until } from '../../support/wait-until.ts';

// The clock of a process is set, but not that of PostgreSQL, whose time the rows have. These tests run in real time.

const databases = await postgresDatabases();
after(() => databases?.end());

const hour = 3_600_000;
describe('while its time is that of PostgreSQL,', { concurrency: true }, () => {
  for (const stepMs of [-24 * hour, -hour, hour, 24 * hour])
    test(
      `after the clock of a process is set by ${stepMs / hour} h an invoice is fetched, a dead process's create is repeated, and a payment is delivered`,
      { skip: databases === undefined },
      async (t) => {
        if (databases === undefined) return;
        const { databaseUrl = '' } = await databases.fresh();
        const store = await createPostgresStore({ url: databaseUrl });
        t.after(() => store.close());
        let offsetMs = 0;
        const clock = { ...systemClock, now: () => Date.now() + offsetMs };
        const shop = await TestCheckoutServer.open({}, { store, clock });
        t.after(() => shop.server.stop());

        shop.service.createFaults.push({ kind: 'hangs', until: createGate().promise });
        void shop.createInvoice();
        await until('the create is under way', () => shop.service.createRequests.length === 1);
        shop.crash();
        offsetMs = stepMs;
        await until('the create is repeated', () => shop.service.createRequests.length === 2, 9000 + 5000);
        await until('the invoice is fetched', () => shop.service.fetchRequests.length > 0, 2000 + 5000);
        const attempts = await shop.loadAttempts();
        const createdAt = attempts[0]?.createdAt ?? 0;
        assert.ok(Math.abs(createdAt - Date.now()) < 60_000, 'the row has the time of the database');

        await shop.getCheckout();
        shop.service.setStatus('PAID');
        await until('the outcome is delivered', () => shop.outcomes.length === 1, 4000 + 5000);
        assert.equal(shop.outcomes[0]?.kind, 'paid');
        // A slow response of the database may be measured as a step of seconds. The step of the process is at least an hour.
        const jumpEntries = shop.logEntries.filter(({ event }) => event === 'clock_jumped');
        const largeJumps = jumpEntries.filter(
          ({ facts }) => Math.abs((facts as { jumped_ms: number }).jumped_ms) > hour / 2,
        );
        assert.deepEqual(largeJumps, [], 'the clock of the rows has not stepped');
      },
    );
});
