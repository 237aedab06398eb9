import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../support/open-database.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = temporaryFolder();

await writeFile(join(root, 'file'), '');

/** Databases that cannot be opened, with the error message of each. */
const unusableDatabases = [
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
