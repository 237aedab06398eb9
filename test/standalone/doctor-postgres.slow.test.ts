import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPostgresStore } from '../../src/postgres.ts';
import { checkDatabase } from '../../src/standalone/doctor/run-doctor.ts';
import { postgresDatabases } from '../stores/databases.ts';

test('the doctor checks a PostgreSQL database without creating its tables, and reports fail for a database that does not exist', async (t) => {
  const databases = await postgresDatabases();
  if (databases === undefined) {
    t.skip('PostgreSQL is not installed');
    return;
  }
  t.after(() => databases.end());
  const { databaseUrl = '' } = await databases.fresh();
  const check = async (url = databaseUrl, schema?: string): Promise<string> => {
    const tables = { schema, tablePrefix: undefined };
    const { level, text } = await checkDatabase({ databaseUrl: url, dataDir: '', tables });
    return `${level} ${text}`;
  };
  for (let times = 0; times < 2; times += 1) assert.match(await check(), /^ok .*has no tables yet/);
  const store = await createPostgresStore({ url: databaseUrl });
  await store.close();
  assert.match(await check(), /^ok .*no migration was run/);
  assert.match(await check(databaseUrl, 'other'), /^ok .*has no tables yet/);
  assert.match(await check(`${databaseUrl}_of_nobody`), /^fail .* does not exist: check DATABASE_URL$/);
});
