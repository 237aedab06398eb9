import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { adminToken, Buyer } from '../support/buyer.ts';
import { startTestServer } from '../support/start-test-server.ts';
import { runCommandLine } from '../../src/tools/conformance/command-line.ts';
import { listChecks } from '../../src/tools/conformance/run-conformance.ts';
import { createColorizer, formatResult } from '../../src/tools/conformance/report.ts';
import { listen } from '../mounts/listen.ts';

const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
const shop = await startTestServer({ DATA_DIR: folder });
after(async () => {
  await closeOrderServer();
  await shop.close();
  await rm(folder, { recursive: true });
});

const endpoint = `${shop.url}/checkout`;
const cart = '{"sku":"cup"}';
/** An address that creates an order for each POST with a body, as a shop has one. */
const orderServer = createServer((request, response) => {
  void (async () => {
    const isOrder = (await text(request)) === cart;
    const buyer = new Buyer(shop);
    if (isOrder) await buyer.order();
    response.writeHead(isOrder ? 201 : 400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ checkout: buyer.checkoutId }));
  })();
});
const { endpoint: orders, close: closeOrderServer } = await listen(orderServer, '/orders');

/** Runs the command. Resolves with its exit code and its output. */
async function runCommand(args: readonly string[], { isTerminal = false, environment = {} } = {}) {
  let [out, err] = ['', ''];
  const code = await runCommandLine(args, {
    write: (text) => (out += text),
    writeError: (text) => (err += text),
    isTerminal,
    environment,
  });
  return { code, out, err };
}

test('the conformance command finds no violation in the running shop when it opens orders with --open-url', async () => {
  const only = 'checkout,etag,capability,request,invoice,hook.wrong_secret,concurrent,order,paid.seen,answers';
  const args = [endpoint, '--open-url', orders, '--open-body', cart, '--sandbox', shop.sandbox ?? '', '--only', only];
  const { code, out, err } = await runCommand(args, { environment: { INVOICE_ACCESS_TOKEN: 'sandbox-token' } });
  assert.deepEqual([code, err], [0, ''], out);
  assert.match(out, /^\nThe checkout as it stands\n {2}✓ checkout\.answers {2}answers 200/);
  assert.match(out, /\n\d+ checks in \d+ requests: \d+ passed, 0 violations, 1 not run\n$/);
});

test('--open-command accepts a command that prints a capability, and one that prints JSON with a capability', async () => {
  for (const expression of ['JSON.stringify(order)', 'order.checkout']) {
    const script =
      `fetch("${orders}",{method:"POST",headers:{"content-type":"application/json"},body:process.argv[1]})` +
      `.then((response)=>response.json()).then((order)=>console.log(${expression}))`;
    const open = `"${process.execPath}" -e '${script}' '${cart}'`;
    const { code, out, err } = await runCommand([endpoint, '--open-command', open, '--only', 'checkout.answers']);
    assert.deepEqual([code, err], [0, ''], out);
  }
});

