import assert from 'node:assert/strict';
import fc from 'fast-check';
import { suite, test } from 'node:test';
import { codeOfHttpStatus, type StatusCode } from '../../../src/service-api.ts';
import {
  codeOfFailure,
  decideRetry,
  type NoResponseKind,
  type TryContext,
  type TryFailure,
  backoffMs,
  createRetryBudget,
  createRateLimiter,
} from '../../../src/server/invoice-client/retry-and-rate-limit.ts';
import { holds } from '../../support/properties.ts';
import type { Clock } from '../../../src/base/clock.ts';
import { createdInvoice, hang, json, scriptedClient } from '../../support/scripted-service-client.ts';
import { AutoAdvancingClock } from '../../support/auto-advancing-clock.ts';
import { assertSameTime } from '../../support/fake-clock.ts';

const create: TryContext = { operation: 'CreateInvoice', hasExternalId: true, withQr: false };
const createWithQr: TryContext = { ...create, withQr: true };
const anonymousCreate: TryContext = { ...create, hasExternalId: false };
const readOptions: TryContext = { operation: 'FetchPaymentOptions', hasExternalId: false, withQr: false };
const readInvoices: TryContext = { ...readOptions, operation: 'FetchInvoices' };

/** The columns of the grids are the codes in the body. `none` is a body without a code, such as HTML or an empty body. */
const codes: readonly (StatusCode | 'none')[] = [
  'none',
  'canceled',
  'unknown',
  'invalid_argument',
  'deadline_exceeded',
  'not_found',
  'already_exists',
  'permission_denied',
  'resource_exhausted',
  'failed_precondition',
  'aborted',
  'out_of_range',
  'unimplemented',
  'internal',
  'unavailable',
  'data_loss',
  'unauthenticated',
];

/** The decisions for the letters of the grids: the failure and what the client does next. */
const meanings: Readonly<Record<string, string>> = {
  R: 'refused, give_up',
  U: 'unavailable, repeat',
  Q: 'unavailable, repeat_or_drop_qr',
  N: 'unavailable, give_up',
  A: 'ambiguous, repeat_same_external_id',
  X: 'ambiguous, give_up',
};

/** Names the decisions of a row of a grid, for the title of its test. */
function decisionsOf(letters: string): string {
  const decisions = [...new Set(letters)].map((letter) => `“${meanings[letter] ?? ''}”`);
  return decisions.length === 1
    ? `${decisions.join('')} with every code in the body`
    : `${decisions.join(' or ')}, depending on the code in the body`;
}

/** Rows of HTTP statuses. Each row has one letter for each code, in the order of the columns. */
type Grid = readonly (readonly [statuses: readonly number[], letters: string])[];

const refusalStatuses = [
  400, 401, 402, 403, 404, 405, 406, 410, 411, 412, 414, 415, 417, 418, 421, 422, 423, 424, 426, 428, 431, 451,
];
const brokenStatuses = [408, 425, 499, 500, 502, 504, 505, 507, 511, 520, 524, 599];

const createGrid: Grid = [
  [[300, 301, 302, 303, 304], 'XXXXXXXXXXXXXXXXX'],
  [[307, 308], 'RRRRRRRRRRRRRRRRR'],
  [refusalStatuses, 'RAARARXRARARRAAAR'],
  [[409], 'XAARARXRARARRAAAR'],
  [[413], 'RAARARXRRRARRAAAR'],
  [[429], 'UAARARXRURARRAUAR'],
  [brokenStatuses, 'AAAAAAXAAAAAAAAAA'],
  [[501], 'RAAAAAXAAAAARAAAA'],
  [[503], 'AAAAAAXAAAAAAAAAA'],
];

const createWithQrGrid: Grid = [...createGrid.filter(([[status]]) => status !== 503), [[503], 'AAAAAAXAAAAAAQAAA']];

