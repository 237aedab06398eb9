import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { createPostgresStore } from '../../src/postgres.ts';
import { makeAttempt, makeCheckoutRecord } from '../support/make-checkout-records.ts';
import { postgresDatabases } from './databases.ts';

const postgres = await postgresDatabases();
after(() => postgres?.end());

for (const level of ['repeatable read', 'serializable'])
  if (postgres !== undefined)
    test(`concurrent writes do not reject in a database whose default isolation level is ${level}`, async (t) => {
      const { databaseUrl = '' } = await postgres.fresh();
      const admin = new Client({ connectionString: databaseUrl });
      await admin.connect();
      await admin.query(
        `alter database ${new URL(databaseUrl).pathname.slice(1)} set default_transaction_isolation = '${level}'`,
      );
      await admin.end();
      const [first, second] = await Promise.all([
        createPostgresStore({ url: databaseUrl }),
        createPostgresStore({ url: databaseUrl }),
      ]);
      t.after(() => Promise.all([first.close(), second.close()]));
      const { params } = makeCheckoutRecord('c');
      for (let round = 0; round < 20; round += 1) {
        const record = (id: string, store: string) =>
          makeCheckoutRecord(`${id}${round}`, {
            params: { ...params, orderId: `order-${round}` },
            attempts: [makeAttempt(`${store}-${round}`)],
          });
        const created = await Promise.all([first.insert(record('a', 'x')), second.insert(record('b', 'y'))]);
        assert.deepEqual(created.sort(), [false, true]);
        const externalId = (await first.loadByOrder(`order-${round}`))?.attempts[0]?.externalId ?? '';
        const change = { externalId, runAt: 1000 + round, answeredAt: null, checkedAt: null, claimedUntil: null };
        await Promise.all([first, second, first, second].map((store) => store.reschedule([change])));
      }
    });
