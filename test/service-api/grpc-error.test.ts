import fc from 'fast-check';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  codeOfHttpStatus,
  httpStatusOf,
  readStatusCode,
  readWireError,
  writeWireError,
  type StatusCode,
} from '../../src/service-api.ts';
import { holds } from '../support/property-tests.ts';

suite('readWireError', () => {
  const rows: readonly (readonly [string, number, string, StatusCode, 'body' | 'http_status', string])[] = [
    ['the Connect shape', 400, '{"code":"invalid_argument","message":"amount"}', 'invalid_argument', 'body', 'amount'],
    ['the google.rpc.Status shape', 503, '{"code":13,"message":"qr","details":[]}', 'internal', 'body', 'qr'],
    ['a code that contradicts the HTTP status', 500, '{"code":"not_found"}', 'not_found', 'body', ''],
    ['null as code and message', 503, '{"code":null,"message":null}', 'unavailable', 'http_status', ''],
    ['an object as the code', 500, '{"code":{}}', 'internal', 'http_status', ''],
    ['a number as the message', 500, '{"code":13,"message":5}', 'internal', 'body', ''],
    ['a body of HTML', 502, '<html><h1>502 Bad Gateway</h1></html>', 'unavailable', 'http_status', ''],
    ['an empty body', 504, '', 'deadline_exceeded', 'http_status', ''],
    ['a list as the body', 401, '[1,2]', 'unauthenticated', 'http_status', ''],
    ['JSON that is cut short', 503, '{"code":"inter', 'unavailable', 'http_status', ''],
    ['an unknown HTTP status', 777, 'x', 'unknown', 'http_status', ''],
    ['a code inside the member __proto__', 500, '{"__proto__":{"code":"not_found"}}', 'internal', 'http_status', ''],
  ];
  for (const [name, httpStatus, body, code, source, message] of rows)
    test(`returns ${code} from the ${source === 'body' ? 'body' : 'HTTP status'}: ${name}`, () =>
      assert.deepEqual(readWireError(httpStatus, body), { httpStatus, code, message, source }));

  test('returns a known code and at most 500 characters of message for any body, and never throws', () => {
    const member = fc.oneof(fc.jsonValue(), fc.constantFrom('internal', 13, 'INTERNAL', 503));
    const errorObject = fc.record(
      { code: member, message: fc.oneof(fc.string(), fc.jsonValue()) },
      { requiredKeys: [] },
    );
    const errorJson = errorObject.map((value) => JSON.stringify(value));
    const cutJson = fc.tuple(errorJson, fc.nat(40)).map(([text, at]) => text.slice(0, at));
    const body = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), errorJson, cutJson);
    holds(
      fc.property(fc.integer({ min: 0, max: 999 }), body, (status, text) => {
        const error = readWireError(status, text);
        assert.equal(error.httpStatus, status);
        assert.equal(readStatusCode(error.code), error.code);
        assert.ok(error.message.length <= 500);
        assert.deepEqual(Object.keys(error).sort(), ['code', 'httpStatus', 'message', 'source']);
      }),
      3000,
    );
  });

  test('does not throw for JSON that is nested 400,000 levels deep', () => {
    assert.equal(readWireError(500, `${'['.repeat(400_000)}${']'.repeat(400_000)}`).code, 'internal');
  });
});

test('writeWireError returns a body from which readWireError returns the same code and message', () => {
  const [code, message] = ['failed_precondition', 'the method is not available'] as const;
  const expected = { httpStatus: 400, code, message, source: 'body' };
  assert.deepEqual(readWireError(httpStatusOf(code), writeWireError(code, message)), expected);
});

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

  test('returns undefined for any other value', () => {
    for (const value of [0, 17, 503, 1.5, NaN, 'OK', '', '13 ', 'constructor', null, {}, ['internal']])
      assert.equal(readStatusCode(value), undefined);
  });
});

suite('httpStatusOf', () => {
  for (const [, code, , , status] of codes)
    test(`returns ${status} for ${code}`, () => assert.equal(httpStatusOf(code), status));
});

suite('codeOfHttpStatus', () => {
  for (const [code, statuses] of [
    ['invalid_argument', [400]],
    ['unauthenticated', [401]],
    ['permission_denied', [403]],
    ['unimplemented', [404, 405, 415, 501]],
    ['deadline_exceeded', [408, 504]],
    ['aborted', [409]],
    ['resource_exhausted', [413, 429]],
    ['canceled', [499]],
    ['internal', [500]],
    ['unavailable', [502, 503]],
    ['unknown', [302, 418, 599, 0]],
  ] as const)
    test(`returns ${code} for ${statuses.join(', ')}`, () => {
      for (const status of statuses) assert.equal(codeOfHttpStatus(status), code);
    });
});
