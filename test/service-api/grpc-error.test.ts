import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { codeOfHttpStatus, httpStatusOf, readStatusCode, type StatusCode } from '../../src/service-api.ts';

/** The gRPC codes: number, Connect's spelling, gRPC's own two spellings, and the HTTP status of the Connect protocol. */
const codes: readonly (readonly [number, StatusCode, string, string, number])[] = [
  [1, 'canceled', 'CANCELLED', 'Canceled', 499],
  [2, 'unknown', 'UNKNOWN', 'Unknown', 500],
  [3, 'invalid_argument', 'INVALID_ARGUMENT', 'InvalidArgument', 400],
  [4, 'deadline_exceeded', 'DEADLINE_EXCEEDED', 'DeadlineExceeded', 504],
  [5, 'not_found', 'NOT_FOUND', 'NotFound', 404],
  [6, 'already_exists', 'ALREADY_EXISTS', 'AlreadyExists', 409],
  [7, 'permission_denied', 'PERMISSION_DENIED', 'PermissionDenied', 403],
  [8, 'resource_exhausted', 'RESOURCE_EXHAUSTED', 'ResourceExhausted', 429],
  [9, 'failed_precondition', 'FAILED_PRECONDITION', 'FailedPrecondition', 400],
  [10, 'aborted', 'ABORTED', 'Aborted', 409],
  [11, 'out_of_range', 'OUT_OF_RANGE', 'OutOfRange', 400],
  [12, 'unimplemented', 'UNIMPLEMENTED', 'Unimplemented', 501],
  [13, 'internal', 'INTERNAL', 'Internal', 500],
  [14, 'unavailable', 'UNAVAILABLE', 'Unavailable', 503],
  [15, 'data_loss', 'DATA_LOSS', 'DataLoss', 500],
  [16, 'unauthenticated', 'UNAUTHENTICATED', 'Unauthenticated', 401],
];

suite('readStatusCode', () => {
  for (const [number, code, upperCase, camelCase] of codes)
    test(`returns ${code} for ${number}, ${code}, ${upperCase} and ${camelCase}`, () => {
      for (const spelling of [number, code, upperCase, camelCase]) assert.equal(readStatusCode(spelling), code);
    });

  const invalidValues: unknown[] = [
    0,
    17,
    503,
    -1,
    1.5,
    NaN,
    'ok',
    'OK',
    '',
    'constructor',
    '__proto__',
    'toString',
    null,
    undefined,
  ];
  invalidValues.push(true, {}, [], ['internal'], '13 ');
  for (const value of invalidValues)
    test(`returns undefined for ${typeof value === 'number' ? value : JSON.stringify(value)}`, () =>
      assert.equal(readStatusCode(value), undefined));
});

suite('httpStatusOf', () => {
  for (const [, code, , , status] of codes)
    test(`returns ${status} for ${code}`, () => assert.equal(httpStatusOf(code), status));
});

suite('codeOfHttpStatus', () => {
  const rows: readonly (readonly [number, StatusCode])[] = [
    [400, 'invalid_argument'],
    [401, 'unauthenticated'],
    [403, 'permission_denied'],
    [404, 'unimplemented'],
    [405, 'unimplemented'],
    [408, 'deadline_exceeded'],
    [409, 'aborted'],
    [413, 'resource_exhausted'],
    [415, 'unimplemented'],
    [429, 'resource_exhausted'],
    [499, 'canceled'],
    [500, 'internal'],
    [501, 'unimplemented'],
    [502, 'unavailable'],
    [503, 'unavailable'],
    [504, 'deadline_exceeded'],
    [302, 'unknown'],
    [418, 'unknown'],
    [599, 'unknown'],
    [0, 'unknown'],
  ];
  for (const [status, code] of rows)
    test(`returns ${code} for ${status}`, () => assert.equal(codeOfHttpStatus(status), code));
});
