import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type CreateInvoiceRequest } from '../../../src/service-api.ts';
import { createdInvoice, json, scriptedClient } from '../../support/scripted-service-client.ts';

const request: CreateInvoiceRequest = { amount: '1500.00', mode: 'TEST', external_id: 'att_1' };
const completeRequest: CreateInvoiceRequest = {
  ...request,
  payment_method_id: 'pm_1',
  url_config: { hook_url: 'https://shop.example/hook', fail_url: undefined },
  metadata: { order: 'o1', nothing: null, list: [1, 'два'] },
  qr: { generate: true, timeout: '2s' },
};

suite('the HTTP request of the client', () => {
  const calls = [
    ['CreateInvoice', json(200, createdInvoice)],
    ['FetchPaymentOptions', json(200, { options: [] })],
    ['FetchInvoices', json(200, { invoices: [] })],
  ] as const;
  for (const [operation, response] of calls)
    test(`is one POST of JSON with the token for ${operation}, and does not follow redirects`, async () => {
      const { service, sentRequests } = scriptedClient([response], { baseUrl: 'https://invoices.example/base/' });
      if (operation === 'CreateInvoice') await service.createInvoice(request);
      if (operation === 'FetchPaymentOptions') await service.fetchPaymentOptions('1');
      if (operation === 'FetchInvoices') await service.fetchInvoices(['inv_1']);
      assert.equal(sentRequests.length, 1);
      assert.equal(
        sentRequests[0]?.url,
        `https://invoices.example/base/api/public/invoice.v1.PubInvoiceService/${operation}`,
      );
      assert.equal(sentRequests[0].method, 'POST');
      assert.equal(sentRequests[0].redirect, 'manual');
      assert.equal(sentRequests[0].headers.get('content-type'), 'application/json');
      assert.equal(sentRequests[0].headers.get('authorization'), 'Bearer token-of-the-merchant');
    });

  test('has the unchanged CreateInvoice request as its body, without members that are undefined', async () => {
    const { service, sentRequests } = scriptedClient([json(200, createdInvoice)]);
    await service.createInvoice(completeRequest);
    assert.deepEqual(sentRequests[0]?.body, {
      amount: '1500.00',
      mode: 'TEST',
      external_id: 'att_1',
      payment_method_id: 'pm_1',
      url_config: { hook_url: 'https://shop.example/hook' },
      metadata: { order: 'o1', nothing: null, list: [1, 'два'] },
      qr: { generate: true, timeout: '2s' },
    });
  });

  test('has an amount for FetchPaymentOptions only when the caller names one', async () => {
    const { service, sentRequests } = scriptedClient([json(200, {})]);
    await service.fetchPaymentOptions('1500.00');
    await service.fetchPaymentOptions(undefined);
    assert.deepEqual(
      sentRequests.map(({ text }) => text),
      ['{"amount":"1500.00"}', '{}'],
    );
  });

  test('is not sent for a create without a mode, because the mode would be LIVE', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([json(200, createdInvoice)]);
    const error = await failureOf(service.createInvoice({ amount: '1500.00', external_id: 'att_1' }));
    assert.deepEqual([error.failure, error.code, sentRequests.length], ['refused', 'invalid_argument', 0]);
  });

  test('is not sent for an empty list of identifiers', async () => {
    const { service, sentRequests } = scriptedClient([json(200, { invoices: [{ id: 'inv_9' }] })]);
    assert.deepEqual(await service.fetchInvoices([]), []);
    assert.equal(sentRequests.length, 0);
  });
});

suite('createInvoice', () => {
  test('returns the invoice, without members that the contract does not have', async () => {
    const { service, clock } = scriptedClient([
      json(200, { ...createdInvoice, card: { card_number: '4242424242424242' }, new: 1 }),
    ]);
    const invoice = await service.createInvoice(request);
    assert.deepEqual(invoice, { ...createdInvoice, card: { card_number: '4242424242424242' } });
    assert.equal(clock.pending, 0);
  });
  test('returns an invoice that does not echo the external_id', async () => {
    const { service } = scriptedClient([json(200, { id: 'inv_1', amount: '1500.00' })]);
    assert.equal((await service.createInvoice(request)).id, 'inv_1');
  });
  test('fails with ambiguous when the returned invoice has another external_id', async () => {
    const { service, failureOf } = scriptedClient([json(200, { ...createdInvoice, external_id: 'att_2' })]);
    assert.equal((await failureOf(service.createInvoice(request))).failure, 'ambiguous');
  });
});

suite('fetchPaymentOptions', () => {
  test('drops malformed options, returns the others, and logs the identifiers of the dropped ones', async () => {
    const options = [
      { id: 'pm_1', available: true },
      { id: 'pm_2', limits: { min_amount: 5 } },
      'card',
      { id: 'pm_3' },
    ];
    const { service, log } = scriptedClient([json(200, { options })]);
    assert.deepEqual(
      (await service.fetchPaymentOptions('1')).map(({ id }) => id),
      ['pm_1', 'pm_3'],
    );
    assert.deepEqual(
      log.map(({ event, facts }) => [event, facts['id'], facts['member']]),
      [
        ['invoice_service_item_dropped', 'pm_2', 'limits'],
        ['invoice_service_item_dropped', 'unreadable', 'not_of_the_contract'],
      ],
    );
  });
});

suite('fetchInvoices', () => {
  test('returns the requested invoices in the order of the response, and drops invoices that were not requested', async () => {
    const invoices = [{ id: 'inv_2', status: 'PAID' }, { id: 'inv_9' }, { status: 'PAID' }, { id: 'inv_1', status: 7 }];
    const { service } = scriptedClient([json(200, { invoices, total: 4 })]);
    const invoicesRead = await service.fetchInvoices(['inv_1', 'inv_2', 'inv_3']);
    assert.deepEqual(invoicesRead, [
      { id: 'inv_2', status: 'PAID' },
      { id: 'inv_1', status: '7' },
    ]);
  });
  test('treats a response without a list as an empty list', async () => {
    assert.deepEqual(await scriptedClient([json(200, {})]).service.fetchInvoices(['inv_1']), []);
  });
  test('logs an identifier only when it has the form of an invoice identifier', async () => {
    const invoices = [
      { id: 'inv_1', amount: 5 },
      { id: '+79001234567', amount: 5 },
      { id: 'x'.repeat(999), amount: 5 },
    ];
    const { service, log } = scriptedClient([json(200, { invoices })]);
    assert.deepEqual(await service.fetchInvoices(['inv_1']), [{ id: 'inv_1' }], 'the invoice has no status');
    assert.deepEqual(
      log.map(({ facts }) => facts['id']),
      ['inv_1', 'unreadable', 'unreadable'],
    );
  });
});
