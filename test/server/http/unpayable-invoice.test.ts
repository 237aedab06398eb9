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
    ['a link that is not https, and no requisites', { payment_url: 'http://pay.example/1' }],
    ['a QR link with another amount, and no requisites', { nspk_url: 'https://qr.nspk.ru/A?sum=1' }],
    ['a name without phone and account', { sbp: { holder_name: 'Иван И.' } }],
    ['only a bank', { bank: { name: 'Bank' } }],
    ['a card number of spaces', { card: { card_number: '  ' } }],
    ['a BIK without an account', { bank_transfer: { bik: '044525225' } }],
  ];
  for (const [name, members] of cases)
    test(`with ${name} is answered with method_unavailable, logged as an error, stored and polled`, async () => {
      const harness = await TestCheckoutServer.open();
      harness.service.invoiceChanges = { ...nothingToPayWith, ...members };
      const { status, problem } = await harness.createInvoice();
      assert.equal(status, 422);
      assert.equal(problem.code, 'method_unavailable');
      assert.ok(harness.logEntries.some(({ level, event }) => level === 'error' && event === 'create_not_payable'));
      assert.equal((await harness.getCheckout()).checkout.invoice, null);
      const [attempt] = await harness.loadInvoices();
      assert.equal(attempt?.invoice.id, 'inv_1');
      harness.service.setStatus('PAID');
      await harness.advance(15_000);
      assert.deepEqual(harness.outcomeKinds(), ['paid']);
    });

  const waysToPay: readonly (readonly [string, Partial<CreatedInvoice>])[] = [
    ['a safe link', { payment_url: 'https://pay.example/1' }],
    ['a phone', { sbp: { phone: '+79000000000' } }],
    ['an account', { bank_transfer: { account: '40702810000000000001' } }],
  ];
  for (const [name, members] of waysToPay)
    test(`becomes payable with ${name}, and the create is answered with 201`, async () => {
      const harness = await TestCheckoutServer.open();
      harness.service.invoiceChanges = { ...nothingToPayWith, ...members };
      assert.equal((await harness.createInvoice()).status, 201);
    });
});

for (const [name, expires_at] of Object.entries({
  'the zero of a Unix time': '1970-01-01T00:00:00Z',
  'the zero of a date type': '0001-01-01T00:00:00Z',
  'an hour before the request': '2026-11-20T09:00:00Z',
  'without a zone': '2026-11-20T10:15:00',
}))
  test(`a deadline that is ${name} is an error in the log, and ends no invoice`, async () => {
    const harness = await TestCheckoutServer.open();
    harness.service.invoiceChanges = { expires_at };
    const { checkout } = await harness.createInvoice();
    assert.equal(checkout.invoice?.expires_at, undefined);
    assert.ok(harness.logEntries.some(({ level, event }) => level === 'error' && event === 'deadline_unreadable'));
    await harness.advance(120_000);
    assert.equal((await harness.getCheckout()).checkout.status, 'pending');
    assert.deepEqual(harness.outcomes, []);
  });

test('twenty concurrent creates cause no warning of Node', async () => {
  const warnings: string[] = [];
  const addWarning = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', addWarning);
  try {
    const harness = await TestCheckoutServer.open();
    const hold = { kind: 'hangs', until: new Promise<void>(() => undefined) } as const;
    for (let number = 2; number <= 21; number += 1) {
      harness.id = await harness.createCheckout({ orderId: `order-${number}` });
      harness.service.createFaults.push(hold);
      void harness.createInvoice({ key: `key-${number}` });
    }
    await harness.advance(1000);
    assert.equal(harness.service.createRequests.length, 20);
    await new Promise((resolve) => setImmediate(resolve)); // warnings are emitted in a later turn
    assert.deepEqual(warnings, []);
  } finally {
    process.off('warning', addWarning);
  }
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
