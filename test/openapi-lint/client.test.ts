// A client that a generator makes of the OpenAPI document, with openapi-typescript and openapi-fetch of this folder.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { adminToken } from '../support/buyer.ts';
import { startTestServer } from '../support/start-test-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A shop that is compiled against the generated types, makes a payment, and reads the outcome from the feed. */
const shop = `
import createClient from 'openapi-fetch';
import type { paths } from './server.ts';

const [baseUrl = '', sandbox = '', token = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } });

const created = await client.POST('/admin/checkouts', {
  body: { order_id: '1001', amount: '1500.00', currency: 'RUB' },
});
if (created.error) throw new Error(\`\${created.error.code}: \${created.error.detail}\`);

const path = { checkout: created.data.capability };
const { data: checkout } = await client.GET('/checkout/{checkout}', { params: { path } });
const requested = await client.POST('/checkout/{checkout}/invoice', {
  params: { path, header: { 'Idempotency-Key': crypto.randomUUID() } },
  body: { payment_method_id: checkout?.options[0]?.id ?? '' },
});
await fetch(\`\${sandbox}/sandbox/invoices/\${requested.data?.invoice?.id}/pay\`, { method: 'POST' });

const { data: feed } = await client.GET('/admin/outcomes', { params: { query: { wait: 30 } } });
console.log(JSON.stringify(feed?.outcomes.map(({ kind, order_id, amount }) => [kind, order_id, amount])));

const wrong = await client.POST('/admin/checkouts', { body: { order_id: '1001', amount: '1.00', currency: 'RUB' } });
console.log(wrong.error?.code);
// @ts-expect-error an amount is a decimal string
await client.POST('/admin/checkouts', { body: { order_id: '1002', amount: 1500, currency: 'RUB' } });
`;

/** Runs a program. Resolves with its standard output when it ends well. */
async function run(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  await once(child, 'close');
  assert.equal(child.exitCode, 0, output + errors);
  return output;
}

test('a client that is generated from the OpenAPI document of the server makes a payment', async (t) => {
  // Below this folder, where the client's library is found.
  mkdirSync('test/openapi-lint/.tmp', { recursive: true });
  const folder = mkdtempSync('test/openapi-lint/.tmp/client-');
  t.after(() => rmSync(folder, { recursive: true }));
  const generator = 'test/openapi-lint/node_modules/.bin/openapi-typescript';
  await run(generator, ['docs/openapi/server.json', '--output', join(folder, 'server.ts')]);
  const program = join(folder, 'shop.ts');
  writeFileSync(program, shop);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../../../tsconfig.json', compilerOptions: { types: ['node'] }, include: ['*.ts'] }),
  );
  await run('tsc', ['-p', folder]);

  const server = await startTestServer({ DATA_DIR: temporaryFolder(t) });
  t.after(() => server.close());
  const output = await run(process.execPath, [program, server.url, server.sandbox ?? '', adminToken]);
  assert.deepEqual(output.trim().split('\n'), ['[["paid","1001","1500.00"]]', 'order_conflict']);
});
