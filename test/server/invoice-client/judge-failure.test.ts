import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { codeOfHttpStatus, type StatusCode } from '../../../src/service-api.ts';
import {
  codeOfFailure,
  judgeFailure,
  type NoResponseKind,
  type RequestContext,
  type RequestFailure,
} from '../../../src/server/invoice-client/failure-and-rate-limit.ts';

const create: RequestContext = { operation: 'CreateInvoice', hasExternalId: true, withQr: false };
const createWithQr: RequestContext = { ...create, withQr: true };
const anonymousCreate: RequestContext = { ...create, hasExternalId: false };
const readOptions: RequestContext = { operation: 'FetchPaymentOptions', hasExternalId: false, withQr: false };
const readInvoices: RequestContext = { ...readOptions, operation: 'FetchInvoices' };

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

/** The verdicts for the letters of the grids: the failure, and what it means for the QR. */
const meanings: Readonly<Record<string, string>> = {
  R: 'refused, not_the_cause',
  D: 'refused, refused',
  U: 'unavailable, not_the_cause',
  Q: 'unavailable, failed',
  A: 'ambiguous, not_the_cause',
};

/** Rows of HTTP statuses. Each row has one letter for each code, in the order of the columns. */
type Grid = readonly (readonly [statuses: readonly number[], letters: string])[];

const refusalStatuses = [
  400, 401, 402, 403, 404, 405, 406, 410, 411, 412, 414, 415, 417, 418, 421, 422, 423, 424, 426, 428, 431, 451,
];
const brokenStatuses = [408, 425, 499, 500, 502, 504, 505, 507, 511, 520, 524, 599];

const createGrid: Grid = [
  [[300, 301, 302, 303, 304], 'AAAAAAAAAAAAAAAAA'],
  [[307, 308], 'RRRRRRRRRRRRRRRRR'],
  [refusalStatuses, 'RAARARARARARRAAAR'],
  [[409], 'AAARARARARARRAAAR'],
  [[413], 'RAARARARRRARRAAAR'],
  [[429], 'UAARARARURARRAUAR'],
  [brokenStatuses, 'AAAAAAAAAAAAAAAAA'],
  [[501], 'RAAAAAAAAAAARAAAA'],
  [[503], 'AAAAAAAAAAAAAAAAA'],
];

const createWithQrGrid: Grid = [
  [[300, 301, 302, 303, 304], 'AAAAAAAAAAAAAAAAA'],
  [[307, 308], 'RRRRRRRRRRRRRRRRR'],
  [refusalStatuses.filter((status) => status !== 401 && status !== 403), 'DAADADADADADDAAAD'],
  [[401, 403], 'RAARARARARARRAAAR'],
  [[409], 'AAARARARARARRAAAR'],
  [[413], 'DAADADADDDADDAAAD'],
  [[429], 'UAARARARURARRAUAR'],
  [brokenStatuses, 'AAAAAAAAAAAAAAAAA'],
  [[501], 'DAAAAAAAAAAADAAAA'],
  [[503], 'AAAAAAAAAAAAAQAAA'],
];

const anonymousCreateGrid: Grid = [
  [[300, 301, 302, 303, 304], 'AAAAAAAAAAAAAAAAA'],
  [[307, 308], 'RRRRRRRRRRRRRRRRR'],
  [refusalStatuses, 'RAARARRRARARRAAAR'],
  [[409], 'RAARARRRARARRAAAR'],
  [[413], 'RAARARRRRRARRAAAR'],
  [[429], 'UAARARRRURARRAUAR'],
  [brokenStatuses, 'AAAAAAAAAAAAAAAAA'],
  [[501], 'RAAAAAAAAAAARAAAA'],
  [[503], 'AAAAAAAAAAAAAAAAA'],
];