const anonymousCreateGrid: Grid = [
  [[300, 301, 302, 303, 304], 'XXXXXXXXXXXXXXXXX'],
  [[307, 308], 'RRRRRRRRRRRRRRRRR'],
  [refusalStatuses, 'RXXRXRRRXRXRRXXXR'],
  [[409], 'RXXRXRRRXRXRRXXXR'],
  [[413], 'RXXRXRRRRRXRRXXXR'],
  [[429], 'UXXRXRRRURXRRXUXR'],
  [brokenStatuses, 'XXXXXXXXXXXXXXXXX'],
  [[501], 'RXXXXXXXXXXXRXXXX'],
  [[503], 'XXXXXXXXXXXXXXXXX'],
];

const readGrid: Grid = [
  [[300, 301, 302, 303, 304, 307, 308], 'NNNNNNNNNNNNNNNNN'],
  [refusalStatuses, 'RUURURRRURURRUUUR'],
  [[409], 'RUURURRRURURRUUUR'],
  [[413], 'RUURURRRRRURRUUUR'],
  [[429], 'UUURURRRURURRUUUR'],
  [brokenStatuses, 'UUUUUUUUUUUUUUUUU'],
  [[501], 'RUUUUUUUUUUURUUUU'],
  [[503], 'UUUUUUUUUUUUUUUUU'],
];

function responseFailure(httpStatus: number, code: StatusCode | 'none'): TryFailure {
  const error =
    code === 'none'
      ? { httpStatus, code: codeOfHttpStatus(httpStatus), message: '', source: 'http_status' as const }
      : { httpStatus, code, message: '', source: 'body' as const };
  return { kind: 'answer', error, retryAfterMs: undefined };
}

const decisionText = (context: TryContext, failure: TryFailure) => {
  const decision = decideRetry(context, failure);
  return `${decision.failure}, ${decision.next}`;
};

const grids: readonly (readonly [string, TryContext, Grid])[] = [
  ['a create', create, createGrid],
  ['a create with a QR', createWithQr, createWithQrGrid],
  ['a create without external_id', anonymousCreate, anonymousCreateGrid],
  ['FetchPaymentOptions', readOptions, readGrid],
  ['FetchInvoices', readInvoices, readGrid],
];

for (const [name, context, rowsOfGrid] of grids)
  suite(`the decision after a failed try of ${name}`, () => {
    for (const [statuses, letters] of rowsOfGrid)
      for (const status of statuses)
        test(`for HTTP status ${status} is ${decisionsOf(letters)}`, () => {
          assert.equal(letters.length, codes.length);
          for (const [column, code] of codes.entries())
            assert.equal(
              decisionText(context, responseFailure(status, code)),
              meanings[letters.charAt(column)],
              `${status} ${code}`,
            );
        });
  });

suite('the decision after a try without a response', () => {
  const rows: readonly (readonly [NoResponseKind, create: string, anonymous: string, read: string])[] = [
    ['no_token', 'N', 'N', 'N'],
    ['rate_limited', 'N', 'N', 'N'],
    ['not_sent', 'U', 'U', 'U'],
    ['connection_lost', 'A', 'X', 'U'],
    ['timeout', 'A', 'X', 'U'],
    ['unreadable', 'A', 'X', 'U'],
    ['canceled', 'X', 'X', 'N'],
  ];
  for (const [kind, ...letters] of rows)
    for (const [index, context] of [create, anonymousCreate, readInvoices].entries())
      test(`for ${kind} in ${context.operation}${context.hasExternalId ? ' with external_id' : ''} is ${meanings[letters[index] ?? ''] ?? ''}`, () =>
        assert.equal(decisionText(context, { kind }), meanings[letters[index] ?? '']));
});

