import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listChecks, runConformance, CannotRun, type Report } from '../../src/conformance.ts';
import { runInProcess, type Defect, type BackendChanges } from './run-in-process.ts';
import {
  requestWithHeaders,
  responseDefect,
  isRead,
  onAnswer,
  onRequest,
  problem,
  withHeaders,
} from './defects/seeded-defect.ts';

/** The checks that did not pass, each with its reason. */
const unpassed = ({ results }: Report): readonly string[] =>
  results.filter(({ verdict }) => verdict !== 'passed').map(({ id, got, reason }) => `${id}: ${got ?? reason ?? ''}`);

test('our server passes every check', async () => {
  const report = await runInProcess();
  assert.deepEqual(unpassed(report), []);
  assert.equal(report.passed, listChecks().length);
});

/** Answers every fifth request with 429 and `Retry-After`. */
const limited = (): Defect => {
  let count = 0;
  return async (request, next) => {
    count += 1;
    return count % 5 === 0 ? withHeaders(problem(429, 'rate_limited'), { 'retry-after': '1' }) : next(request);
  };
};

const allowed: readonly (readonly [what: string, merchant: BackendChanges])[] = [
  [
    'ignores Prefer: wait',
    responseDefect(
      '',
      '',
      onRequest(isRead, (request) => requestWithHeaders(request, { prefer: undefined })),
    ).changes(),
  ],
  [
    'has strong ETags',
    responseDefect(
      '',
      '',
      onAnswer(isRead, (response) => withHeaders(response, { etag: response.headers.get('etag')?.replace('W/', '') })),
    ).changes(),
  ],
  [
    'refuses ?amount= where the order has an amount',
    responseDefect(
      '',
      '',
      onAnswer(
        ({ url }) => url.endsWith('?amount=1.00'),
        () => problem(400, 'invalid_request'),
      ),
    ).changes(),
  ],
  ['limits the rate', responseDefect('', '', limited).changes()],
  ['requests no QR code', { server: { qr: null } }],
];
for (const [what, merchant] of allowed)
  test(`a backend that ${what} passes every check`, async () => {
    assert.deepEqual(unpassed(await runInProcess(merchant)), []);
  });

for (const mode of ['same', 'conflict'] as const)
  test(`our server passes every check when a repeated external_id is "${mode}" at the service`, async () => {
    assert.deepEqual(unpassed(await runInProcess({ repeatedExternalId: mode })), []);
  });

test('checks whose options are missing are not run, and do not count as passed', async () => {
  const report = await runInProcess({}, { sandbox: undefined, slow: false, token: undefined, only: undefined });
  const notRun = report.results.filter(({ verdict }) => verdict === 'not_run');
  const withSandbox = listChecks().filter(({ needs }) => needs.includes('sandbox'));
  for (const { id } of withSandbox) assert.match(notRun.find((one) => one.id === id)?.reason ?? '', /--sandbox/, id);
  for (const id of ['wait.clamped', 'answers.token', 'answers.paid_final'])
    assert.ok(
      notRun.some((one) => one.id === id),
      id,
    );
  assert.equal(report.violations, 0);
  assert.equal(report.passed + report.not_run, listChecks().length);
});

test('with one checkout, only the checks for one checkout run', async () => {
  const report = await runInProcess({}, { sandbox: undefined, orders: 1 });
  const byGroup = (group: string): readonly string[] =>
    report.results.filter((one) => one.group === group).map(({ verdict }) => verdict);
  assert.deepEqual(new Set(byGroup('Creating an invoice')), new Set(['passed']));
  assert.deepEqual(new Set(byGroup('Two orders')), new Set(['not_run']));
  assert.deepEqual(new Set(byGroup('An amount that the payer types')), new Set(['not_run']));
});

test('a checkout that the shop gives twice is refused, because it is not fresh', async () => {
  const report = await runInProcess(
    { changeCapability: () => 'chk_same' },
    { only: ['concurrent', 'capability.unknown'] },
  );
  const reasons = report.results.filter(({ verdict }) => verdict === 'not_run').map(({ reason }) => reason);
  assert.deepEqual(reasons, ['the shop gave the same checkout twice', 'the shop gave the same checkout twice']);
});

test('removes its faults and settings from the sandbox when it is aborted', async () => {
  const requests: string[] = [];
  const interrupt = new AbortController();
  const run = runConformance({
    endpoint: 'http://shop.test/checkout',
    checkouts: ['chk_1', 'chk_2', 'chk_3'],
    sandbox: 'http://sandbox.test',
    only: ['expired'],
    signal: interrupt.signal,
    ports: {
      fetch(request) {
        requests.push(`${request.method} ${new URL(request.url).pathname}`);
        if (request.url.startsWith('http://sandbox.test')) {
          if (request.method === 'PUT') interrupt.abort();
          return Promise.resolve(Response.json({ invoice_lifetime_ms: 900_000 }));
        }
        return Promise.resolve(problem(404, 'not_found'));
      },
    },
  });
  await assert.rejects(run, new CannotRun('it was interrupted'));
  assert.equal(requests.filter((request) => request === 'PUT /sandbox/settings').length, 2);
});

const impossibleRuns: readonly (readonly [
  what: string,
  options: Parameters<typeof runConformance>[0],
  message: RegExp,
])[] = [
  ['no checkout', { endpoint: 'http://127.0.0.1:1/checkout' }, /^there is no checkout: give --checkout/],
  [
    'no backend',
    { endpoint: 'http://127.0.0.1:1/checkout', checkouts: ['chk_1'] },
    /^no answer to GET \{checkout\}: .*(ECONNREFUSED|bad port)/,
  ],
  [
    'no sandbox',
    { endpoint: 'http://127.0.0.1:1/checkout', checkouts: ['chk_1'], sandbox: 'http://127.0.0.1:1' },
    /^the sandbox does not answer/,
  ],
  [
    'no such check',
    { endpoint: 'http://127.0.0.1:1/checkout', only: ['etga'] },
    /^there is no check "etga": see --list/,
  ],
];
for (const [what, options, message] of impossibleRuns)
  test(`with ${what} the run reports that it could not run, and no violation`, async () => {
    await assert.rejects(runConformance(options), (error) => error instanceof CannotRun && message.test(error.message));
  });
