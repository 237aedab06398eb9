import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import {
  createCheckoutServer,
  createInvoiceServiceClient,
  createMemoryStore,
  createMetrics,
} from '../../src/server.ts';
import { checkout } from '../../src/checkout-api.ts';
import { startRecordingService, type RecordingService } from '../support/recording-service.ts';

// The real client, limiter and server on the clock of this machine: its time has fractions and moves between two reads.

const option = (id: string) => ({ id, type: 'CARD', name: id, available: true, limits: { min_amount: '1.00' } });
const filteredOption = option('pm_filtered');
const unfilteredOption = option('pm_all');

interface Payers {
  readonly service: RecordingService;
  /** The identifiers of the methods that each payer sees. */
  readonly methods: readonly (readonly string[])[];
  readonly metrics: string;
}

/** Opens a checkout for each amount, all at once. The service returns another method with an amount than without one. */
async function openCheckouts(context: TestContext, amounts: readonly string[], perSecond?: number): Promise<Payers> {
  const service = await startRecordingService(({ body }) => ({
    body: { options: ['amount' in body ? filteredOption : unfilteredOption] },
  }));
  context.after(service.close);
  const metrics = createMetrics();
  const server = createCheckoutServer({
    service: createInvoiceServiceClient({
      baseUrl: service.url,
      token: 'token',
      ...(perSecond === undefined ? {} : { requestsPerSecond: { FetchPaymentOptions: perSecond } }),
    }),
    store: createMemoryStore(),
    endpoint: 'https://shop.example/checkout',
    mode: 'TEST',
    onOutcome: () => Promise.resolve(),
    metrics,
  });
  context.after(() => server.stop());
  const orders = await Promise.all(
    amounts.map((amount, index) => server.create({ orderId: `order-${index}`, amount, currency: 'RUB' })),
  );
  const methods = orders.map(async ({ capability }) => {
    const request = new Request(`https://shop.example/checkout/${capability}`);
    const response = await server.handle(request, { address: undefined });
    return checkout.parse(await response.json()).options.map((shown) => shown.id);
  });
  return { service, methods: await Promise.all(methods), metrics: await metrics.expose() };
}

const distinctAmounts = (count: number) => Array.from({ length: count }, (_, index) => `${100 + index}.00`);

suite('the amount of a payer', () => {
  test('is in each FetchPaymentOptions of 40 payers, and each payer sees what the service says for his amount', async (context) => {
    const amounts = distinctAmounts(40);
    const { service, methods } = await openCheckouts(context, amounts, 100);
    assert.deepEqual(service.requests.map(({ body }) => body['amount']).sort(), amounts);
    assert.deepEqual(methods.flat(), Array(40).fill('pm_filtered'));
  });

  test('is missing only beyond the limit of requests, where the list for all amounts is used and counted', async (context) => {
    const { service, methods, metrics } = await openCheckouts(context, distinctAmounts(40));
    const withAmount = service.requests.filter(({ body }) => 'amount' in body);
    assert.equal(withAmount.length, 10);
    assert.equal(service.requests.length, 11);
    assert.deepEqual(methods.flat().sort(), [
      ...Array<string>(30).fill('pm_all'),
      ...Array<string>(10).fill('pm_filtered'),
    ]);
    assert.match(metrics, /^pay_invoice_options_unfiltered_total\{reason="rate_limit"\} 30$/m);
  });
});
