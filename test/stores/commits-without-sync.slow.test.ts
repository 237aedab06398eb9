import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { startPostgres } from '../../scripts/with-postgres.ts';
import { createPostgresStore } from '../../src/postgres.ts';
import { makeAttempt, makeCheckoutRecord, makeOutcome } from '../support/make-checkout-records.ts';

const postgres = await startPostgres();

/**
 * Sets the name of a standby server, which does not exist. From then on, each commit that waits for the disk also waits for the
 * standby server, and so never ends. An empty name removes the standby server.
 */
async function setStandby(url: string, name: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`alter system set synchronous_standby_names = '${name}'`);
  await client.query('select pg_reload_conf()');
  await delay(300); // until the backends have read the configuration
  await client.end();
}

test(
  'on PostgreSQL, claims and schedules are committed without waiting for the disk, and saves wait for the disk',
  { skip: postgres === undefined && 'PostgreSQL is not installed' },
  async (t) => {
    assert.ok(postgres);
    const { url } = postgres;
    t.after(() => postgres.stop());
    const store = await createPostgresStore({ url });
    t.after(() => store.close());
    const record = makeCheckoutRecord('c', { attempts: [makeAttempt('e1', { runAt: 100 })] });
    await store.insert(record);
    const outcome = makeOutcome('o', { checkoutId: 'c', kind: 'failed', occurredAt: 100 });
    await store.save({ ...record, version: 2 }, [outcome]);
    await setStandby(url, 'nobody');
    const [due] = await store.claimDueAttempts(500, 1000, 10);
    assert.equal(due?.externalId, 'e1');
    await store.reschedule([{ externalId: 'e1', runAt: 9000, answeredAt: 500, checkedAt: 500, claimedUntil: 1000 }]);
    await store.expedite(['c'], 600);
    assert.equal((await store.claimDueAttempts(600, 1000, 10)).length, 1);
    assert.equal((await store.claimOutcomes(500, 1000, 10)).length, 1);
    let isSaved = false;
    const saving = store.save({ ...record, version: 3 }, []).then(() => (isSaved = true));
    await delay(500);
    assert.equal(isSaved, false);
    await setStandby(url, '');
    await saving;
  },
);
