import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openDatabase } from '../support/open-database.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';

const root = await mkdtemp(join(tmpdir(), 'store-'));
after(() => rm(root, { recursive: true }));

await writeFile(join(root, 'shop.db'), 'this text is longer than the header of a database file: '.repeat(20));
await writeFile(join(root, 'file'), '');

/** Databases that cannot be opened, with the error message of each. */
const unusableDatabases = [
  [
    'a file that is not a database',
    { dataDir: root },
    /shop\.db cannot be opened: file is not a database: restore the file from a backup, or name another file$/,
  ],
  ['a folder that cannot be created', { dataDir: join(root, 'file') }, /shop\.db cannot be opened: [^\n]+$/],
  [
    'a PostgreSQL that does not answer',
    { dataDir: root, databaseUrl: 'postgres://user:secret@127.0.0.1:1/shop' },
    /^the database of DATABASE_URL cannot be opened: connect ECONNREFUSED 127\.0\.0\.1:1$/,
  ],
] as const;

for (const [title, place, message] of unusableDatabases)
  test(`openDatabase rejects for ${title}, with a message of one line`, async () => {
    await assert.rejects(openDatabase(place, checkoutMigrations), { name: 'DatabaseOpenError', message });
  });