const readGrid: Grid = [
  [[300, 301, 302, 303, 304, 307, 308], 'UUUUUUUUUUUUUUUUU'],
  [refusalStatuses, 'RUURURRRURURRUUUR'],
  [[409], 'RUURURRRURURRUUUR'],
  [[413], 'RUURURRRRRURRUUUR'],
  [[429], 'UUURURRRURURRUUUR'],
  [brokenStatuses, 'UUUUUUUUUUUUUUUUU'],
  [[501], 'RUUUUUUUUUUURUUUU'],
  [[503], 'UUUUUUUUUUUUUUUUU'],
];

function responseFailure(httpStatus: number, code: StatusCode | 'none'): RequestFailure {
  const error =
    code === 'none'
      ? { httpStatus, code: codeOfHttpStatus(httpStatus), message: '', source: 'http_status' as const }
      : { httpStatus, code, message: '', source: 'body' as const };
  return { kind: 'answer', error, retryAfterMs: undefined };
}

const verdictText = (context: RequestContext, failure: RequestFailure) => {
  const { failure: meaning, qr } = judgeFailure(context, failure);
  return `${meaning}, ${qr}`;
};

const grids: readonly (readonly [string, RequestContext, Grid])[] = [
  ['a create', create, createGrid],
  ['a create with a QR', createWithQr, createWithQrGrid],
  ['a create without external_id', anonymousCreate, anonymousCreateGrid],
  ['FetchPaymentOptions', readOptions, readGrid],
  ['FetchInvoices', readInvoices, readGrid],
];

for (const [name, context, rowsOfGrid] of grids)
  suite(`the verdict about a failed request of ${name}`, () => {
    for (const [statuses, letters] of rowsOfGrid)
      for (const status of statuses)
        test(`for HTTP status ${status} and each code is ${letters}`, () => {
          assert.equal(letters.length, codes.length);
          for (const [column, code] of codes.entries())
            assert.equal(
              verdictText(context, responseFailure(status, code)),
              meanings[letters.charAt(column)],
              `${status} ${code}`,
            );
        });
  });

suite('the verdict about a request without a response', () => {
  const rows: readonly (readonly [NoResponseKind, create: string])[] = [
    ['no_token', 'U'],
    ['rate_limited', 'U'],
    ['not_sent', 'U'],
    ['connection_lost', 'A'],
    ['timeout', 'A'],
    ['unreadable', 'A'],
    ['canceled', 'A'],
  ];
  for (const [kind, letter] of rows)
    test(`for ${kind} is ${meanings[letter] ?? ''} for a create, and never in doubt for a read`, () => {
      for (const context of [create, createWithQr, anonymousCreate])
        assert.equal(verdictText(context, { kind }), meanings[letter]);
      for (const context of [readOptions, readInvoices]) assert.equal(verdictText(context, { kind }), meanings['U']);
    });
});

test('a QR that may be generated only after a Retry-After is not requested again', () => {
  const failure = { ...responseFailure(503, 'internal'), retryAfterMs: 1000 };
  assert.equal(verdictText(createWithQr, failure), 'unavailable, refused');
});

test('no status makes a read ambiguous, or proves more than it says', () => {
  for (let status = 0; status < 1000; status += 1)
    for (const code of codes) {
      const failure = responseFailure(status, code);
      for (const context of [readOptions, readInvoices])
        assert.notEqual(judgeFailure(context, failure).failure, 'ambiguous');
      // Only when HTTP status and code agree, the service has not processed the create.
      const areAgreed = (status === 501 && code === 'unimplemented') || (status === 503 && code === 'internal');
      if (status >= 500 && code !== 'none' && !areAgreed)
        assert.equal(judgeFailure(createWithQr, failure).failure, 'ambiguous');
      // What is not known is not said again by the client, with or without the QR.
      const { failure: meaning, qr } = judgeFailure(createWithQr, failure);
      if (meaning === 'ambiguous') assert.equal(qr, 'not_the_cause');
    }
});

suite('codeOfFailure', () => {
  const rows: readonly (readonly [RequestFailure, StatusCode])[] = [
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
