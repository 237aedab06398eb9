import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Clock } from '../../src/base/clock.ts';
import { isWithin, writeWireError } from '../../src/contract.ts';
import { createInvoiceServiceClient } from '../../src/server.ts';
import { type checkoutParams, TestCheckoutServer } from '../support/test-checkout-server.ts';

interface Sent {
  readonly at: number;
  readonly operation: string;
}

interface CountedServer {
  readonly harness: TestCheckoutServer;
  readonly sent: Sent[];
  /** Whether FetchInvoices is refused. */
  readonly service: { refusesInvoices: boolean };
}

const options = [
  { id: 'pm_card', type: 'CARD', available: true, limits: { min_amount: '100.00', max_amount: '500.00' } },
  { id: 'pm_sbp', type: 'SBP', available: true, limits: { min_amount: '10.00', max_amount: '100000.00' } },
];

/** A checkout server with the real client, over a service that answers at once and records its requests. */
async function openCounted(changes: Partial<typeof checkoutParams> = {}): Promise<CountedServer> {
  const sent: Sent[] = [];
  const service = { refusesInvoices: false };
  const answer = (operation: string, body: Readonly<Record<string, unknown>>): Response => {
    const { amount, external_id, ids } = { amount: undefined, external_id: '', ids: [], ...body };
    switch (operation) {
      case 'FetchPaymentOptions':
        return Response.json({
          options: options.filter(({ limits }) => typeof amount !== 'string' || isWithin(amount, limits)),
        });
      case 'FetchInvoices':
        if (service.refusesInvoices) return new Response(writeWireError('invalid_argument', 'ids'), { status: 400 });
        return Response.json({ invoices: Array.isArray(ids) ? ids.map((id) => ({ id, status: 'PENDING' })) : [] });
      default:
        return Response.json({ id: `inv_${sent.length}`, amount, external_id, sbp: { phone: '+79990000000' } });
    }
  };
  const fetch: typeof globalThis.fetch = (url, init) => {
    const body: unknown = JSON.parse(typeof init?.body === 'string' ? init.body : '{}');
    const operation = new URL(url instanceof Request ? url.url : url).pathname.split('/').at(-1) ?? '';
    sent.push({ at: harness.clock.now(), operation });
    return Promise.resolve(answer(operation, typeof body === 'object' && body !== null ? { ...body } : {}));
  };
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
  return { harness, sent, service };
}

/** The most requests of an operation in any second. */
function mostInASecond(sent: readonly Sent[], wanted: string): number {
  const times = sent.flatMap(({ at, operation }) => (operation === wanted ? at : []));
  return Math.max(0, ...times.map((start) => times.filter((at) => at >= start && at < start + 1_000).length));
}

suite('requests to the service in a second', () => {
  test('are at most 10 for options, whatever amounts a payer types, and every response has the fitting methods', async () => {
    const open = { amount: null, amountLimits: { minAmount: '1.00', maxAmount: '100000.00' } };
    const { harness, sent } = await openCounted(open);
    for (let burst = 0; burst < 5; burst += 1) {
      const amounts = Array.from({ length: 200 }, (_, index) => 1 + burst * 200 + index);
      const answers = amounts.map((amount) => harness.getCheckout({}, `?amount=${amount}.00`));
      const checkouts = await harness.until(Promise.all(answers));
      for (const [index, { checkout }] of checkouts.entries()) {
        const fitting = options.filter(({ limits }) => isWithin(`${amounts[index] ?? 0}.00`, limits));
        assert.deepEqual(
          checkout.options.map(({ id }) => id),
          fitting.map(({ id }) => id),
        );
        assert.equal(checkout.stale, false);
      }
      await harness.advance(100);
    }
    assert.ok(mostInASecond(sent, 'FetchPaymentOptions') <= 10);
    assert.ok(!harness.loggedEvents().includes('options_failed'));
  });

  test('that the client’s own limit prevents make no checkout stale, because the service answers', async () => {
    const { harness } = await openCounted({
      amount: null,
      amountLimits: { minAmount: '1.00', maxAmount: '100000.00' },
    });
    for (const hundreds of [1, 2]) {
      const amounts = Array.from({ length: 100 }, (_, index) => hundreds * 100 + index);
      const answers = await harness.until(
        Promise.all(amounts.map((one) => harness.getCheckout({}, `?amount=${one}.00`))),
      );
      assert.deepEqual(new Set(answers.map(({ checkout }) => checkout.stale)), new Set([false]));
      await harness.advance(60_000); // after this, no cached options are fresh
    }
  });

  test('are at most 10 for options with 1,200 open checkouts of as many amounts', async () => {
    const { harness, sent } = await openCounted();
    const { id: first } = harness;
    const ids = [first];
    for (let order = 2; order <= 1_200; order += 1)
      ids.push(await harness.createCheckout({ orderId: `order-${order}`, amount: `${100 + order}.00` }));
    for (let second = 0; second < 10; second += 1) {
      const answers = ids.slice(second * 120, (second + 1) * 120).map(async (id) => {
        const response = await harness.request(`/${id}`);
        assert.equal(response.status, 200);
      });
      await harness.until(Promise.all(answers));
      await harness.advance(1_000);
    }
    assert.ok(mostInASecond(sent, 'FetchPaymentOptions') <= 10);
  });

  test('are at most 60 for invoices when the service refuses batches of 100, and each invoice is fetched separately', async () => {
    const { harness, sent, service } = await openCounted();
    for (let order = 1; order <= 100; order += 1) {
      harness.id = await harness.createCheckout({ orderId: `order-${order}` });
      assert.equal((await harness.until(harness.createInvoice({ method: 'pm_sbp' }))).status, 201);
    }
    service.refusesInvoices = true;
    const before = sent.length;
    await harness.advance(20_000);
    const fetches = sent.slice(before);
    assert.ok(fetches.length > 199, `${fetches.length} requests`);
    assert.ok(mostInASecond(fetches, 'FetchInvoices') <= 60, `${mostInASecond(fetches, 'FetchInvoices')} in a second`);
  });
});
