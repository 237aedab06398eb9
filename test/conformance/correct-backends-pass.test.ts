import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CannotRun, runConformance } from '../../src/conformance.ts';
import { listChecks } from '../../src/tools/conformance/run-conformance.ts';
import {
  describeFailedChecks,
  runConformanceInProcess,
  type Defect,
  type BackendChanges,
} from './run-conformance-in-process.ts';
import { requestWithHeaders, isRead, onResponse, onRequest, problem, withHeaders } from './defects/seeded-defect.ts';

test('the server of this package passes every check', async () => {
  const report = await runConformanceInProcess();
  assert.deepEqual(describeFailedChecks(report), []);
  assert.equal(report.passed, listChecks().length);
});

/** Answers every fifth request with 429 and `Retry-After`. */
const answerEveryFifthWith429 = (): Defect => {
  let requestCount = 0;
  return async (request, next) => {
    requestCount += 1;
    return requestCount % 5 === 0 ? withHeaders(problem(429, 'rate_limited'), { 'retry-after': '1' }) : next(request);
  };
};

const permittedVariations: readonly (readonly [description: string, changes: BackendChanges])[] = [
  [
    'ignores Prefer: wait',
    { intercept: onRequest(isRead, (request) => requestWithHeaders(request, { prefer: undefined }))() },
  ],
  [
    'sends strong ETags',
    {
      intercept: onResponse(isRead, (response) =>
        withHeaders(response, { etag: response.headers.get('etag')?.replace('W/', '') }),
      )(),
    },
  ],
  [
    'refuses ?amount= where the order has an amount',
    {
      intercept: onResponse(
        ({ url }) => url.endsWith('?amount=1.00'),
        () => problem(400, 'invalid_request'),
      )(),
    },
  ],
  ['answers every fifth request with 429', { intercept: answerEveryFifthWith429() }],
  ['requests no QR code', { server: { qr: false } }],
];
for (const [description, changes] of permittedVariations)
  test(`a backend that ${description} passes every check`, async () => {
    assert.deepEqual(describeFailedChecks(await runConformanceInProcess(changes)), []);
  });

const repeatedExternalIdModes = [
  ['same', 'returns the same invoice for a repeated external_id'],
  ['conflict', 'refuses a repeated external_id as a conflict'],
] as const;
for (const [mode, serviceBehaviour] of repeatedExternalIdModes)
  test(`the server of this package passes every check when the service ${serviceBehaviour}`, async () => {
    assert.deepEqual(describeFailedChecks(await runConformanceInProcess({ repeatedExternalId: mode })), []);
  });

test('checks that need the sandbox, --slow or the access token are not run without them, and do not count as passed', async () => {
  const report = await runConformanceInProcess(
    {},
    { sandbox: undefined, slow: false, token: undefined, only: undefined },
  );
  const notRun = report.results.filter(({ verdict }) => verdict === 'not_run');
  const sandboxChecks = listChecks().filter(({ needs }) => needs.includes('sandbox'));
  for (const { id } of sandboxChecks)
    assert.match(notRun.find((result) => result.id === id)?.reason ?? '', /--sandbox/, id);
  for (const id of ['wait.clamped', 'answers.token', 'answers.paid_final'])
    assert.ok(
      notRun.some((result) => result.id === id),
      id,
    );
  assert.equal(report.violations, 0);
  assert.equal(report.passed + report.not_run, listChecks().length);
});

test('when only one checkout can be opened, the checks that need a second or a typed checkout are not run', async () => {
  const report = await runConformanceInProcess({}, { sandbox: undefined, orders: 1 });
  const verdictsOf = (group: string): readonly string[] =>
    report.results.filter((result) => result.group === group).map(({ verdict }) => verdict);
  assert.deepEqual(new Set(verdictsOf('Creating an invoice')), new Set(['passed']));
  assert.deepEqual(new Set(verdictsOf('Two orders')), new Set(['not_run']));
  assert.deepEqual(new Set(verdictsOf('An amount that the payer types')), new Set(['not_run']));
});

test('checks for which the shop gives an already used checkout are not run', async () => {
  const report = await runConformanceInProcess(
    { changeCapability: () => 'chk_same' },
    { only: ['concurrent', 'capability.unknown'] },
  );
  const reasons = report.results.filter(({ verdict }) => verdict === 'not_run').map(({ reason }) => reason);
  assert.deepEqual(reasons, ['the shop gave the same checkout twice', 'the shop gave the same checkout twice']);
});

test('an aborted run rejects with CannotRun and restores the settings of the sandbox', async () => {
  const requests: string[] = [];
  const abortController = new AbortController();
  const run = runConformance({
    endpoint: 'http://shop.test/checkout',
    checkouts: ['chk_1', 'chk_2', 'chk_3'],
    sandbox: 'http://sandbox.test',
    only: ['expired'],
    signal: abortController.signal,
    ports: {
      fetch(request) {
        requests.push(`${request.method} ${new URL(request.url).pathname}`);
        if (request.url.startsWith('http://sandbox.test')) {
          if (request.method === 'PUT') abortController.abort();
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
  missingPart: string,
  options: Parameters<typeof runConformance>[0],
  message: RegExp,
])[] = [
  ['no checkout', { endpoint: 'http://127.0.0.1:1/checkout' }, /^there is no checkout: give --checkout/],
  [
    'no backend at the endpoint',
    { endpoint: 'http://127.0.0.1:1/checkout', checkouts: ['chk_1'] },
    /^no response to GET \{checkout\}: .*(ECONNREFUSED|bad port)/,
  ],
  [
    'no sandbox at its address',
    { endpoint: 'http://127.0.0.1:1/checkout', checkouts: ['chk_1'], sandbox: 'http://127.0.0.1:1' },
    /^the sandbox does not answer/,
  ],
  [
    'an unknown check in `only`',
    { endpoint: 'http://127.0.0.1:1/checkout', only: ['etga'] },
    /^there is no check "etga": see --list/,
  ],
];
for (const [missingPart, options, message] of impossibleRuns)
  test(`a run with ${missingPart} rejects with CannotRun and the reason`, async () => {
    await assert.rejects(runConformance(options), (error) => error instanceof CannotRun && message.test(error.message));
  });
