import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorFields, shopErrorFields, standardErrorLog } from '../../../src/server/ports/log.ts';
import { failure } from '../../support/fake-invoice-service.ts';

test('the fields of an error contain its stack frames, and its message only when the error is the package’s own', () => {
  const fields = errorFields(new TypeError('CANARY'));
  assert.equal(fields['error'], 'TypeError');
  assert.match(String(fields['at']), /log\.test/);
  assert.ok(!JSON.stringify(fields).includes('CANARY'));
  assert.deepEqual(errorFields('CANARY'), { error: 'string' });
  assert.deepEqual(errorFields(failure('refused', 'not_found', 404)), {
    error: 'the fake service: refused',
    failure: 'refused',
    code: 'not_found',
    http_status: 404,
  });
});

test('the error of the shop is logged whole: name, message, stack and every cause', () => {
  const root = new RangeError('the root');
  const error = new TypeError('relation "orders" does not exist', { cause: new Error('in between', { cause: root }) });
  const fields = shopErrorFields(error);
  assert.deepEqual([fields['error'], fields['message']], ['TypeError', 'relation "orders" does not exist']);
  assert.match(String(fields['stack']), /^TypeError: relation "orders" does not exist\n +at .*log\.test/);
  assert.match(String(fields['cause']), /^Error: in between\n[^]*\nRangeError: the root\n +at /);
  assert.deepEqual(shopErrorFields('no error'), { error: 'string', message: 'no error' });
  const cyclic = new Error('cyclic');
  cyclic.cause = cyclic;
  assert.equal(shopErrorFields(cyclic)['message'], 'cyclic');
});

test('every event is one line of JSON on standard error, also one with the level info and one with line breaks', (context) => {
  const lines: string[] = [];
  context.mock.method(process.stderr, 'write', (line: string) => lines.push(line) > 0);
  standardErrorLog('info', 'something_happened', { detail: 'one\ntwo\r\nthree', count: 1 });
  context.mock.restoreAll();
  assert.equal(lines.length, 1);
  assert.match(
    lines[0] ?? '',
    /^\{"time":"\d{4}-[^"]+Z","level":"info","event":"something_happened","detail":[^\r\n]+,"count":1\}\n$/,
  );
});
