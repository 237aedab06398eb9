import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operationPath, operations } from '../../../src/service-api.ts';
import { read, TestSandbox, serviceRequest } from '../test-sandbox.ts';

const path = operationPath('FetchPaymentOptions');

describe('the HTTP endpoint of the service', () => {
  for (const operation of operations)
    it(`§4, §5 accepts ${operation} as a POST of JSON with a Bearer token`, async () => {
      const { status, headers } = await new TestSandbox().call(operation, { amount: '1', ids: [] });
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'application/json');
    });

  for (const authorization of ['', 'Bearer', 'Bearer wrong', 'Bearer test-token2', 'Basic test-token', 'test-token'])
    it(`§5 answers 401 to the authorization "${authorization}", and does not expose the token`, async () => {
      const { status, headers, json, text } = await new TestSandbox().call('CreateInvoice', {}, { authorization });
      assert.equal(status, 401);
      assert.equal(json['code'], 'unauthenticated');
      assert.equal(headers.get('www-authenticate'), 'Bearer');
      assert.doesNotMatch(text, /test-token/);
    });

  it('§5 accepts the authorization scheme in any letter case', async () => {
    const headers = { authorization: 'bearer test-token' };
    assert.equal((await new TestSandbox().call('FetchPaymentOptions', {}, headers)).status, 200);
  });

  for (const unknownPath of ['/api/public/invoice.v1.PubInvoiceService/createinvoice', '/api/public/'])
    it(`§4 answers 404 unimplemented for ${unknownPath}`, async () => {
      const { status, json } = await new TestSandbox().send('POST', unknownPath, {});
      assert.equal(status, 404);
      assert.equal(json['code'], 'unimplemented');
    });

  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
    it(`§4 answers 405 with Allow: POST to ${method}`, async () => {
      const { status, headers } = await new TestSandbox().send(method, path);
      assert.equal(status, 405);
      assert.equal(headers.get('allow'), 'POST');
    });

  for (const type of ['text/plain', 'application/proto', 'application/json; charset=utf-16', 'application/jsonx', ''])
    it(`§4 answers 415 to the content type "${type}"`, async () => {
      const { status, json } = await new TestSandbox().call('FetchPaymentOptions', {}, { 'content-type': type });
      assert.equal(status, 415);
      assert.match(JSON.stringify(json), /content-type/);
    });

  it('§4 accepts the charset UTF-8, and refuses a compressed body', async () => {
    const service = new TestSandbox();
    const charset = { 'content-type': 'Application/JSON; charset=UTF-8' };
    assert.equal((await service.call('FetchPaymentOptions', {}, charset)).status, 200);
    assert.equal((await service.call('FetchPaymentOptions', {}, { 'content-encoding': 'gzip' })).status, 415);
  });

  for (const { rule, body } of [
    { rule: 'an empty body', body: '' },
    { rule: 'half an object', body: '{"amount":' },
    { rule: 'text', body: 'amount=1' },
    { rule: 'null', body: 'null' },
    { rule: 'a list', body: '[]' },
    { rule: 'a string', body: '"x"' },
    { rule: 'a hundred thousand brackets', body: '['.repeat(100_000) },
    {
      rule: 'metadata that nests too deep',
      body: `{"amount":"1","metadata":${'{"a":'.repeat(101)}1${'}'.repeat(102)}`,
    },
  ])
    it(`§7 answers 400 invalid_argument to ${rule}`, async () => {
      const { status, json, message } = await new TestSandbox().call('CreateInvoice', body);
      assert.equal(status, 400);
      assert.equal(json['code'], 'invalid_argument');
      assert.match(message, rule.includes('brackets') || rule.includes('deep') ? /^body: nests deeper/ : /^body: /);
    });

  it('§7 answers 400 to bytes that are not UTF-8', async () => {
    const service = new TestSandbox();
    const request = new Request(serviceRequest('CreateInvoice', ''), { body: new Uint8Array([0x7b, 0xff, 0x7d]) });
    const { status, message } = await read(await service.sandbox.fetch(request));
    assert.equal(status, 400);
    assert.match(message, /UTF-8/);
  });

  it('accepts a body of 1 MiB, and answers 413 to a body that is one byte longer', async () => {
    const service = new TestSandbox();
    const body = (size: number): string => '{"amount":"100"}'.padEnd(size, ' ');
    assert.equal((await service.call('FetchPaymentOptions', body(2 ** 20))).status, 200);
    const { status, json } = await service.call('FetchPaymentOptions', body(2 ** 20 + 1));
    assert.equal(status, 413);
    assert.equal(json['code'], 'resource_exhausted');
  });

  it('logs no token, no requisites, no identifier of an invoice and no path of a webhook URL', async () => {
    const service = new TestSandbox({ sendWebhook: () => Promise.resolve(new Response(null, { status: 500 })) });
    const url_config = { hook_url: 'http://shop.test/secret-path' };
    const id = await service.createId({ external_id: 'ext', payment_method_id: 'pm_sbp', url_config });
    await service.send('POST', `/sandbox/invoices/${id}/pay`);
    await service.clock.advance(10);
    assert.ok(service.log.length > 0);
    assert.doesNotMatch(service.log.join('\n'), /test-token|secret-path|\+7000|Получатель|inv_/);
  });
});
