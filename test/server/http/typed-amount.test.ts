import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';
import { card } from '../../support/fake-invoice-service.ts';

// An amount that the payer types, from the first response to the payment. The order allows 50 to 5000, the card 100 to 1000.
const ofOrder = { min_amount: '50.00', max_amount: '5000.00' };
const ofCard = { min_amount: '100.00', max_amount: '1000.00' };
const wide = { ...card, id: 'pm_wide', limits: {} };

async function open(): Promise<TestCheckoutServer> {
  const harness = await TestCheckoutServer.open({
    amount: null,
    amountLimits: { minAmount: '50.00', maxAmount: '5000.00' },
  });
  harness.service.options = [{ ...card, limits: ofCard }, wide];
  return harness;
}

for (const [method, amount, limits] of [
  ['pm_card', '100.00', undefined],
  ['pm_card', '100', undefined],
  ['pm_card', '99.99', ofCard],
  ['pm_card', '99.9999999999999999999999999999999999999999', ofCard],
  ['pm_card', '1000.00', undefined],
  ['pm_card', '1000.0000000000', undefined],
  ['pm_card', '1000.01', ofCard],
  ['pm_wide', '50.00', undefined],
  ['pm_wide', '49.99', ofOrder],
  ['pm_wide', '5000.00', undefined],
  ['pm_wide', '5000.01', ofOrder],
  ['pm_card', '49.99', ofOrder],
  ['pm_card', '5000.01', ofOrder],
] as const)
  test(`${amount} by ${method} is ${limits === undefined ? 'accepted' : `refused with the limits ${limits.min_amount} and ${limits.max_amount}`}`, async () => {
    const harness = await open();
    const isOffered = (await harness.getCheckout({}, `?amount=${amount}`)).checkout.options.some(
      ({ id }) => id === method,
    );
    assert.equal(isOffered, limits === undefined, 'a method is offered exactly when a create accepts it');
    const answer = await harness.createInvoice({ method, amount });
    assert.equal(harness.service.created.length, limits === undefined ? 1 : 0);
    if (limits === undefined) {
      assert.equal(answer.status, 201);
      assert.equal(harness.service.created[0]?.amount, amount, 'as it was typed');
      assert.equal(answer.checkout.invoice?.amount, amount);
    } else {
      assert.equal(answer.status, 422);
      const { code, min_amount, max_amount } = answer.problem;
      assert.deepEqual({ code, min_amount, max_amount }, { code: 'amount_out_of_limits', ...limits });
    }
  });

test('the first response has no amount, the limits, and every method', async () => {
  const harness = await open();
  const { amount, amount_limits, options } = (await harness.getCheckout()).checkout;
  assert.deepEqual([amount, amount_limits, options.length], [null, ofOrder, 2]);
});

test('the outcome has the amount that the payer typed, and the checkout still has none', async () => {
  const harness = await open();
  await harness.createInvoice({ amount: '777.7' });
  harness.service.setStatus('PAID');
  await harness.advance(10_000);
  const { checkout } = await harness.getCheckout();
  assert.deepEqual([checkout.status, checkout.amount, checkout.invoice?.amount], ['paid', null, '777.7']);
  assert.deepEqual(
    harness.outcomes.map(({ kind, amount }) => [kind, amount]),
    [['paid', '777.7']],
  );
});

test('the same key with another amount is a mismatch; the same amount in another notation returns the same invoice', async () => {
  const harness = await open();
  await harness.createInvoice({ key: 'key-1', amount: '500.00' });
  assert.equal((await harness.createInvoice({ key: 'key-1', amount: '500.01' })).problem.code, 'idempotency_mismatch');
  assert.equal((await harness.createInvoice({ key: 'key-2', amount: '500' })).checkout.invoice?.id, 'inv_1');
  assert.equal(harness.service.created.length, 1);
});

for (const limits of [null, {}, { minAmount: '50.00' }, { maxAmount: '5000.00' }])
  test(`an order with ${JSON.stringify(limits)} as limits requires an amount, and refuses one that is not positive`, async () => {
    const harness = await TestCheckoutServer.open({ amount: null, amountLimits: limits });
    harness.service.options = [wide];
    const { problem } = await harness.createInvoice({ method: 'pm_wide' });
    const { code, min_amount: minAmount, max_amount: maxAmount } = problem;
    const expected = { code: 'amount_required', minAmount: undefined, maxAmount: undefined, ...limits };
    assert.deepEqual({ code, minAmount, maxAmount }, expected);
    for (const amount of ['0', '0.00', '-0.01'])
      assert.equal((await harness.createInvoice({ method: 'pm_wide', amount })).problem.code, 'amount_out_of_limits');
    assert.equal((await harness.createInvoice({ method: 'pm_wide', amount: '60.00' })).status, 201);
  });

test('a priced order keeps its price whatever amount the browser sends', async () => {
  const harness = await TestCheckoutServer.open();
  const { checkout } = await harness.createInvoice({ amount: '100.00' });
  assert.equal(checkout.invoice?.amount, '1500.00');
  assert.equal(harness.service.created[0]?.amount, '1500.00');
});
