import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { z } from 'zod';
import { readEnvironment } from '../../src/standalone.ts';
import { startShop } from '../../server-example/start-shop.ts';
import { listChecks, runCommandLine } from '../../src/conformance.ts';
import { colorizer, resultText } from '../../src/conformance/report.ts';
import { documentOf, shellIn } from '../docs/documents.ts';

const run = promisify(execFile);

const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
const shop = await startShop({ ...readEnvironment({ DATA_DIR: folder }), port: 0, sandboxPort: 0 });
after(async () => {
  await shop.close();
  await rm(folder, { recursive: true });
});

const endpoint = `${shop.url}/checkout`;
const orders = `${shop.url}/shop/orders`;
const cart = '{"items":[{"sku":"cup","quantity":1}]}';

/** Runs the command. Resolves with its exit code and what it has printed. */
async function command(args: readonly string[], { isTerminal = false, environment = {} } = {}) {
  let [out, err] = ['', ''];
  const code = await runCommandLine(args, {
    write: (text) => (out += text),
    writeError: (text) => (err += text),
    isTerminal,
    environment,
  });
  return { code, out, err };
}

/** Calls `use` with the URL of a backend that answers everything with the same page. */
async function withPage(use: (url: string) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'text/html').end('<h1>It works</h1>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  try {
    await use(`http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}/checkout`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test('passes over real sockets for the running shop, with orders that it opens in the shop', async () => {
  const only = 'checkout,etag,capability,request,invoice,hook.wrong_secret,concurrent,order,paid.seen,answers';
  const args = [endpoint, '--open-url', orders, '--open-body', cart, '--sandbox', shop.sandbox ?? '', '--only', only];
  const { code, out, err } = await command(args, { environment: { INVOICE_ACCESS_TOKEN: 'sandbox-token' } });
  assert.deepEqual([code, err], [0, ''], out);
  assert.match(out, /^\nThe checkout as it stands\n {2}✓ checkout\.answers {2}answers 200/);
  assert.match(out, /\n\d+ checks in \d+ requests: \d+ passed, 0 violations, 1 not run\n$/);
});

test('passes for the running shop with the command of docs/conformance.md', async () => {
  const documented = shellIn(documentOf('docs/conformance.md'), 'npx tsx src/bin/conformance.ts').trim();
  const adapted = documented
    .replaceAll('http://127.0.0.1:8080', shop.url)
    .replaceAll('http://127.0.0.1:8081', shop.sandbox ?? '');
  const { stdout } = await run('sh', ['-c', `${adapted} --only checkout.answers,paid.seen`]);
  assert.match(stdout, /: 2 passed, 0 violations, 0 not run\n$/);
});

test('opens orders by a command that prints a capability, or JSON with one', async () => {
  for (const print of ['JSON.stringify(order)', 'order.checkout']) {
    const script =
      `fetch("${orders}",{method:"POST",headers:{"content-type":"application/json"},body:process.argv[1]})` +
      `.then((answer)=>answer.json()).then((order)=>console.log(${print}))`;
    const open = `"${process.execPath}" -e '${script}' '${cart}'`;
    const { code, out, err } = await command([endpoint, '--open-command', open, '--only', 'checkout.answers']);
    assert.deepEqual([code, err], [0, ''], out);
  }
});

test('closes a checkout by a command that has its capability in the environment', async () => {
  const opening = ['--open-url', orders, '--open-body', cart, '--only', 'closed.seen'];
  const closing = join(folder, 'closed');
  const { out } = await command([endpoint, ...opening, '--close-command', `printf %s "$CHECKOUT" > '${closing}'`]);
  assert.match(out, /✗ closed\.seen/); // the command does not close the checkout
  assert.match(await readFile(closing, 'utf8'), /^chk_/);
  const failed = await command([endpoint, ...opening, '--close-command', 'exit 3']);
  assert.deepEqual([failed.code, failed.out], [2, '']);
  assert.match(failed.err, /the command that closes a checkout failed/);
});

test('prints each violation twice, with its request, what was expected, what the backend did and the fix, and exits with 1', async () => {
  await withPage(async (url) => {
    const { code, out } = await command([url, '--checkout', 'chk_1', '--only', 'checkout.answers']);
    assert.equal(code, 1);
    const violation = [
      '  ✗ checkout.answers  answers 200 and a checkout with every member that the schema requires',
      '      clause    GET: the checkout as it stands',
      '      request   GET {checkout}',
      '      expected  a checkout in JSON',
      '      got       HTTP 200 text/html, 17 characters to GET {checkout}',
      '      fix       Compare the answer with the schema Checkout in docs/openapi/checkout.json: members in snake_case, amounts as strings, null where the API says null.',
      '',
    ];
    assert.equal(
      out,
      [
        '',
        'The checkout as it stands',
        ...violation,
        'Violations',
        ...violation,
        '1 check in 2 requests: 0 passed, 1 violation, 0 not run',
        '',
      ].join('\n'),
    );
  });
});

test('prints colours only on a terminal and without NO_COLOR', async () => {
  const args = [endpoint, '--open-url', orders, '--open-body', cart, '--only', 'checkout.answers'];
  const hasColours = (text: string): boolean => text.includes('\u001b[');
  assert.equal(hasColours((await command(args, { isTerminal: true })).out), true);
  assert.equal(hasColours((await command(args, { isTerminal: false })).out), false);
  assert.equal(hasColours((await command(args, { isTerminal: true, environment: { NO_COLOR: '1' } })).out), false);
});

test('prints no control characters of the backend', () => {
  const text = 'a\u001b[31mb\u0007c\u202ed\u2028e';
  const result = { id: 'a.b', group: 'g', clause: 'c', rule: 'r', verdict: 'violation', took_ms: 1 } as const;
  const printed = resultText({ ...result, request: [text], expected: text, got: text, fix: text }, colorizer(false));
  assert.equal(printed.split('a\ufffd[31mb\ufffdc\ufffdd\ufffde').length - 1, 4, printed);
  assert.doesNotMatch(printed.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\u2028\u2029]/u);
});

test('prints only the report, as JSON, with --json', async () => {
  const args = [
    endpoint,
    '--open-url',
    orders,
    '--open-body',
    cart,
    '--only',
    'checkout.answers,wait.clamped',
    '--json',
  ];
  const { code, out } = await command(args);
  assert.equal(code, 0);
  const result = z.looseObject({ id: z.string(), verdict: z.enum(['passed', 'violation', 'not_run']) });
  const report = z.looseObject({ passed: z.literal(1), not_run: z.literal(1), results: z.array(result) });
  const { results } = report.parse(JSON.parse(out));
  assert.deepEqual(
    results.map(({ id, verdict }) => [id, verdict]),
    [
      ['checkout.answers', 'passed'],
      ['wait.clamped', 'not_run'],
    ],
  );
});

test('lists every check with what it needs', async () => {
  const { code, out } = await command(['--list']);
  assert.equal(code, 0);
  assert.equal(out.trimEnd().split('\n').length, listChecks().length);
  assert.match(
    out,
    /\npaid\.final +stays paid whatever the invoice service reports later \[fresh checkout, sandbox\]\n/,
  );
});

test('prints its usage with --help', async () => {
  const { code, out } = await command(['--help']);
  assert.equal(code, 0);
  assert.match(out, /^Usage: pay-invoice-conformance <endpoint>/);
});

const unusableArguments: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [[], /^Could not run: name one endpoint\n\nUsage:/],
  [['/checkout'], /^Could not run: the endpoint must be a whole http\(s\) address/],
  [[endpoint, '--sandbox', 'localhost'], /--sandbox must be a whole http\(s\) address/],
  [[endpoint, '--allowed-origin', 'shop.example'], /--allowed-origin must be a whole http\(s\) address/],
  [[endpoint, '--chekout', 'x'], /Unknown option '--chekout'/],
  [[endpoint, '--patience', 'long', '--checkout', 'x'], /--patience must be a number of seconds/],
  [[endpoint], /there is no checkout/],
  [[endpoint, '--open-url', orders], /did not open a checkout: HTTP 400/],
  [[endpoint, '--open-command', 'exit 3'], /the command that opens a checkout failed/],
  [[endpoint, '--open-command', 'echo'], /it printed no capability/],
  [['http://127.0.0.1:9/checkout', '--checkout', 'x'], /no answer to GET \{checkout\}/],
];
for (const [args, message] of unusableArguments)
  test(`exits with 2 for ${args.slice(1).join(' ').replaceAll(shop.url, '') || args.length}`, async () => {
    const { code, out, err } = await command(args);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, message);
  });
