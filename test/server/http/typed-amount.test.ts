import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';
import { card } from '../../support/fake-invoice-service.ts';

// The payer types the amount. The order allows 50 to 5000, the method pm_card 100 to 1000, and pm_wide any amount.
const orderLimits = { min_amount: '50.00', max_amount: '5000.00' };
const cardLimits = { min_amount: '100.00', max_amount: '1000.00' };
const optionWithoutLimits = { ...card, id: 'pm_wide', limits: {} };

async function open(): Promise<TestCheckoutServer> {
  const harness = await TestCheckoutServer.open({
    amount: null,
    amountLimits: { minAmount: '50.00', maxAmount: '5000.00' },
  });
  harness.service.options = [{ ...card, limits: cardLimits }, optionWithoutLimits];
  return harness;
}

for (const [method, amount, limits] of [
  ['pm_card', '100', undefined],
  ['pm_card', '99.99', cardLimits],
  ['pm_card', '1000.0000000000', undefined],
  ['pm_card', '1000.01', cardLimits],
  ['pm_wide', '49.99', orderLimits],
  ['pm_card', '5000.01', orderLimits],
  ['pm_wide', '0', orderLimits],
] as const)
  test(`the amount ${amount} with ${method} is ${limits === undefined ? 'accepted' : `refused with the limits ${limits.min_amount} and ${limits.max_amount}`}`, async () => {
    const harness = await open();
    const { options } = (await harness.getCheckout({}, `?amount=${amount}`)).checkout;
    const isOffered = options.some(({ id, available }) => id === method && available);
    assert.equal(isOffered, limits === undefined, 'a method is offered exactly when a create accepts it');
    const response = await harness.createInvoice({ method, amount });
    if (limits === undefined) {
      assert.equal(response.checkout.invoice?.amount, amount);
      assert.equal(harness.service.createRequests[0]?.amount, amount, 'the service receives the text of the payer');
    } else {
      const { code, min_amount, max_amount } = response.problem;
      assert.deepEqual({ code, min_amount, max_amount }, { code: 'amount_out_of_limits', ...limits });
      assert.equal(harness.service.createRequests.length, 0);
    }
  });

test('what a typed amount excludes stays listed with its limits, and is not available', async () => {
  const harness = await open();
  const bank = (code: string, max_amount: string) => ({ code, available: true, limits: { max_amount } });
  const banks = [bank('large', '5000.00'), bank('small', '200.00')];
  const option = { ...optionWithoutLimits, banks };
  harness.service.options = [{ ...card, limits: cardLimits }, option, { ...card, id: 'pm_other', limits: {} }];
  const all = harness.service.options;
  // The service leaves out what its limits exclude, and pm_other for a reason of its own.
  harness.service.filterOptions = (options, amount) =>
    amount === undefined ? options : [{ ...option, banks: banks.slice(0, 1) }];
  const { options } = (await harness.getCheckout({}, '?amount=2000.00')).checkout;
  assert.deepEqual(
    options.map(({ id, available, limits }) => ({ id, available, limits })),
    all.map(({ id, limits }) => ({ id, available: id === 'pm_wide', limits })),
  );
  assert.deepEqual(
    options[1]?.banks.map(({ code, available, limits }) => [code, available, limits.max_amount]),
    [
      ['large', true, '5000.00'],
      ['small', false, '200.00'],
    ],
  );
});

test('an amount is required, and one of nothing is refused also without limits', async () => {
  const harness = await TestCheckoutServer.open({ amount: null, amountLimits: {} });
  assert.equal((await harness.createInvoice()).problem.code, 'amount_required');
  assert.equal((await harness.createInvoice({ amount: '100.005' })).problem.code, 'invalid_request', 'too many digits');
  const { code, min_amount, max_amount } = (await harness.createInvoice({ amount: '0' })).problem;
  assert.deepEqual([code, min_amount, max_amount], ['amount_out_of_limits', undefined, undefined]);
});
