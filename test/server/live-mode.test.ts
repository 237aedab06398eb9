import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { CheckoutParamsError } from '../../src/server.ts';
import { checkoutParams, TestCheckoutServer } from '../support/test-checkout-server.ts';

suite('the endpoint of a LIVE server', () => {
  for (const endpoint of ['https://shop.example/checkout', 'http://127.0.0.1:8080/checkout', 'http://localhost/c'])
    test(`may be ${endpoint}`, () => assert.ok(new TestCheckoutServer({ mode: 'LIVE', endpoint })));
  test('may be http: on any host with TEST', () =>
    assert.ok(new TestCheckoutServer({ mode: 'TEST', endpoint: 'http://shop.example/checkout' })));
});

suite('the currency of an order', () => {
  const create = (currency: string | null, options: ConstructorParameters<typeof TestCheckoutServer>[0]) =>
    new TestCheckoutServer(options).server.create({ ...checkoutParams, currency });
  for (const currency of ['RUB', null])
    test(`may be ${currency ?? 'missing'} with LIVE`, async () => assert.ok(await create(currency, { mode: 'LIVE' })));
  test('may be USD with LIVE only when the option currencies lists it', async () => {
    await assert.rejects(create('USD', { mode: 'LIVE' }), (error) => {
      assert.ok(error instanceof CheckoutParamsError);
      assert.match(error.message, /^currency: is not in the option currencies/);
      return true;
    });
    assert.ok(await create('USD', { mode: 'LIVE', currencies: ['RUB', 'USD'] }));
    await assert.rejects(create('RUB', { mode: 'LIVE', currencies: ['USD'] }), CheckoutParamsError);
  });
  test('must be in the option currencies with TEST too', async () =>
    assert.rejects(create('USD', { mode: 'TEST' }), CheckoutParamsError));
  test('must be that of an NSPK link, or the link is not shown', async () => {
    const link = 'https://qr.nspk.ru/AS1?sum=150000&cur=USD';
    for (const [currency, isShown] of [
      ['USD', true],
      ['RUB', false],
      [null, false],
    ] as const) {
      const harness = await TestCheckoutServer.open({ currency }, { currencies: ['RUB', 'USD'] });
      harness.service.invoiceChanges = { nspk_url: link };
      await harness.createInvoice();
      assert.equal((await harness.getCheckout()).checkout.invoice?.nspk_url, isShown ? link : undefined);
    }
  });
});
