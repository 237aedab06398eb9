import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { objectIn, TestSandbox } from '../test-sandbox.ts';

describe('FetchInvoices', () => {
  it('§2.2 returns every field of an invoice that was created with every field', async () => {
    const service = new TestSandbox();
    const id = await service.createId({
      external_id: 'order-1',
      payment_method_id: 'pm_bank_transfer',
      mode: 'TEST',
      metadata: { cart: 7 },
    });
    const { bank, ...invoice } = await service.fetchOne(id);
    assert.deepEqual(invoice, {
      id,
      merchant_id: 'mrc_sandbox0000000000001',
      external_id: 'order-1',
      payment_url: `http://sandbox.test/pay/${id}`,
      amount: '1500.00',
      status: 'PENDING',
      metadata: { cart: 7 },
      created_at: '2026-11-20T10:00:00.000Z',
      expires_at: '2026-11-20T10:15:00.000Z',
      payment_method_id: 'pm_bank_transfer',
    });
    assert.deepEqual(Object.keys(objectIn(bank)), ['id', 'code']);
  });

  it('§2.2 leaves out external_id, metadata and payment_method_id when none was given', async () => {
    const service = new TestSandbox();
    const invoice = await service.fetchOne(await service.createId());
    for (const name of ['external_id', 'metadata', 'payment_method_id', 'bank']) assert.ok(!(name in invoice), name);
  });

  it('§4.1 keeps metadata unchanged: nulls, empty values, the order of members, names of built-in properties', async () => {
    const service = new TestSandbox();
    const metadata = '{"z":null,"a":{"b":[null,1.5,"é\\u2028"],"c":{}},"__proto__":{"x":1},"constructor":"y","":""}';
    const { text } = await service.call('CreateInvoice', `{"amount":"1","external_id":"m","metadata":${metadata}}`);
    assert.match(text, /"inv_/);
    const listResponse = await service.send('GET', '/sandbox/invoices?external_id=m');
    const { id = '' } = /"id":"(?<id>inv_\w+)"/.exec(listResponse.text)?.groups ?? {};
    const fetchResponse = await service.call('FetchInvoices', { ids: [id] });
    assert.ok(fetchResponse.text.includes(`"metadata":${metadata.replace('\\u2028', '\u2028')}`), fetchResponse.text);
  });

  it('§4.3 returns no invoices for an empty list of identifiers', async () => {
    const { status, text } = await new TestSandbox().call('FetchInvoices', { ids: [] });
    assert.equal(status, 200);
    assert.equal(text, '{"invoices":[]}');
  });

  it('§4.3 returns each invoice once in the order of the ids, and leaves out unknown ids', async () => {
    const service = new TestSandbox();
    const a = await service.createId();
    const b = await service.createId();
    const { json } = await service.call('FetchInvoices', { ids: [b, 'inv_unknown', a, b, ''] });
    assert.deepEqual(
      [json['invoices']].flat().map((invoice) => objectIn(invoice)['id']),
      [b, a],
    );
  });

  it('§4.3 refuses a list with a number with 400 invalid_argument and a message that names its place', async () => {
    const { status, json, message } = await new TestSandbox().call('FetchInvoices', { ids: ['inv_1', 5] });
    assert.equal(status, 400);
    assert.equal(json['code'], 'invalid_argument');
    assert.match(message, /^ids\.1: /);
  });
});
