import { checkoutIdOf } from '../../../src/server/domain/identifiers.ts';
import { decodeQrCode } from '../../../src/tools/conformance/decode-qr-code.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';
import { card, sbp } from '../../support/fake-invoice-service.ts';

test('a read of a pending checkout has the invoice with its remaining time, and without members that the service did not send', async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.invoiceChanges = {
    nspk_url: 'https://qr.nspk.ru/AS1?type=02&sum=150000&cur=RUB',
    bank: { code: 'b' },
  };
  await harness.createInvoice();
  await harness.advance(4000);
  const { checkout } = await harness.getCheckout();
  assert.equal(checkout.poll_after_ms, 2000);
  const { qr, checked_at: checkedAt, ...invoice } = checkout.invoice ?? {};
  const [attempt] = await harness.loadInvoices();
  assert.equal(Date.parse(checkedAt ?? ''), attempt?.checkedAt);
  assert.equal(qr && decodeQrCode(qr), 'https://qr.nspk.ru/AS1?type=02&sum=150000&cur=RUB');
  assert.deepEqual(invoice, {
    id: 'inv_1',
    payment_method_id: 'pm_card',
    external_id: harness.service.createRequests[0]?.external_id,
    amount: '1500.00',
    payment_url: 'https://pay.example/inv_1',
    nspk_url: 'https://qr.nspk.ru/AS1?type=02&sum=150000&cur=RUB',
    sbp: { phone: '+79990000000' },
    card: { holder_name: 'CANARY HOLDER', card_number: '2200000000000004' },
    bank: { code: 'b' },
    method: { type: 'CARD', name: 'Карта' },
    service_status: 'PENDING',
    expires_at: '2026-11-20T10:15:00.000Z',
    expires_in_ms: 896_000,
  });
});

test('a checkout has the members of its order, and has paid_at and no options once its invoice is paid', async () => {
  const expiresAt = Date.UTC(2026, 10, 20, 11);
  const harness = await TestCheckoutServer.open({ reference: 'A-17', expiresAt });
  const open = (await harness.getCheckout()).checkout;
  const order = {
    id: checkoutIdOf(harness.capability),
    amount: '1500.00',
    amount_limits: null,
    currency: 'RUB',
    description: 'Order 1',
    reference: 'A-17',
    expires_at: '2026-11-20T11:00:00.000Z',
    test: true,
    return_urls: { success_url: 'https://shop.example/thanks', fail_url: null },
    stale: false,
  };
  assert.deepEqual({ ...open, ...order }, open);
  assert.deepEqual([open.status, open.options, open.paid_at], ['open', [card, sbp], null]);
  await harness.createInvoice();
  harness.service.setStatus('PAID');
  await harness.advance(20_000);
  const { paid_at: paidAt, options } = (await harness.getCheckout()).checkout;
  assert.deepEqual([Date.parse(paidAt ?? ''), options], [harness.outcomes[0]?.occurredAt, []]);
});

test('a link of the service is in its QR code byte for byte', async () => {
  for (const nspk_url of [
    'https://qr.nspk.ru/AS%2f1a%2FB?Type=%30%32&name=Чай%20☕&x=%F0%9F%8D%B5&b=a+b~!*',
    'HTTPS://QR.NSPK.RU/AS10001?TYPE=01',
    'https://qr.nspk.ru/./a/../AS1?#Part',
    'https://оплата.рф/АБ?сорт=Ё',
  ]) {
    const harness = await TestCheckoutServer.open();
    harness.service.invoiceChanges = { nspk_url };
    const { invoice } = (await harness.createInvoice()).checkout;
    assert.equal(invoice?.qr && decodeQrCode(invoice.qr), nspk_url);
    assert.equal(invoice?.nspk_url, nspk_url);
  }
});

test('a link that no QR code can hold is shown without one', async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.invoiceChanges = { nspk_url: `https://qr.nspk.ru/${'x'.repeat(3000)}` };
  const { invoice } = (await harness.createInvoice()).checkout;
  assert.deepEqual([invoice?.nspk_url?.length, invoice?.qr], [3019, undefined]);
});

test('the options of an amount are fetched at most every 30 seconds, and once for concurrent reads', async () => {
  const harness = await TestCheckoutServer.open();
  await Promise.all(Array.from({ length: 20 }, () => harness.getCheckout()));
  await harness.advance(29_000);
  await harness.getCheckout();
  assert.deepEqual(harness.service.optionsRequests, ['1500.00']);
  await harness.advance(1001);
  await harness.getCheckout();
  assert.equal(harness.service.optionsRequests.length, 2);
});