suite('decideRetry', () => {
  test('never makes a fetch of options or invoices ambiguous, whatever the response', () => {
    for (let status = 0; status < 1000; status += 1)
      for (const code of codes)
        for (const context of [readOptions, readInvoices])
          assert.notEqual(decideRetry(context, responseFailure(status, code)).failure, 'ambiguous');
  });
  test('never repeats an ambiguous create without external_id, whatever the response', () => {
    for (let status = 0; status < 1000; status += 1)
      for (const code of codes) {
        const { failure, next } = decideRetry(anonymousCreate, responseFailure(status, code));
        if (failure === 'ambiguous') assert.equal(next, 'give_up');
      }
  });
  test('treats a create with a 5xx as not processed only when HTTP status and code agree on it', () => {
    for (let status = 500; status < 1000; status += 1)
      for (const code of codes.slice(1)) {
        const areAgreed = (status === 501 && code === 'unimplemented') || (status === 503 && code === 'internal');
        if (!areAgreed) assert.equal(decideRetry(createWithQr, responseFailure(status, code)).failure, 'ambiguous');
      }
  });
});

suite('codeOfFailure', () => {
  const rows: readonly (readonly [TryFailure, StatusCode])[] = [
    [responseFailure(503, 'internal'), 'internal'],
    [responseFailure(502, 'none'), 'unavailable'],
    [{ kind: 'timeout' }, 'deadline_exceeded'],
    [{ kind: 'canceled' }, 'canceled'],
    [{ kind: 'unreadable' }, 'data_loss'],
    [{ kind: 'not_sent' }, 'unavailable'],
    [{ kind: 'no_token' }, 'unauthenticated'],
    [{ kind: 'rate_limited' }, 'resource_exhausted'],
    [{ kind: 'connection_lost' }, 'unavailable'],
  ];
  for (const [failure, code] of rows)
    test(`is ${code} for ${failure.kind === 'answer' ? failure.error.httpStatus : failure.kind}`, () =>
      assert.equal(codeOfFailure(failure), code));
});

suite('backoffMs', () => {
  const ceilings = [
    [1, 200],
    [2, 400],
    [3, 800],
    [4, 1_600],
    [5, 3_000],
    [6, 3_000],
    [5_000, 3_000],
  ] as const;
  for (const [tries, ceiling] of ceilings) {
    test(`is at least 0 and less than ${ceiling} ms after ${tries} tries`, () => {
      assert.equal(backoffMs(tries, 0), 0);
      assert.ok(backoffMs(tries, 1 - Number.EPSILON) < ceiling);
      assert.equal(backoffMs(tries, 0.5), ceiling / 2);
    });
  }
});

suite('createRetryBudget', () => {
  test('allows five repeats before any call, and then none', () => {
    const budget = createRetryBudget();
    assert.deepEqual(
      Array.from({ length: 6 }, () => budget.spend()),
      [true, true, true, true, true, false],
    );
  });
  test('allows one more repeat after ten calls, and no sooner', () => {
    const budget = createRetryBudget();
    while (budget.spend());
    for (let call = 0; call < 9; call += 1) budget.earn();
    assert.equal(budget.spend(), false);
    budget.earn();
    assert.equal(budget.spend(), true);
  });
  test('allows 20 tries without the QR beyond the balance, and no other repeat until the balance is positive', () => {
    const budget = createRetryBudget();
    while (budget.spend());
    const overdrafts = Array.from({ length: 21 }, () => budget.spend(true));
    assert.deepEqual(overdrafts, [...Array<boolean>(20).fill(true), false]);
    for (let refund = 0; refund < 20; refund += 1) budget.refund();
    assert.equal(budget.spend(), false);
    budget.refund();
    assert.equal(budget.spend(), true);
  });
  test('never allows more repeats than five and a tenth of the calls', () => {
    holds(
      fc.property(fc.array(fc.boolean(), { maxLength: 500 }), (events) => {
        const budget = createRetryBudget();
        let calls = 0;
        let repeats = 0;
        for (const isCall of events) {
          if (isCall) {
            calls += 1;
            budget.earn();
          } else if (budget.spend()) repeats += 1;
        }
        assert.ok(repeats <= 5 + calls / 10 + 1e-6);
      }),
    );
  });
});

