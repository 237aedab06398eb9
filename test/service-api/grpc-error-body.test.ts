import fc from 'fast-check';
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { httpStatusOf, readStatusCode, readWireError, writeWireError, type StatusCode } from '../../src/service-api.ts';
import { holds } from '../support/properties.ts';

suite('readWireError', () => {
  const rows: readonly (readonly [string, number, string, StatusCode, 'body' | 'http_status', string])[] = [
    ['the Connect shape', 400, '{"code":"invalid_argument","message":"amount"}', 'invalid_argument', 'body', 'amount'],
    ['the google.rpc.Status shape', 503, '{"code":13,"message":"qr","details":[]}', 'internal', 'body', 'qr'],
    ['a code in capitals', 503, '{"code":"INTERNAL"}', 'internal', 'body', ''],
    ['a code that contradicts the HTTP status', 500, '{"code":"not_found"}', 'not_found', 'body', ''],
    [
      'additional unknown members',
      429,
      '{"code":8,"message":"slow","retry":{"in":5}}',
      'resource_exhausted',
      'body',
      'slow',
    ],
    ['null as code and message', 503, '{"code":null,"message":null}', 'unavailable', 'http_status', ''],
    ['an unknown number as the code', 503, '{"code":99,"message":"x"}', 'unavailable', 'http_status', 'x'],
    ['0 as the code', 500, '{"code":0}', 'internal', 'http_status', ''],
    ['an HTTP status as the code', 503, '{"code":503}', 'unavailable', 'http_status', ''],
    ['an object as the code', 500, '{"code":{}}', 'internal', 'http_status', ''],
    ['a number as the message', 500, '{"code":13,"message":5}', 'internal', 'body', ''],
    ['a body of HTML', 502, '<html><h1>502 Bad Gateway</h1></html>', 'unavailable', 'http_status', ''],
    ['an empty body', 504, '', 'deadline_exceeded', 'http_status', ''],
    ['a list as the body', 401, '[1,2]', 'unauthenticated', 'http_status', ''],
    ['null as the body', 500, 'null', 'internal', 'http_status', ''],
    ['a string as the body', 409, '"conflict"', 'aborted', 'http_status', ''],
    ['JSON that is cut short', 503, '{"code":"inter', 'unavailable', 'http_status', ''],
    ['an unknown HTTP status', 777, 'x', 'unknown', 'http_status', ''],
    ['a code inside the member __proto__', 500, '{"__proto__":{"code":"not_found"}}', 'internal', 'http_status', ''],
  ];
  for (const [name, httpStatus, body, code, source, message] of rows)
    test(`returns ${code} from the ${source === 'body' ? 'body' : 'HTTP status'}: ${name}`, () =>
      assert.deepEqual(readWireError(httpStatus, body), { httpStatus, code, message, source }));

  test('cuts a message to 500 characters', () => {
    assert.equal(readWireError(500, JSON.stringify({ code: 13, message: 'x'.repeat(9999) })).message.length, 500);
  });

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

suite('writeWireError', () => {
  test('returns a body from which readWireError returns the same code and message', () => {
    const body = writeWireError('failed_precondition', 'the method is not available');
    const status = httpStatusOf('failed_precondition');
    const message = 'the method is not available';
    assert.deepEqual(readWireError(status, body), {
      httpStatus: 400,
      code: 'failed_precondition',
      message,
      source: 'body',
    });
  });
});