test('a read has the options and banks whose limits include the amount of the order', async () => {
  const harness = await TestCheckoutServer.open();
  const limits = { min_amount: '1', max_amount: '1499.99' };
  const bank = { code: 'a', name: 'A', available: true, limits: { min_amount: '1500.00' } };
  harness.service.options = [
    { ...card, banks: [bank, { ...bank, code: 'b', limits }] },
    { ...sbp, limits },
  ];
  assert.deepEqual((await harness.getCheckout()).checkout.options, [{ ...card, banks: [bank] }]);
});

test('options are fetched for the amount in the query only when the order has no amount, and only for an amount that it allows', async () => {
  const typedAmountServer = await TestCheckoutServer.open({ amount: null, amountLimits: { minAmount: '50' } });
  for (const query of ['', '?amount=100.00', '?amount=49.99']) await typedAmountServer.getCheckout({}, query);
  assert.deepEqual(typedAmountServer.service.optionsRequests, [undefined, '100.00']);
  const fixedAmountServer = await TestCheckoutServer.open();
  await fixedAmountServer.getCheckout({}, '?amount=1.00');
  assert.deepEqual(fixedAmountServer.service.optionsRequests, ['1500.00']);
});

test('during an outage of the service, a read is answered with 503 while the options are unknown, and later with known options as stale', async () => {
  const harness = await TestCheckoutServer.open();
  harness.service.outage = { kind: 'fails', failure: 'unavailable' };
  const responseInOutage = await harness.getCheckout();
  assert.equal(responseInOutage.status, 503);
  assert.equal(responseInOutage.problem.code, 'try_again');
  assert.ok(Number(responseInOutage.headers.get('retry-after')) >= 1);
  harness.service.outage = undefined;
  await harness.advance(2000);
  assert.equal((await harness.getCheckout()).checkout.stale, false);
  harness.service.outage = { kind: 'fails', failure: 'unavailable' };
  await harness.advance(60_000);
  const { checkout } = await harness.getCheckout();
  assert.equal(checkout.stale, true);
  assert.equal(checkout.options.length, 2);
});

for (const [field, link, isShown] of [
  ['payment_url', 'https://pay.example/1', true],
  ['payment_url', 'http://pay.example/1', false],
  ['payment_url', 'http://shop.example:8081/1', true],
  ['nspk_url', 'http://pay.example/1', false],
  ['nspk_url', 'http://shop.example:8081/1', true],
  ['nspk_url', 'https://qr.nspk.ru/AS1', true],
  ['nspk_url', 'https://qr.nspk.ru/AS1?sum=150001', false],
  ['nspk_url', 'https://qr.nspk.ru/AS1?sum=150000&sum=1', false],
  ['nspk_url', 'https://qr.nspk.ru/AS1?sum=150000&cur=RUB', true],
  ['nspk_url', 'https://qr.nspk.ru/AS1?sum=150000&cur=643', true],
  ['nspk_url', 'https://qr.nspk.ru/AS1?cur=RUB&cur=USD', false],
  ['nspk_url', 'https://qr.nspk.ru/AS1?cur=', false],
  ['nspk_url', 'bank100000000111://qr', false],
] as const)
  test(`an invoice with the ${field} ${JSON.stringify(link)} is shown ${isShown ? 'with' : 'without'} it`, async () => {
    const harness = await TestCheckoutServer.open();
    harness.service.invoiceChanges = { [field]: link };
    await harness.createInvoice();
    assert.equal((await harness.getCheckout()).checkout.invoice?.[field], isShown ? link : undefined);
    assert.equal(harness.loggedEvents().includes('link_dropped'), !isShown);
  });

test('a link with http: is not shown on the own host either where the money is real', async () => {
  const harness = await TestCheckoutServer.open({}, { mode: 'LIVE', statuses: { paid: ['PAID'] } });
  harness.service.invoiceChanges = { payment_url: 'http://shop.example:8081/1' };
  await harness.createInvoice();
  assert.equal((await harness.getCheckout()).checkout.invoice?.payment_url, undefined);
  assert.ok(harness.loggedEvents().includes('link_dropped'));
});

for (const [currency, isShown] of [
  ['USD', true],
  [null, false],
] as const)
  test(`an NSPK link in USD is ${isShown ? '' : 'not '}shown for an order in ${currency ?? 'no currency'}`, async () => {
    const harness = await TestCheckoutServer.open({ currency }, { currencies: ['USD'] });
    harness.service.invoiceChanges = { nspk_url: 'https://qr.nspk.ru/AS1?cur=USD' };
    const { invoice } = (await harness.createInvoice()).checkout;
    assert.equal(invoice?.nspk_url !== undefined, isShown);
  });
