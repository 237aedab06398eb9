import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createMetrics } from '../../../src/server.ts';
import { createdInvoice, json, scriptedClient } from '../../support/scripted-service-client.ts';

const request = { amount: '1500.00', mode: 'TEST', external_id: 'att_1' } as const;

async function fetchedWith(members: object) {
  const client = scriptedClient([json(200, { invoices: [{ id: 'inv_1', ...members }] })]);
  const invoices = [await client.service.fetchInvoices(['inv_1']), await client.service.fetchInvoices(['inv_1'])];
  return { invoice: invoices[0]?.[0], log: client.log };
}

suite('a fetched invoice', () => {
  for (const [name, members] of [
    ['no status', {}],
    ['the status null', { status: null }],
    ['an empty status', { status: '' }],
  ] as const)
    test(`with ${name} is one error in the log, however often it is fetched`, async () => {
      const { invoice, log } = await fetchedWith(members);
      assert.equal(invoice?.status, undefined);
      assert.deepEqual(log, [
        {
          level: 'error',
          event: 'invoice_service_member_dropped',
          facts: { operation: 'FetchInvoices', member: 'status', shape: 'missing' },
        },
      ]);
    });
  test('with malformed members keeps the others, and each shape is one line of the log', async () => {
    const { invoice, log } = await fetchedWith({
      status: 'PAID',
      expires_at: 1_790_000_000,
      bank: { id: ['x'], code: 'b' },
      payment_url: { href: 'https://pay.example' },
    });
    assert.deepEqual([invoice?.status, invoice?.bank?.code], ['PAID', 'b']);
    assert.deepEqual(
      log.map(({ facts }) => [facts['member'], facts['shape']]),
      [
        ['payment_url', 'object'],
        ['expires_at', 'number'],
        ['bank.id', 'array'],
      ],
    );
  });
  test('with U+0000 in its status has no status, because PostgreSQL could not store it', async () => {
    const { invoice, log } = await fetchedWith({ status: 'PA\0ID' });
    assert.deepEqual([invoice?.id, invoice?.status], ['inv_1', undefined]);
    assert.deepEqual(log[0]?.facts, { operation: 'FetchInvoices', member: 'status', shape: 'string' });
  });
  test('without malformed members leaves no line in the log', async () => {
    const { log } = await fetchedWith({ status: 'PENDING', external_id: '', metadata: { a: null }, unknown: 1 });
    assert.deepEqual(log, []);
  });
});

suite('a created invoice', () => {
  test('with a card number that is a number has no card to pay to, one error in the log and a metric', async () => {
    const metrics = createMetrics();
    const card = { holder_name: 'H', card_number: 2_200_000_000_000_004 };
    const { service, log } = scriptedClient([json(200, { ...createdInvoice, card, sbp: { phone: '+7' } })], {
      metrics,
    });
    const invoice = await service.createInvoice(request);
    await service.createInvoice(request);
    assert.deepEqual([invoice.card, invoice.sbp], [undefined, { phone: '+7' }]);
    assert.deepEqual(
      log.map(({ level, facts }) => [level, facts]),
      [['error', { operation: 'CreateInvoice', member: 'card.card_number', shape: 'number' }]],
    );
    assert.match(
      await metrics.expose(),
      /^pay_invoice_service_members_dropped_total\{operation="CreateInvoice",member="card.card_number"\} 2$/m,
    );
  });
  test('with U+0000 in its id is unreadable, and the create stays in doubt', async () => {
    const { service, failureOf } = scriptedClient([json(200, { ...createdInvoice, id: 'inv_\0' })]);
    assert.equal((await failureOf(service.createInvoice(request))).failure, 'ambiguous');
  });
});

test('a bank without a code is dropped from its method with one warning', async () => {
  const option = { id: 'pm_1', available: true, banks: [{ code: 'a' }, { name: 'b' }] };
  const { service, log } = scriptedClient([json(200, { options: [option] })]);
  const [first] = await service.fetchPaymentOptions(undefined);
  assert.equal(first?.banks.length, 1);
  assert.deepEqual(
    log.map(({ level, facts }) => [level, facts['member']]),
    [['warn', 'banks[]']],
  );
});
