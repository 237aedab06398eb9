import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorFields, shopErrorFields, standardErrorLog } from '../../../src/server/ports/log.ts';
import { failure } from '../../support/fake-invoice-service.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

test('the log contains no requisites, names, phones, links, capabilities, secrets or messages of unknown errors', async () => {
  const harness = await TestCheckoutServer.open({ description: 'CANARY DESCRIPTION' });
  harness.service.invoiceChanges = {
    nspk_url: 'https://qr.nspk.ru/CANARY?sum=1',
    payment_url: 'http://pay.example/CANARY',
    bank: { name: 'CANARY BANK' },
  };
  harness.onOutcome = () => Promise.reject(new Error('the shop is closed'));
  await harness.createInvoice();
  await harness.createInvoice({ key: 'CANARY-KEY', method: 'pm_sbp', replace: true });
  harness.service.createFaults.push({ kind: 'lost' }, { kind: 'fails', failure: 'refused', code: 'invalid_argument' });
  await harness.createInvoice({ key: 'key-3', replace: true });
  await harness.advance(60_000); // the create in doubt is repeated, and refused
  harness.service.invoiceChanges = { amount: '1.00' };
  await harness.createInvoice({ key: 'key-4', replace: true });
  await harness.createInvoice({ key: 'key-5', replace: true });
  harness.service.setStatus('PAID', 'inv_1');
  harness.service.setStatus('FAILED', 'inv_2');
  await harness.sendWebhook();
  harness.service.fetchFaults.push({ kind: 'fails', failure: 'unavailable' });
  await harness.advance(120_000);
  harness.store.load = () => Promise.reject(new Error('CANARY +79990000000 in a row'));
  await harness.getCheckout();
  const secret = harness.service.createRequests[0]?.url_config?.hook_url?.split('/').at(-1) ?? assert.fail('no hook');
  const text = JSON.stringify(harness.logEntries);
  assert.ok(harness.logEntries.length > 20);
  for (const canary of ['CANARY', '79990000000', '2200000000000004', harness.capability, secret, 'pay.example'])
    assert.ok(!text.includes(canary), `${canary} is in the log`);
  for (const event of ['link_dropped', 'create_not_shown', 'outcome_paid', 'outcome_not_delivered', 'internal'])
    assert.ok(harness.loggedEvents().includes(event), event);
  assert.ok(text.includes(harness.id), 'the lines of a checkout have the same identifier');
});

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
