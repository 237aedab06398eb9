import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { CreatedInvoice } from '../../../src/service-api.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

const nothingToPayWith: Partial<CreatedInvoice> = {
  payment_url: undefined,
  nspk_url: undefined,
  sbp: undefined,
  card: undefined,
  bank_transfer: undefined,
};

suite('an invoice without any way to pay', () => {
  const cases: readonly (readonly [string, Partial<CreatedInvoice>])[] = [
    ['neither links nor requisites', {}],
    ['links that are not shown', { payment_url: 'http://pay.example/1', nspk_url: 'https://qr.nspk.ru/A?sum=1' }],
    ['a name without phone and account', { sbp: { holder_name: 'Иван И.' } }],
    ['a card number of spaces', { card: { card_number: '  ' } }],
    ['a BIK without an account', { bank_transfer: { bik: '044525225' }, bank: { name: 'Bank' } }],
  ];
  for (const [name, members] of cases)
    test(`with ${name} is refused again and again, logged as an error, stored and polled`, async () => {
      const harness = await TestCheckoutServer.open();
      harness.service.invoiceChanges = { ...nothingToPayWith, ...members };
      for (let repeat = 0; repeat < 3; repeat += 1)
        assert.equal((await harness.createInvoice()).problem.code, 'method_unavailable');
      assert.equal(harness.service.invoices.size, 1);
      assert.ok(harness.logEntries.some(({ level, event }) => level === 'error' && event === 'create_not_payable'));
      assert.equal((await harness.getCheckout()).checkout.invoice, null);
      harness.service.setStatus('PAID');
      await harness.advance(15_000);
      assert.deepEqual(harness.outcomeKinds(), ['paid']);
    });

  for (const members of [
    { payment_url: 'https://pay.example/1' },
    { sbp: { phone: '+79000000000' } },
    { bank_transfer: { account: '40702810000000000001' } },
  ] satisfies readonly Partial<CreatedInvoice>[])
    test(`becomes payable with ${JSON.stringify(members)}`, async () => {
      const harness = await TestCheckoutServer.open();
      harness.service.invoiceChanges = { ...nothingToPayWith, ...members };
      assert.equal((await harness.createInvoice()).status, 201);
    });
});

test('a deadline that has passed before the request is an error in the log, and ends no invoice', async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.invoiceChanges = { expires_at: '2026-11-20T09:00:00Z' };
  const { checkout } = await harness.createInvoice();
  assert.equal(checkout.invoice?.expires_at, undefined);
  assert.ok(harness.logEntries.some(({ level, event }) => level === 'error' && event === 'deadline_unreadable'));
  await harness.advance(120_000);
  assert.equal((await harness.getCheckout()).checkout.status, 'pending');
  assert.deepEqual(harness.outcomes, []);
});

test('twenty concurrent creates cause no warning of Node', async (context) => {
  const warn = context.mock.method(process, 'emitWarning', () => undefined);
  const harness = await TestCheckoutServer.open();
  const hold = { kind: 'hangs', until: new Promise<void>(() => undefined) } as const;
  for (let number = 2; number <= 21; number += 1) {
    harness.id = await harness.createCheckout({ orderId: `order-${number}` });
    harness.service.createFaults.push(hold);
    void harness.createInvoice({ key: `key-${number}` });
  }
  await harness.advance(1000);
  assert.equal(harness.service.createRequests.length, 20);
  assert.equal(warn.mock.callCount(), 0);
});

test('a method is offered even when all its banks are unavailable or out of their limits: only the service can refuse it', async () => {
  const harness = new TestCheckoutServer();
  const unavailableBank = { code: 'sber', available: false, limits: {} };
  const bankWithSmallLimit = { code: 'alfa', available: true, limits: { max_amount: '10.00' } };
  const option = { id: 'pm_sbp', type: 'SBP', available: true, limits: {} };
  harness.service.options = [
    { ...option, banks: [unavailableBank] },
    { ...option, id: 'pm_2', banks: [bankWithSmallLimit] },
  ];
  harness.id = await harness.createCheckout();
  const { checkout } = await harness.getCheckout();
  assert.deepEqual(checkout.options, [
    { ...option, banks: [unavailableBank] },
    { ...option, id: 'pm_2', banks: [] },
  ]);
});
