import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { fault } from '../../../src/tools/sandbox/faults/fault-kinds.ts';
import { assertSameTime, settle } from '../../support/fake-clock.ts';
import { TestSandbox, objectIn } from '../test-sandbox.ts';

const createWithQr = { amount: '1500.00', payment_method_id: 'pm_sbp', qr: { generate: true } };

const parseString = (value: unknown): string => z.string().parse(value);

describe('qr_refused', () => {
  for (const { fault, status, text } of [
    { fault: {}, status: 400, text: /^\{"code":"\w+","message":".+"\}$/ },
    { fault: { status: 500 }, status: 500, text: /^\{"code":"\w+"/ },
    { fault: { status: 503, code: 'internal' }, status: 503, text: /^\{"code":"internal"/ },
    { fault: { shape: 'nested', status: 503, code: 'internal' }, status: 503, text: /^\{"error":\{"code":"internal"/ },
    { fault: { shape: 'empty', status: 422 }, status: 422, text: /^$/ },
    { fault: { shape: 'html', status: 502 }, status: 502, text: /^<!doctype html>/ },
  ])
    it(`answers a create with a QR code as ${JSON.stringify(fault)} describes, and creates no invoice`, async () => {
      const service = await TestSandbox.withFaults({ kind: 'qr_refused', ...fault });
      const refused = await service.call('CreateInvoice', createWithQr);
      assert.equal(refused.status, status);
      assert.match(refused.text, text);
      assert.deepEqual(await service.listInvoices(), []);
      assert.equal((await service.call('CreateInvoice', { ...createWithQr, qr: { generate: false } })).status, 200);
      assert.equal((await service.call('CreateInvoice', { amount: '1500.00' })).status, 200);
    });

  it('with a payment_method_id applies only to creates with this payment method', async () => {
    const service = await TestSandbox.withFaults({ kind: 'qr_refused', payment_method_id: 'pm_card' });
    assert.equal((await service.call('CreateInvoice', createWithQr)).status, 200);
    assert.equal((await service.call('CreateInvoice', { ...createWithQr, payment_method_id: 'pm_card' })).status, 400);
  });
});

describe('the conditions of a fault', () => {
  it('qr: true limits a fault to creates with a QR code, and only those are counted', async () => {
    const service = await TestSandbox.withFaults({ kind: 'status', status: 500, qr: true, times: 1 });
    assert.equal((await service.call('CreateInvoice', { amount: '1500.00' })).status, 200);
    assert.equal((await service.call('FetchPaymentOptions')).status, 200);
    assert.equal((await service.call('CreateInvoice', createWithQr)).status, 500);
    assert.equal((await service.call('CreateInvoice', createWithQr)).status, 200);
  });

  it('qr: false limits a fault to creates without a QR code', async () => {
    const service = await TestSandbox.withFaults({ kind: 'status', status: 500, qr: false });
    assert.equal((await service.call('CreateInvoice', createWithQr)).status, 200);
    assert.equal((await service.call('CreateInvoice', { amount: '1500.00' })).status, 500);
    assert.equal((await service.call('FetchInvoices', { ids: [] })).status, 200);
  });

  it('min_ids limits a fault to fetches of at least that many identifiers', async () => {
    const service = await TestSandbox.withFaults({
      operation: 'FetchInvoices',
      kind: 'status',
      status: 500,
      min_ids: 2,
    });
    assert.equal((await service.call('FetchInvoices', { ids: ['inv_1'] })).status, 200);
    assert.equal((await service.call('FetchInvoices', { ids: ['inv_1', 'inv_2'] })).status, 500);
    assert.equal((await service.call('FetchInvoices', 'not JSON')).status, 400);
  });
});

describe('the faults in the options of the sandbox', () => {
  it('apply from the first request on', async () => {
    const service = new TestSandbox({ faults: [fault.parse({ kind: 'status', status: 500 })] });
    assert.equal((await service.call('FetchPaymentOptions')).status, 500);
  });
});

describe('batch_refused', () => {
  it('without options refuses a fetch of two invoices with 400, and answers a fetch of one', async () => {
    const service = await TestSandbox.withFaults({ kind: 'batch_refused' });
    const id = await service.createId();
    assert.equal((await service.fetchOne(id))['id'], id);
    const refused = await service.call('FetchInvoices', { ids: [id, 'inv_2'] });
    assert.deepEqual([refused.status, refused.message.slice(0, 14)], [400, 'ids: at most 1']);
  });

  it('with max_ids and status refuses more identifiers than max_ids with this status', async () => {
    const service = await TestSandbox.withFaults({ kind: 'batch_refused', max_ids: 2, status: 413 });
    assert.equal((await service.call('FetchInvoices', { ids: ['1', '2'] })).status, 200);
    assert.equal((await service.call('FetchInvoices', { ids: ['1', '2', '3'] })).status, 413);
  });
});

describe('faults of creates', () => {
  it('late_create answers 504 without delay, and creates the invoice after `ms`', async () => {
    const service = await TestSandbox.withFaults({ kind: 'late_create', ms: 20_000, times: 1 });
    const before = service.clock.now();
    assert.equal((await service.call('CreateInvoice', { amount: '1500.00', external_id: 'a' })).status, 504);
    assertSameTime(service.clock.now(), before);
    await service.clock.advance(19_999);
    assert.deepEqual(await service.listInvoices(), []);
    await service.clock.advance(1);
    await settle();
    assert.deepEqual(
      (await service.listInvoices()).map((invoice) => invoice['external_id']),
      ['a'],
    );
  });

  it('duplicate_create gives a repeated external_id a new invoice, whatever the settings say', async () => {
    const service = await TestSandbox.withFaults({ kind: 'duplicate_create', times: 2 });
    await service.send('PUT', '/sandbox/settings', { repeated_external_id: 'same' });
    const first = await service.createId({ external_id: 'a' });
    const second = await service.createId({ external_id: 'a' });
    assert.notEqual(second, first);
    assert.equal(await service.createId({ external_id: 'a' }), first);
  });
});

describe('faults in the members of responses', () => {
  it('wrong_amount with once_paid sends its amount only when the invoice is paid', async () => {
    const service = await TestSandbox.withFaults({ kind: 'wrong_amount', amount: '1.00', once_paid: true });
    const { id, amount } = await service.create();
    assert.equal(amount, '1500.00');
    assert.equal((await service.fetchOne(parseString(id)))['amount'], '1500.00');
    await service.send('POST', `/sandbox/invoices/${parseString(id)}/pay`);
    assert.equal((await service.fetchOne(parseString(id)))['amount'], '1.00');
  });

  it('missing_fields leaves out all requisites and links by default', async () => {
    const service = await TestSandbox.withFaults({ kind: 'missing_fields' });
    const members = Object.keys(await service.create(createWithQr));
    assert.deepEqual(members, ['id', 'user_id', 'external_id', 'amount', 'expires_at', 'bank']);
  });

  it('missing_fields leaves out only the given members, and only at the given operation', async () => {
    const service = await TestSandbox.withFaults({
      kind: 'missing_fields',
      fields: ['sbp', 'expires_at'],
      operation: 'CreateInvoice',
    });
    const invoice = await service.create(createWithQr);
    assert.deepEqual(
      [invoice['sbp'], invoice['expires_at'], typeof invoice['payment_url']],
      [undefined, undefined, 'string'],
    );
    assert.equal(typeof (await service.fetchOne(parseString(invoice['id'])))['expires_at'], 'string');
  });

  for (const { format, expiry } of [
    { format: undefined, expiry: '2026-11-20T10:15:00.000' },
    { format: '+0300', expiry: '2026-11-20T13:15:00.000+0300' },
    { format: '+03', expiry: '2026-11-20T13:15:00.000+03' },
  ])
    it(`time_format ${format ?? 'without a format'} sends times such as ${expiry} in created and fetched invoices`, async () => {
      const service = await TestSandbox.withFaults({ kind: 'time_format', ...(format !== undefined && { format }) });
      const { id, expires_at } = await service.create({ metadata: { expires_at: 'mine' } });
      const fetched = await service.fetchOne(parseString(id));
      assert.deepEqual(
        [expires_at, fetched['expires_at'], fetched['metadata']],
        [expiry, expiry, { expires_at: 'mine' }],
      );
      assert.match(parseString(fetched['created_at']), /^2026-11-20T1\d:00:00\.000(\+03|\+0300)?$/);
    });

  it('empty_values sends "" for limits, names and codes, or for the members in `fields`', async () => {
    const service = await TestSandbox.withFaults({ kind: 'empty_values' });
    const { json } = await service.call('FetchPaymentOptions');
    const [option] = z.array(z.json()).parse(json['options']);
    const { id, code, name, limits, banks } = objectIn(option);
    assert.deepEqual([id, code, name, limits], ['pm_sbp', '', '', { min_amount: '', max_amount: '' }]);
    assert.equal(objectIn(z.array(z.json()).parse(banks)[0])['name'], '');
    const serviceWithFields = await TestSandbox.withFaults({ kind: 'empty_values', fields: ['external_id', 'phone'] });
    const { external_id, sbp, bank } = await serviceWithFields.create({ ...createWithQr, external_id: 'a' });
    assert.deepEqual([external_id, objectIn(sbp)['phone'], objectIn(bank)['name'] !== ''], ['', '', true]);
  });

  it('long_values makes names, or the texts in `fields`, as long as it says', async () => {
    const lengthOf = (value: unknown): number => z.string().parse(value).length;
    const service = await TestSandbox.withFaults({ kind: 'long_values', length: 501 });
    const { sbp, bank, id } = await service.create({ ...createWithQr, metadata: { name: 'mine' } });
    assert.deepEqual([objectIn(sbp)['holder_name'], objectIn(bank)['name']].map(lengthOf), [501, 501]);
    assert.deepEqual((await service.fetchOne(z.string().parse(id)))['metadata'], { name: 'mine' });
    const longLink = { kind: 'long_values', length: 1_000_000, fields: ['nspk_url'] };
    const serviceWithFields = await TestSandbox.withFaults(longLink);
    assert.equal(lengthOf((await serviceWithFields.create(createWithQr))['nspk_url']), 1_000_000);
  });

  it('banks_unavailable lists methods whose banks are all unavailable', async () => {
    const service = await TestSandbox.withFaults({ kind: 'banks_unavailable' });
    const { json } = await service.call('FetchPaymentOptions');
    const shape = z.array(z.object({ available: z.boolean(), banks: z.array(z.object({ available: z.boolean() })) }));
    const [first] = shape.parse(json['options']);
    assert.equal(first?.available, true);
    assert.ok(first.banks.length > 0 && first.banks.every(({ available }) => !available));
  });

  it('faults of different kinds combine, and of two faults of one kind the first applies', async () => {
    const service = await TestSandbox.withFaults(
      { kind: 'wrong_amount', amount: '1.00' },
      { kind: 'wrong_amount', amount: '2.00' },
      { kind: 'unknown_status', value: 'ON_HOLD' },
    );
    const invoice = await service.fetchOne(await service.createId());
    assert.deepEqual([invoice['amount'], invoice['status']], ['1.00', 'ON_HOLD']);
  });
});