suite('a rate limiter', () => {
  test('never allows more requests in a second than its limit', async () => {
    const waits = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 15, maxLength: 40 });
    await holds(
      fc.asyncProperty(waits, fc.integer({ min: 1, max: 12 }), async (gaps, perSecond) => {
        const clock = new AutoAdvancingClock();
        const limiter = createRateLimiter(clock, perSecond);
        const sentAt: number[] = [];
        const calls: Promise<void>[] = [];
        for (const gap of gaps) {
          if (gap > 200) await clock.value(clock.sleep(gap - 200));
          calls.push(limiter.acquire(Infinity).then(() => void sentAt.push(clock.now())));
        }
        await clock.value(Promise.all(calls));
        assert.equal(sentAt.length, gaps.length);
        for (const [index, at] of sentAt.entries())
          assert.ok(at - (sentAt[index - perSecond] ?? -Infinity) >= 1_000, `${perSecond} a second: ${sentAt.join()}`);
      }),
      20,
    );
  });
  test('refuses a request that would wait longer than its caller allows, and does not count that request', async () => {
    const clock = new AutoAdvancingClock();
    const limiter = createRateLimiter(clock, 2);
    const results = await Promise.all([0, 0, 0, 500].map((maxWaitMs) => limiter.acquire(maxWaitMs)));
    assert.deepEqual(results, [true, true, false, false]);
    assertSameTime(limiter.waitMs(), 1_100);
    await clock.value(clock.sleep(1_101));
    assert.deepEqual(await Promise.all([limiter.acquire(0), limiter.acquire(0)]), [true, true]);
  });
  test('does not allow a request before a request that is waiting', async () => {
    const clock = new AutoAdvancingClock();
    const limiter = createRateLimiter(clock, 1);
    await limiter.acquire(0);
    const waitingRequest = limiter.acquire(5_000);
    assert.equal(await limiter.acquire(0), false);
    assert.equal(await clock.value(waitingRequest), true);
  });
  test('allows no request during a pause, not even a request that was waiting before', async () => {
    const clock = new AutoAdvancingClock();
    const limiter = createRateLimiter(clock, 1);
    const start = clock.now();
    await limiter.acquire(0);
    const waitingRequest = limiter.acquire(60_000);
    limiter.pause(30_000);
    assert.equal(await limiter.acquire(20_000), false);
    assert.equal(await clock.value(waitingRequest), true);
    assertSameTime(clock.now() - start, 30_000);
  });
  test('gives each waiting request one place after a pause, also when timers fire early and the clock moves between two reads', async () => {
    const clock = new AutoAdvancingClock();
    let reads = 0;
    const earlyClock: Clock = {
      now: () => clock.now() + (reads += 1) * 1e-4,
      schedule: (ms, task) => clock.schedule(ms - 1.4, task),
    };
    const limiter = createRateLimiter(earlyClock, 10);
    const start = clock.now();
    assert.equal(await limiter.acquire(0), true);
    limiter.pause(1_000);
    const sentAt: number[] = [];
    const calls = Array.from({ length: 20 }, () =>
      limiter.acquire(10_000).then(() => void sentAt.push(Math.round((clock.now() - start) / 100) * 100)),
    );
    await clock.value(Promise.all(calls));
    assert.deepEqual(sentAt, [...Array<number>(9).fill(1_000), 1_100, ...Array<number>(9).fill(2_100), 2_200]);
  });
  test('refuses a waiting request at once when a pause is longer than its caller waits, and gives its place to the next', async () => {
    const clock = new AutoAdvancingClock();
    const limiter = createRateLimiter(clock, 1);
    const start = clock.now();
    await limiter.acquire(0);
    const impatient = limiter.acquire(5_000);
    const patient = limiter.acquire(60_000);
    limiter.pause(30_000);
    assert.equal(await impatient, false);
    assert.equal(await clock.value(patient), true);
    assertSameTime(clock.now() - start, 30_000);
  });
  test('refuses a waiting request when the caller aborts, and leaves no timer', async () => {
    const clock = new AutoAdvancingClock();
    const limiter = createRateLimiter(clock, 1);
    await limiter.acquire(0);
    const caller = new AbortController();
    const waitingRequest = limiter.acquire(60_000, caller.signal);
    caller.abort();
    assert.equal(await waitingRequest, false);
    assert.equal(clock.pending, 0);
  });
});

