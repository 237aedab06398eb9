import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { card, sbp } from '../../support/fake-invoice-service.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';
import { createMetrics, type CheckoutServerOptions } from '../../../src/server.ts';

const refusal = { kind: 'fails', failure: 'refused', code: 'invalid_argument', httpStatus: 400 } as const;

async function openTwoMethods(options: Partial<CheckoutServerOptions> = {}): Promise<TestCheckoutServer> {
  const harness = await TestCheckoutServer.open({ amount: '300.00' }, options);
  harness.service.options = [card, { ...sbp, limits: { max_amount: '200.00' } }];
  return harness;
}

suite('a service that refuses the options of one amount', () => {
  test('is not taken for an outage: the payer sees the methods whose limits allow the amount', async () => {
    const metrics = createMetrics();
    const harness = await openTwoMethods({ metrics });
    harness.service.optionsFaults.push(refusal);
    const { status, checkout } = await harness.getCheckout();
    assert.equal(status, 200);
    assert.equal(checkout.stale, false);
    assert.deepEqual(
      checkout.options.map(({ id }) => id),
      ['pm_card'],
    );
    assert.deepEqual(harness.service.optionsRequests, ['300.00', undefined]);
    assert.match(await metrics.expose(), /^pay_invoice_options_unfiltered_total\{reason="refused"\} 1$/m);
  });

  test('is asked for that amount again only after 30 s, and each refusal is one line of the log', async () => {
    const harness = await openTwoMethods();
    harness.service.filterOptions = (options, amount) => {
      if (amount !== undefined) harness.service.optionsFaults.push(refusal);
      return options;
    };
    harness.service.optionsFaults.push(refusal);
    for (let second = 0; second < 29; second += 1) {
      await harness.getCheckout();
      await harness.advance(1_000);
    }
    assert.deepEqual(harness.service.optionsRequests, ['300.00', undefined]);
    harness.service.optionsFaults.push(refusal);
    await harness.advance(2_000);
    await harness.getCheckout();
    const refusals = harness.logEntries.filter(({ event }) => event === 'options_refused');
    assert.equal(refusals.length, 2);
    assert.equal(refusals[0]?.level, 'warn');
    assert.ok(!harness.loggedEvents().includes('options_failed'));
  });

  test('is asked once for 300, 300.0 and 300.00, because the amount is a number', async () => {
    const harness = await TestCheckoutServer.open({ amount: null });
    for (const amount of ['300', '300.0', '300.00', '0300.000'])
      assert.equal((await harness.getCheckout({}, `?amount=${amount}`)).status, 200);
    assert.deepEqual(harness.service.optionsRequests, ['300', undefined]);
  });

  test('is told apart from a service that refuses the token, the access or the path', async () => {
    for (const [httpStatus, code] of [
      [401, 'unauthenticated'],
      [403, 'permission_denied'],
      [404, 'unimplemented'],
    ] as const) {
      const harness = await openTwoMethods();
      harness.service.optionsFaults.push({ kind: 'fails', failure: 'refused', code, httpStatus });
      assert.equal((await harness.getCheckout()).status, 503);
      assert.ok(harness.loggedEvents().includes('options_failed'));
    }
  });
});
