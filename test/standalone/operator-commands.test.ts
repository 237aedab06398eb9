import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { z } from 'zod';
import type { Variables } from '../../src/base/given-variables.ts';
import { sendAdminRequest, toAdminRequest } from '../../src/standalone/operator-commands.ts';
import { adminToken } from '../support/buyer.ts';
import { callAdmin } from '../support/documented-admin-answers.ts';
import { programArguments } from '../support/program-arguments.ts';
import { startTestServer } from '../support/start-test-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const ADMIN_TOKEN = adminToken;

test("the operator's commands resolve with what the running server answers, and reject with its refusals in one line", async (t) => {
  const server = await startTestServer({ DATA_DIR: join(folder, 'data') });
  t.after(() => server.close());
  const variables = { ADMIN_TOKEN, PORT: new URL(server.url).port };
  const run = (args: readonly string[], environmentOfCommand: Variables = variables) =>
    sendAdminRequest(toAdminRequest(args[0], args.slice(1)) ?? assert.fail(), environmentOfCommand);
  const order = { order_id: 'order 7', amount: '15.00', currency: 'RUB' };
  await callAdmin(server.url, '/admin/checkouts', ADMIN_TOKEN, order);
  const listSchema = z.object({ checkouts: z.array(z.object({ id: z.string() })) });
  const { checkouts } = listSchema.parse(await run(['find', 'order 7']));
  const id = checkouts[0]?.id ?? '';
  assert.equal(z.object({ id: z.string() }).parse(await run(['show', id])).id, id);
  assert.equal(typeof z.object({ closed_at: z.string() }).parse(await run(['close', id])).closed_at, 'string');
  const name = 'AdminRequestError';
  for (const [command, message, environmentOfCommand] of [
    [
      ['resolve', id, 'paid', 'seen in the bank'],
      /^Nothing needs a decision \(nothing_to_resolve\): id: [^\n]*$/,
      variables,
    ],
    [
      ['redeliver', 'att_1.paid'],
      /^There is nothing here \(not_found\): outcome_id: there is no such outcome$/,
      variables,
    ],
    [['show', id], /^No server answers at http:\/\/127\.0\.0\.1:1: [^\n]*$/, { ADMIN_TOKEN, PORT: '1' }],
  ] as const)
    await assert.rejects(run(command, environmentOfCommand), { name, message });
  await assert.rejects(run(['show', id], {}), { message: 'ADMIN_TOKEN is required: the token of the running server' });
});

for (const id of ['..', '.', ''])
  test(`an argument that can be no identifier makes no request: ${JSON.stringify(id)}`, () => {
    for (const command of ['show', 'check', 'close', 'redeliver'])
      assert.equal(toAdminRequest(command, [id]), undefined);
    assert.equal(toAdminRequest('resolve', [id, 'paid', 'seen in the bank']), undefined);
  });

/** Runs `pay-invoice-server` with arguments and nothing in its environment but `variables`. */
function runProgram(args: readonly string[], variables: Variables) {
  const env = { PATH: process.env['PATH'], ...variables };
  return new Promise<{ code: unknown; stdout: string }>((resolve) => {
    execFile(process.execPath, [...programArguments('src/bin/server.ts'), ...args], { env }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, stdout }),
    );
  });
}

test('what others have written reaches the terminal without signs that act on it or reorder it, and is the same JSON', async (t) => {
  const server = await startTestServer({ DATA_DIR: join(folder, 'terminal') });
  t.after(() => server.close());
  const variables = { ADMIN_TOKEN, PORT: new URL(server.url).port };
  const reference = 'a\u009b2Jb\u202ec\u2066d\u2028e\u200ff\u007fg\u{e0041}';
  const order = { order_id: 'terminal', reference, amount: '15.00', currency: 'RUB' };
  const { json } = await callAdmin(server.url, '/admin/checkouts', ADMIN_TOKEN, order);
  const { id } = z.object({ id: z.string() }).parse(json);
  for (const args of [
    ['show', id],
    ['find', 'terminal'],
  ]) {
    const { code, stdout } = await runProgram(args, variables);
    assert.equal(code, 0);
    assert.doesNotMatch(stdout, /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    assert.ok(JSON.stringify(JSON.parse(stdout)).includes(JSON.stringify(reference)));
  }
});

test('migrate creates the tables without the configuration of the service, and a server that may not create them then starts', async () => {
  const DATA_DIR = join(folder, 'migrated');
  const start = () => startTestServer({ DATA_DIR, DATABASE_MIGRATE: '0' });
  await assert.rejects(start(), /it has no tables yet: run npx pay-invoice-server migrate/);
  const { code, stdout } = await runProgram(['migrate'], { DATA_DIR });
  assert.deepEqual([code, stdout.split(':')[0]], [0, 'The tables are those of this release']);
  await (await start()).close();
});

test('doctor ends with the exit code 1 when a check fails', async () => {
  const { code, stdout } = await runProgram(['doctor'], { PORT: 'x' });
  assert.equal(code, 1);
  assert.match(stdout, /^fail +configuration +PORT must be/);
});

test('wrong arguments of a command make no request', () => {
  for (const args of [[], ['co_1', 'more']])
    for (const command of [
      'find',
      'show',
      'check',
      'close',
      'reopen',
      'redeliver',
      'resolve',
      'constructor',
      undefined,
    ])
      assert.equal(toAdminRequest(command, args), undefined);
  assert.equal(toAdminRequest('find', ['--undeliverd']), undefined);
  assert.deepEqual(toAdminRequest('find', ['--undelivered']), { method: 'GET', path: '/checkouts?undelivered=1' });
  assert.deepEqual(toAdminRequest('check', ['../x']), { method: 'POST', path: '/checkouts/..%2Fx/check' });
});