suite('the client', () => {
  test('sends at most 10 requests for options, 60 for invoices and 50 for creates in a second, each limit for itself', async () => {
    const { service, sentRequests, clock } = scriptedClient([json(200, createdInvoice)]);
    const calls = Array.from({ length: 300 }, () => [
      service.fetchPaymentOptions(undefined),
      service.fetchInvoices(['inv_1']),
      service.createInvoice({ amount: '1500.00', mode: 'TEST', external_id: 'att_1' }),
    ]);
    const allCalls = Promise.allSettled(calls.flat());
    await clock.value(clock.sleep(999));
    const countOf = (operation: string): number =>
      sentRequests.filter(({ url }) => url.endsWith(`/${operation}`)).length;
    assert.deepEqual(['FetchPaymentOptions', 'FetchInvoices', 'CreateInvoice'].map(countOf), [10, 60, 50]);
    await clock.value(allCalls);
  });
  test('fails a fetch of options beyond the limit without a wait and without a line in the log', async () => {
    const { service, sentRequests, log, failureOf } = scriptedClient([json(200, {})]);
    await Promise.all(Array.from({ length: 10 }, () => service.fetchPaymentOptions('1')));
    const { failure, code, httpStatus, retryAfterMs } = await failureOf(service.fetchPaymentOptions('2'));
    assert.deepEqual([failure, code, httpStatus, retryAfterMs], ['unavailable', 'resource_exhausted', 0, 1_100]);
    assert.deepEqual([sentRequests.length, log.length], [10, 0]);
  });
  test('counts repeats as requests', async () => {
    const { service, sentRequests, clock } = scriptedClient([json(500, ''), json(200, {})], {
      requestsPerSecond: { FetchPaymentOptions: 1 },
    });
    await clock.value(service.fetchPaymentOptions('1'));
    assertSameTime((sentRequests[1]?.at ?? 0) - (sentRequests[0]?.at ?? 0), 1_100);
  });
  test('reports a create that cannot be sent before its deadline as unavailable, because the service has certainly not processed it', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([hang], { requestsPerSecond: { CreateInvoice: 1 } });
    const create = () => service.createInvoice({ amount: '1500.00', mode: 'TEST', external_id: 'att_1' });
    const calls = Array.from({ length: 30 }, create);
    for (const call of calls) void call.catch(() => undefined);
    assert.equal((await failureOf(calls[29] ?? create())).failure, 'unavailable');
    assert.ok(sentRequests.length < 30);
  });
  for (const operation of ['CreateInvoice', 'FetchPaymentOptions', 'FetchInvoices'] as const)
    for (const status of [429, 503])
      test(`sends no ${operation} until the Retry-After of a ${status} is over, and the other operations as before`, async () => {
        const { service, sentRequests, clock } = scriptedClient([
          json(status, '', { 'retry-after': '30' }),
          json(200, createdInvoice),
        ]);
        const calls = {
          CreateInvoice: () => service.createInvoice({ amount: '1500.00', mode: 'TEST', external_id: 'att_1' }),
          FetchPaymentOptions: () => service.fetchPaymentOptions(undefined),
          FetchInvoices: () => service.fetchInvoices(['inv_1']),
        };
        const start = clock.now();
        await clock.settle<unknown>(calls[operation]());
        for (let second = 0; second < 35; second += 1) {
          for (const call of Object.values(calls)) await clock.settle<unknown>(call());
          await clock.value(clock.sleep(1_000));
        }
        const sentAt = (name: string): number[] =>
          sentRequests.flatMap(({ at, url }) => (url.endsWith(`/${name}`) ? at - start : []));
        assertSameTime(sentAt(operation)[0] ?? Infinity, 0);
        assert.ok((sentAt(operation)[1] ?? 0) > 29_999, sentAt(operation).slice(0, 3).join());
        for (const otherOperation of ['CreateInvoice', 'FetchPaymentOptions', 'FetchInvoices'])
          if (otherOperation !== operation)
            assert.ok(sentAt(otherOperation).filter((at) => at < 30_000).length > 0, otherOperation);
      });
});
