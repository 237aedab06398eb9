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

test('an event whose texts have line breaks is written as one line', (context) => {
  const writtenLines: string[] = [];
  context.mock.method(process.stderr, 'write', (line: string) => writtenLines.push(line) > 0);
  standardErrorLog('error', 'something_failed', { detail: 'one\ntwo\r\nthree' });
  context.mock.restoreAll();
  assert.equal(writtenLines.length, 1);
  assert.match(writtenLines[0] ?? '', /^[^\r\n]+\n$/);
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

test('every line is written to standard error as JSON, also of events of money, which have the level info', (context) => {
  const writtenLines: string[] = [];
  context.mock.method(process.stderr, 'write', (line: string) => writtenLines.push(line) > 0);
  standardErrorLog('info', 'something_happened', {});
  standardErrorLog('warn', 'something_failed', { count: 1 });
  context.mock.restoreAll();
  assert.match(writtenLines[0] ?? '', /"level":"info","event":"something_happened"/);
  assert.match(
    writtenLines[1] ?? '',
    /^\{"time":"\d{4}-[^"]+Z","level":"warn","event":"something_failed","count":1\}\n$/,
  );
});
