// What the doctor says of users of a real PostgreSQL who may not do what the start or the first payer needs.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { createPostgresStore } from '../../src/postgres.ts';
import { checkDatabase } from '../../src/standalone/doctor/run-doctor.ts';
import { postgresDatabases } from '../stores/databases.ts';

const postgres = await postgresDatabases();
after(() => postgres?.end());

const tables = { schema: undefined, tablePrefix: undefined };
const allRights = 'grant select, insert, update, delete on all tables in schema pay_invoice to clerk';
const useSchema = 'grant usage on schema pay_invoice to clerk';

interface Row {
  readonly title: string;
  /** Whether the owner's start has made the tables. */
  readonly hasTables?: boolean;
  readonly statements?: readonly string[];
  readonly migrate?: boolean;
  readonly expected: RegExp;
}

const rows: readonly Row[] = [
  {
    title: 'may create nothing',
    expected:
      /^fail .*has no tables yet, and its user may not .* grant create on database \S+ to clerk\S*: check DATABASE_URL$/,
  },
  {
    title: 'may not create in the schema that is there',
    statements: ['create schema pay_invoice', useSchema],
    expected: /^fail .*has no tables yet, and its user may not .* grant create on schema pay_invoice to clerk/,
  },
  {
    title: 'may create in the schema that is there',
    statements: ['create schema pay_invoice', 'grant usage, create on schema pay_invoice to clerk'],
    expected: /^ok .*has no tables yet; the start makes them/,
  },
  {
    title: 'may create the schema',
    statements: ['do $$ begin execute format($f$grant create on database %I to clerk$f$, current_database()); end $$'],
    expected: /^ok .*has no tables yet; the start makes them/,
  },
  {
    title: 'may read and write the tables of another user',
    hasTables: true,
    statements: [useSchema, allRights],
    expected: /^ok .*can be written/,
  },
  {
    title: 'may only read the tables',
    hasTables: true,
    statements: [useSchema, 'grant select on all tables in schema pay_invoice to clerk'],
    expected: /^fail .*lacks rights on .*"pay_invoice".checkouts.*: grant select, insert, update, delete on all tables/,
  },
  {
    title: 'may not change the older tables of another user',
    hasTables: true,
    statements: [useSchema, allRights, "delete from pay_invoice.migrations where name = 'pay-invoice-1'"],
    expected: /^fail .*are older .*, and its user may not .* grant create on schema pay_invoice to clerk/,
  },
  {
    title: 'finds no tables, which the start does not make',
    statements: ['create schema pay_invoice', 'grant usage, create on schema pay_invoice to clerk'],
    migrate: false,
    expected: /^fail .*has no tables yet: run npx pay-invoice-server migrate/,
  },
];

if (postgres !== undefined)
  for (const { title, hasTables = false, statements = [], migrate = true, expected } of rows)
    test(`the doctor says ${expected.source.slice(1, 5).trim()} of a user who ${title}, and so does the start`, async (t) => {
      const { databaseUrl = '' } = await postgres.fresh();
      if (hasTables) await (await createPostgresStore({ url: databaseUrl })).close();
      const owner = new Client({ connectionString: databaseUrl });
      await owner.connect();
      const clerk = `clerk_${process.pid}`;
      await owner.query(`create role ${clerk} login`);
      t.after(async () => {
        await owner.query(`drop owned by ${clerk}; drop role ${clerk}`);
        await owner.end();
      });
      for (const statement of statements) await owner.query(statement.replaceAll('clerk', clerk));
      const url = new URL(databaseUrl);
      url.username = clerk;
      const { level, text } = await checkDatabase({ databaseUrl: url.href, dataDir: '', tables, migrate });
      assert.match(`${level} ${text}`, expected);
      const start = createPostgresStore({ url: url.href, migrate });
      if (level === 'ok') await (await start).close();
      else await assert.rejects(start, { name: 'DatabaseOpenError' });
    });
