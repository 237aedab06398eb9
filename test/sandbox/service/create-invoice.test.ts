import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { assertSameTime } from '../../support/fake-clock.ts';
import { idOf, objectIn, TestSandbox, type Json } from '../test-sandbox.ts';

describe('CreateInvoice', () => {
  it('§2.1 returns every field that is not optional, and links to the payment page', async () => {
    const service = new TestSandbox();
    const invoice = await service.create({ external_id: 'order-1' });
    const id = idOf(invoice);
    assert.match(id, /^inv_[0-9a-z]+$/);
    assert.deepEqual(invoice, {
      id,
      user_id: 'usr_sandbox0000000000001',
      external_id: 'order-1',
      payment_url: `http://sandbox.test/pay/${id}`,
      amount: '1500.00',
      expires_at: '2026-11-20T10:15:00.000Z',
    });
  });

  for (const amount of ['1500', '1500.0', '1500.00', '0.01', '007.50', '99999999999999999999.99', '10.500', '1500.125'])
    it(`§2 echoes the amount ${amount} byte for byte`, async () => {
      const service = new TestSandbox();
      const invoice = await service.create({ amount });
      assert.equal(invoice['amount'], amount);
      assert.equal((await service.fetchOne(idOf(invoice)))['amount'], amount);
    });

  for (const { method, field, keys } of [
    { method: 'pm_sbp', field: 'sbp', keys: ['account', 'holder_name', 'phone'] },
    { method: 'pm_card', field: 'card', keys: ['account', 'card_number', 'holder_name'] },
    { method: 'pm_bank_transfer', field: 'bank_transfer', keys: ['account', 'bik', 'holder_name'] },
  ])
    it(`§2.1 gives ${field} and a bank for ${method}, and no other requisites`, async () => {
      const invoice = await new TestSandbox().create({ payment_method_id: method });
      const requisiteNames = ['sbp', 'card', 'bank_transfer', 'bank'].filter((name) => name in invoice);
      assert.deepEqual(requisiteNames, [field, 'bank']);
      assert.deepEqual(Object.keys(objectIn(invoice[field])).sort(), keys);
      assert.deepEqual(Object.keys(objectIn(invoice['bank'])), ['id', 'code', 'name']);
    });

  it('§4.1 gives no requisites and no bank when no payment method is chosen', async () => {
    const invoice = await new TestSandbox().create();
    for (const name of ['sbp', 'card', 'bank_transfer', 'bank', 'nspk_url']) assert.ok(!(name in invoice), name);
  });

  it('§4.1 rules 1 and 2: gives TEST invoices other requisites than LIVE ones, and treats an omitted mode as LIVE', async () => {
    const service = new TestSandbox();
    const createAndGetHolder = async (change: Json): Promise<unknown> => {
      const { card } = await service.create({ payment_method_id: 'pm_card', ...change });
      return objectIn(card)['holder_name'];
    };
    assert.equal(await createAndGetHolder({ mode: 'TEST' }), 'Тестовый Получатель Т.');
    assert.equal(await createAndGetHolder({ mode: 'LIVE' }), 'Песочный Получатель П.');
    assert.equal(await createAndGetHolder({}), 'Песочный Получатель П.');
  });

  for (const { qr, hasLink } of [
    { qr: null, hasLink: false },
    { qr: {}, hasLink: false },
    { qr: { generate: false }, hasLink: false },
    { qr: { timeout: '4s' }, hasLink: false },
    { qr: { generate: true }, hasLink: true },
  ])
    it(`§4.1 rule 3: qr ${JSON.stringify(qr)} gives ${hasLink ? 'an' : 'no'} nspk_url`, async () => {
      assert.equal('nspk_url' in (await new TestSandbox().create({ qr })), hasLink);
    });

  it('§2.1 returns an nspk_url in the format of a real link, with the address of the sandbox', async () => {
    const { nspk_url } = await new TestSandbox().create({ amount: '1500.5', qr: { generate: true } });
    const link = /^http:\/\/sandbox\.test\/qr\/AD[0-9A-Z]{30}\?type=02&bank=\d{12}&sum=150050&cur=RUB&crc=[0-9A-F]{4}$/;
    assert.match(z.string().parse(nspk_url), link);
  });

  for (const { generation, timeout, waits } of [
    { generation: 150, timeout: undefined, waits: 150 },
    { generation: 4000, timeout: undefined, waits: 4000 },
    { generation: 250, timeout: '0.250s', waits: 250 },
    { generation: 6000, timeout: '10s', waits: 6000 },
  ])
    it(`§8 waits ${waits} ms for a QR code that takes ${generation} ms with timeout ${timeout ?? 'default'}`, async () => {
      const service = new TestSandbox({ qrGenerationMs: generation });
      const before = service.clock.now();
      const invoice = await service.create({ qr: { generate: true, ...(timeout !== undefined && { timeout }) } });
      assert.ok('nspk_url' in invoice);
      assertSameTime(service.clock.now() - before, waits);
    });

  for (const { generation, timeout, waits } of [
    { generation: 4001, timeout: undefined, waits: 4000 },
    { generation: 251, timeout: '0.25s', waits: 250 },
    { generation: 150, timeout: '0s', waits: 0 },
  ])
    it(`§4.1 rule 4, §7: answers 503 internal after ${waits} ms, without an invoice, when a QR code takes ${generation} ms with timeout ${timeout ?? 'default'}`, async () => {
      const service = new TestSandbox({ qrGenerationMs: generation });
      const before = service.clock.now();
      const qr = { generate: true, ...(timeout !== undefined && { timeout }) };
      const { status, json, message } = await service.call('CreateInvoice', { amount: '1', external_id: 'o-1', qr });
      assert.equal(status, 503);
      assert.equal(json['code'], 'internal');
      assert.match(message, /^qr: /);
      assertSameTime(service.clock.now() - before, waits);
      assert.deepEqual((await service.send('GET', '/sandbox/invoices')).json, { invoices: [] });
    });

  for (const { rule, body, code = 'invalid_argument', field } of [
    { rule: 'an amount that is missing', body: { amount: null }, field: 'amount' },
    { rule: 'an amount that is a number', body: { amount: 1500 }, field: 'amount' },
    { rule: 'an amount of zero', body: { amount: '0.00' }, field: 'amount' },
    { rule: 'a negative amount', body: { amount: '-5' }, field: 'amount' },
    { rule: 'a fifth fraction digit, which no currency has', body: { amount: '1.00001' }, field: 'amount' },
    { rule: 'an external_id that is not a string', body: { external_id: 5 }, field: 'external_id' },
    { rule: 'metadata that is a string', body: { metadata: 'x' }, field: 'metadata' },
    { rule: 'a url_config that is not an object', body: { url_config: 'x' }, field: 'url_config' },
    { rule: 'a fail_url that is not a URL', body: { url_config: { fail_url: 'no' } }, field: 'url_config.fail_url' },
    { rule: 'a duration that is a number', body: { qr: { timeout: 4 } }, field: 'qr.timeout' },
    { rule: 'a negative duration', body: { qr: { timeout: '-1s' } }, field: 'qr.timeout' },
    { rule: 'an unknown payment method', body: { payment_method_id: 'pm_none' }, field: 'payment_method_id' },
    {
      rule: 'a payment method that is not available',
      body: { payment_method_id: 'pm_foreign_card' },
      code: 'failed_precondition',
      field: 'payment_method_id',
    },
    {
      rule: 'an amount under the method’s limit by one kopeck',
      body: { payment_method_id: 'pm_card', amount: '99.99' },
      code: 'out_of_range',
      field: 'amount',
    },
    {
      rule: 'an amount over the method’s limit by one kopeck',
      body: { payment_method_id: 'pm_card', amount: '300000.01' },
      code: 'out_of_range',
      field: 'amount',
    },
  ])
    it(`§7 refuses ${rule} with 400 ${code} and a message that names ${field}`, async () => {
      const service = new TestSandbox();
      const { status, json, message } = await service.call('CreateInvoice', { amount: '1500.00', ...body });
      assert.equal(status, 400);
      assert.equal(json['code'], code);
      assert.ok(message.startsWith(`${field}: `), message);
      assert.deepEqual((await service.send('GET', '/sandbox/invoices')).json, { invoices: [] });
    });

  for (const amount of ['100.00', '100', '300000.00', '300000'])
    it(`§8 accepts ${amount} for a card, because limits are inclusive`, async () => {
      assert.ok('card' in (await new TestSandbox().create({ payment_method_id: 'pm_card', amount })));
    });

  it('treats members that are null as missing, and ignores unknown members', async () => {
    const invoice = await new TestSandbox().create({ external_id: null, mode: null, url_config: null, future: 1 });
    assert.equal(invoice['external_id'], '');
  });

  for (const { mode, rule } of [
    { mode: 'new', rule: 'a new invoice' },
    { mode: 'same', rule: 'the first invoice' },
    { mode: 'conflict', rule: '409 already_exists' },
  ] as const)
    it(`returns ${rule} for a repeated external_id in the mode "${mode}"`, async () => {
      const service = new TestSandbox({ repeatedExternalId: mode });
      const first = await service.create({ external_id: 'o-1' });
      const other = await service.create({ external_id: 'o-2' });
      assert.notEqual(idOf(first), idOf(other));
      const { status, json, message } = await service.call('CreateInvoice', { amount: '2000.00', external_id: 'o-1' });
      const listed = await service.send('GET', '/sandbox/invoices');
      assert.equal(z.array(z.unknown()).parse(listed.json['invoices']).length, mode === 'new' ? 3 : 2);
      if (mode === 'conflict') {
        assert.equal(status, 409);
        assert.equal(json['code'], 'already_exists');
        assert.match(message, /^external_id: /);
      } else {
        assert.equal(idOf(json) === idOf(first), mode === 'same');
        assert.equal(json['amount'], mode === 'same' ? '1500.00' : '2000.00');
      }
    });

  it('returns the first of several invoices for a repeated external_id in the mode "same"', async () => {
    const service = new TestSandbox();
    const first = await service.createId({ external_id: 'o-1' });
    await service.create({ external_id: 'o-1' });
    await service.send('PUT', '/sandbox/settings', { repeated_external_id: 'same' });
    assert.equal(await service.createId({ external_id: 'o-1' }), first);
  });

  it('creates a new invoice for each request without an external_id, even in the mode "same"', async () => {
    const service = new TestSandbox({ repeatedExternalId: 'same' });
    assert.notEqual(await service.createId(), await service.createId());
    assert.notEqual(await service.createId({ external_id: '' }), await service.createId({ external_id: '' }));
  });

  it('creates one invoice for two concurrent requests with one external_id in the mode "same"', async () => {
    const service = new TestSandbox({ repeatedExternalId: 'same' });
    const body = { external_id: 'o-1', qr: { generate: true } };
    const [a, b] = await Promise.all([service.createId(body), service.createId(body)]);
    assert.equal(a, b);
  });
});
