import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Clock } from '../../src/base/clock.ts';
import { isWithin, writeWireError } from '../../src/service-api.ts';
import { createInvoiceServiceClient } from '../../src/server.ts';
import { type checkoutParams, TestCheckoutServer } from '../support/test-checkout-server.ts';
import { serviceFetch } from '../support/service-fetch.ts';

interface SentRequest {
  readonly at: number;
  readonly operation: string;
}

interface ServerWithRealClient {
  readonly harness: TestCheckoutServer;
  readonly sentRequests: SentRequest[];
  /** `refusesInvoices`: whether a FetchInvoices of more than one invoice is answered with 400. */
  readonly service: { refusesInvoices: boolean };
}

const options = [
  { id: 'pm_card', type: 'CARD', available: true, limits: { min_amount: '100.00', max_amount: '500.00' } },
  { id: 'pm_sbp', type: 'SBP', available: true, limits: { min_amount: '10.00', max_amount: '100000.00' } },
];

/** A checkout server with the real client, over a service that responds without delay. Records the requests. */
async function openWithRealClient(changes: Partial<typeof checkoutParams> = {}): Promise<ServerWithRealClient> {
  const sentRequests: SentRequest[] = [];
  const service = { refusesInvoices: false };
  const fetch = serviceFetch((operation, body) => {
    sentRequests.push({ at: harness.clock.now(), operation });
    const { amount, external_id, ids } = { amount: undefined, external_id: '', ids: [], ...body };
    switch (operation) {
      case 'FetchPaymentOptions':
        return { options: options.filter(({ limits }) => typeof amount !== 'string' || isWithin(amount, limits)) };
      case 'FetchInvoices':
        if (service.refusesInvoices && Array.isArray(ids) && ids.length > 1)
          return new Response(writeWireError('invalid_argument', 'ids'), { status: 400 });
        return { invoices: Array.isArray(ids) ? ids.map((id) => ({ id, status: 'PENDING' })) : [] };
      default:
        return { id: `inv_${sentRequests.length}`, amount, external_id, sbp: { phone: '+79990000000' } };
    }
  });
  const clock: Clock = { now: () => harness.clock.now(), schedule: (ms, task) => harness.clock.schedule(ms, task) };
  const client = createInvoiceServiceClient({
    baseUrl: 'https://invoices.example',
    token: 'token',
    fetch,
    clock,
    log: () => undefined,
  });
  const harness: TestCheckoutServer = await TestCheckoutServer.open(changes, {
    service: client,
    limits: { createsOfAddress: { burst: 10_000, perMinute: 10_000 } },
  });
  return { harness, sentRequests, service };
}

/** The largest number of requests of an operation within any second. */
function maxPerSecond(sentRequests: readonly SentRequest[], operation: string): number {
  const times = sentRequests.flatMap((request) => (request.operation === operation ? request.at : []));
  return Math.max(0, ...times.map((start) => times.filter((at) => at >= start && at < start + 1_000).length));
}

suite('requests to the service per second', () => {
  test('are at most 10 for options, whatever amounts a payer types, and every response has the methods that allow its amount', async () => {
    const typedAmountParams = { amount: null, amountLimits: { minAmount: '1.00', maxAmount: '100000.00' } };
    const { harness, sentRequests } = await openWithRealClient(typedAmountParams);
    for (let burst = 0; burst < 5; burst += 1) {
      const amounts = Array.from({ length: 200 }, (_, index) => 1 + burst * 200 + index);
      const responses = amounts.map((amount) => harness.getCheckout({}, `?amount=${amount}.00`));
      const checkouts = await harness.until(Promise.all(responses));
      for (const [index, { checkout }] of checkouts.entries()) {
        const fitting = options.filter(({ limits }) => isWithin(`${amounts[index] ?? 0}.00`, limits));
        assert.deepEqual(
          checkout.options.flatMap(({ id, available }) => (available ? [id] : [])),
          fitting.map(({ id }) => id),
        );
        assert.equal(checkout.stale, false);
      }
      await harness.advance(100);
    }
    assert.ok(maxPerSecond(sentRequests, 'FetchPaymentOptions') <= 10);
    assert.ok(!harness.loggedEvents().includes('options_failed'));
  });

  test('that the client’s own limit holds back make no checkout stale, because the service responds', async () => {
    const { harness } = await openWithRealClient({
      amount: null,
      amountLimits: { minAmount: '1.00', maxAmount: '100000.00' },
    });
    for (const hundreds of [1, 2]) {
      const amounts = Array.from({ length: 100 }, (_, index) => hundreds * 100 + index);
      const responses = await harness.until(
        Promise.all(amounts.map((amount) => harness.getCheckout({}, `?amount=${amount}.00`))),
      );
      assert.deepEqual(new Set(responses.map(({ checkout }) => checkout.stale)), new Set([false]));
      await harness.advance(60_000); // after this, no cached options are fresh
    }
  });

  test('are at most 60 for invoices when the service refuses every batch, and each invoice is fetched separately', async () => {
    const { harness, sentRequests, service } = await openWithRealClient();
    for (let order = 1; order <= 100; order += 1) {
      harness.id = await harness.createCheckout({ orderId: `order-${order}` });
      assert.equal((await harness.until(harness.createInvoice({ method: 'pm_sbp' }))).status, 201);
    }
    service.refusesInvoices = true;
    const countBefore = sentRequests.length;
    await harness.advance(20_000);
    const fetches = sentRequests.slice(countBefore);
    assert.ok(fetches.length > 150, `${fetches.length} requests`);
    assert.ok(maxPerSecond(fetches, 'FetchInvoices') <= 60, `${maxPerSecond(fetches, 'FetchInvoices')} in a second`);
  });
});
