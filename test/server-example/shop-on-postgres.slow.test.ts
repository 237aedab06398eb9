import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { startShop } from '../../server-example/shop.ts';
import { readEnvironment } from '../../src/standalone.ts';
import { postgresDatabases } from '../stores/databases.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const postgres = await postgresDatabases();
after(() => postgres?.end());

test(
  'two shops on one PostgreSQL see each other’s orders, leave those of another program alone, and write no SQLite file',
  { skip: postgres === undefined ? 'PostgreSQL is not installed' : false },
  async (t) => {
    const folder = temporaryFolder(t);
    const { databaseUrl = '' } = (await postgres?.fresh()) ?? {};
    const otherProgram = new Client({ connectionString: databaseUrl });
    await otherProgram.connect();
    t.after(() => otherProgram.end());
    await otherProgram.query('create table orders (number text)');
    const open = async (name: string) => {
      const variables = { PORT: '0', SANDBOX_PORT: '0', DATA_DIR: join(folder, name), DATABASE_URL: databaseUrl };
      const shop = await startShop(readEnvironment(variables));
      t.after(() => shop.close());
      return shop;
    };
    const first = await open('first');
    const second = await open('second');
    const { order_id } = await first.place([{ sku: 'cup', quantity: 1 }]);
    assert.equal((await second.find(order_id))?.amount, '1500.00');
    assert.ok(!existsSync(join(folder, 'first/checkouts.db')));
    assert.deepEqual((await otherProgram.query('select * from orders')).rows, []);
  },
);