test('--open-typed-command opens the checkouts whose amount the payer types', async () => {
  const response = await fetch(`${shop.url}/admin/checkouts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ order_id: 'typed', amount: null, amount_limits: { min_amount: '1.00' }, currency: 'RUB' }),
  });
  const { capability } = z.object({ capability: z.string() }).parse(await response.json());
  const buyer = new Buyer(shop);
  await buyer.order();
  const args = [endpoint, '--checkout', buyer.checkoutId, '--open-typed-command', `echo ${capability}`, '--only', 'typed.shape']; // prettier-ignore
  const { out, err } = await runCommand(args);
  assert.equal(err, '');
  assert.match(out, /: 1 passed, 0 violations, 0 not run\n$/);
});

test('--close-command runs with the capability in CHECKOUT, and its failure ends the run with exit code 2', async () => {
  const openingArgs = ['--open-url', orders, '--open-body', cart, '--only', 'closed.seen'];
  const capabilityFile = join(folder, 'closed');
  const { out } = await runCommand([
    endpoint,
    ...openingArgs,
    '--close-command',
    `printf %s "$CHECKOUT" > '${capabilityFile}'`,
  ]);
  assert.match(out, /✗ closed\.seen/); // the command does not close the checkout
  assert.match(await readFile(capabilityFile, 'utf8'), /^chk_/);
  const failedRun = await runCommand([endpoint, ...openingArgs, '--close-command', 'exit 3']);
  assert.deepEqual([failedRun.code, failedRun.out], [2, '']);
  assert.match(failedRun.err, /the command that closes a checkout failed/);
});

test('a token in quotes, as docker run --env-file keeps them, ends the run with exit code 2', async () => {
  const { code, err } = await runCommand([endpoint, '--checkout', 'chk_1'], {
    environment: { INVOICE_ACCESS_TOKEN: '"sandbox-token"' },
  });
  assert.equal(code, 2);
  assert.match(err, /^Could not run: INVOICE_ACCESS_TOKEN is in quotes/);
});

test('the command prints each violation in its group and again at the end, with its request and fix, and exits with 1', async (t) => {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'text/html').end('<h1>It works</h1>');
  });
  const { endpoint: url, close } = await listen(server);
  t.after(close);
  const { code, out } = await runCommand([url, '--checkout', 'chk_1', '--only', 'checkout.answers']);
  assert.equal(code, 1);
  const violation = [
    '  ✗ checkout.answers  answers 200 and a checkout with every member that the schema requires',
    '      request   GET {checkout}',
    '      expected  a checkout in JSON',
    '      got       HTTP 200 text/html, 17 characters to GET {checkout}',
    '      fix       Compare the response with the schema Checkout in docs/openapi/checkout.json: members in snake_case, amounts as strings, null where the API says null.',
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

test('the command prints colours only on a terminal and without NO_COLOR', async () => {
  const args = [endpoint, '--open-url', orders, '--open-body', cart, '--only', 'checkout.answers'];
  const hasColours = (output: string): boolean => output.includes('\u001b[');
  assert.equal(hasColours((await runCommand(args, { isTerminal: true })).out), true);
  assert.equal(hasColours((await runCommand(args, { isTerminal: false })).out), false);
  assert.equal(hasColours((await runCommand(args, { isTerminal: true, environment: { NO_COLOR: '1' } })).out), false);
});

test('control characters from the backend are printed as in JSON', () => {
  const text = 'a\u001b[31mb\u0007c\u202ed\u2028e';
  const result = { id: 'a.b', group: 'g', rule: 'r', verdict: 'violation', took_ms: 1 } as const;
  const printed = formatResult(
    { ...result, request: [text], expected: text, got: text, fix: text },
    createColorizer(false),
  );
  assert.equal(printed.split(String.raw`a\u001b[31mb\u0007c\u202ed\u2028e`).length - 1, 4, printed);
  assert.doesNotMatch(printed.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\u2028\u2029]/u);
});

test('with --json the command prints only the report as JSON', async () => {
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
  const { code, out } = await runCommand(args);
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

test('with --list the command prints every check with what it needs', async () => {
  const { code, out } = await runCommand(['--list']);
  assert.equal(code, 0);
  assert.equal(out.trimEnd().split('\n').length, listChecks().length);
  assert.match(
    out,
    /\npaid\.final +stays paid whatever the invoice service reports later \[fresh checkout, sandbox\]\n/,
  );
});

const unusableArguments: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [[], /^Could not run: name one endpoint\n\nUsage:/],
  [['/checkout'], /^Could not run: the endpoint must be a whole http\(s\) address/],
  [[endpoint, '--sandbox', 'localhost'], /--sandbox must be a whole http\(s\) address/],
  [[endpoint, '--allowed-origin', 'shop.example'], /--allowed-origin must be a whole http\(s\) address/],
  [[endpoint, '--chekout', 'x'], /Unknown option '--chekout'/],
  [[endpoint, '--patience', 'long', '--checkout', 'x'], /--patience must be a number of seconds/],
  [
    [endpoint, '--open-url', orders],
    /did not open a checkout: HTTP 400 .*: give the body of an order by --open-body$/m,
  ],
  [[endpoint, '--open-command', 'exit 3'], /the command that opens a checkout failed/],
  [[endpoint, '--open-command', 'echo'], /it printed no capability/],
];
for (const [args, message] of unusableArguments)
  test(`the command exits with 2 for the arguments "${args.join(' ').replaceAll(shop.url, 'SHOP')}"`, async () => {
    const { code, out, err } = await runCommand(args);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, message);
  });
