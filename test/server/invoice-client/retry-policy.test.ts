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
} from '../../../src/server/invoice-client/retry-and-rate-limit.ts';
import { holds } from '../../support/property-tests.ts';

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
        test(`for HTTP status ${status} and each code is ${letters}`, () => {
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

test('no status makes a fetch ambiguous, repeats an ambiguous create without external_id, or proves more than it says', () => {
  for (let status = 0; status < 1000; status += 1)
    for (const code of codes) {
      const failure = responseFailure(status, code);
      for (const context of [readOptions, readInvoices])
        assert.notEqual(decideRetry(context, failure).failure, 'ambiguous');
      const { failure: result, next } = decideRetry(anonymousCreate, failure);
      if (result === 'ambiguous') assert.equal(next, 'give_up');
      // Only when HTTP status and code agree, the service has not processed the create.
      const areAgreed = (status === 501 && code === 'unimplemented') || (status === 503 && code === 'internal');
      if (status >= 500 && code !== 'none' && !areAgreed)
        assert.equal(decideRetry(createWithQr, failure).failure, 'ambiguous');
    }
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
  for (const [tries, ceiling] of [
    [1, 200],
    [4, 1_600],
    [5, 3_000],
    [5_000, 3_000],
  ] as const)
    test(`is at least 0 and less than ${ceiling} ms after ${tries} tries`, () => {
      assert.equal(backoffMs(tries, 0), 0);
      assert.ok(backoffMs(tries, 1 - Number.EPSILON) < ceiling);
      assert.equal(backoffMs(tries, 0.5), ceiling / 2);
    });
});

suite('createRetryBudget', () => {
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
