import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createInvoiceServiceClient, createMemoryStore, type Metrics } from '../../src/server.ts';
import { InvoiceServiceError } from '../../src/server/ports/invoice-service.ts';
import { settle } from '../support/fake-clock.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';
import { thrownValues } from '../support/thrown-values.ts';

// Whatever a function of the shop throws is recorded and tried again, and the process goes on.

let unhandled = 0;
const noteUnhandled = (): void => void (unhandled += 1);
beforeEach(() => {
  unhandled = 0;
  process.on('unhandledRejection', noteUnhandled);
});
afterEach(async () => {
  await settle();
  process.off('unhandledRejection', noteUnhandled);
  assert.equal(unhandled, 0, 'an unhandled rejection ends a process');
});

for (const { title, make, text } of thrownValues) {
  const throwNow = (): never => {
    throw make();
  };
  /** Throws at every odd call, and rejects at every other. */
  let failures = 0;
  const fail = (): Promise<never> => {
    failures += 1;
    return failures % 2 === 1 ? throwNow() : Promise.resolve().then(throwNow);
  };

  test(`onOutcome that throws ${title} is recorded, logged and repeated`, async () => {
    const harness = await TestCheckoutServer.openWithInvoice();
    let calls = 0;
    harness.onOutcome = () => ((calls += 1) < 3 ? fail() : Promise.resolve());
    harness.service.setStatus('PAID');
    await harness.advance(20_000);
    const [outcome] = await harness.store.listOutcomes(harness.id);
    const errors = outcome?.deliveries.map(({ error }) => error);
    assert.deepEqual(errors, [text, text, null]);
    assert.deepEqual(harness.outcomeKinds(), ['paid']);
    const lines = harness.logEntries.filter(({ event }) => event === 'outcome_not_delivered');
    assert.equal(lines.length, 2);
    for (const { facts } of lines) {
      assert.ok(JSON.stringify(facts).length < 50_000, 'a line of the log has a length');
      for (const [name, value] of Object.entries(facts)) assert.notEqual(typeof value, 'object', name);
    }
  });

  test(`onOutcome that resolves with ${title} has delivered, at the latest when it is repeated`, async () => {
    let calls = 0;
    const onOutcome = (): Promise<unknown> => Promise.resolve((calls += 1) === 1 ? make() : undefined);
    const harness = await TestCheckoutServer.openWithInvoice({}, { onOutcome });
    harness.service.setStatus('PAID');
    await harness.advance(20_000);
    const [outcome] = await harness.store.listOutcomes(harness.id);
    assert.equal(outcome?.deliveries.at(-1)?.error, null);
  });

  test(`log and metrics that throw ${title} disturb nothing`, async () => {
    const events: string[] = [];
    const metrics: Metrics = { counter: () => fail, histogram: () => fail, gauge: () => undefined };
    const log = (_: unknown, event: string): unknown => {
      events.push(event);
      return fail();
    };
    const harness = await TestCheckoutServer.openWithInvoice({}, { log, metrics });
    harness.service.setStatus('PAID');
    await harness.advance(20_000);
    assert.deepEqual(harness.outcomeKinds(), ['paid']);
    assert.ok(events.includes('metrics_failed'));
    assert.ok(events.includes('outcome_delivered'));
  });

  test(`a token function and a fetch that throw ${title} fail their call alone`, async () => {
    const options = { baseUrl: 'https://invoices.example', log: fail };
    for (const parts of [
      { token: fail, fetch: () => assert.fail('nothing is sent') },
      { token: 'token', fetch: fail },
    ]) {
      const service = createInvoiceServiceClient({ ...options, ...parts });
      await assert.rejects(service.fetchInvoices(['inv_1']), InvoiceServiceError);
      await assert.rejects(service.fetchInvoices(['inv_1']), InvoiceServiceError);
    }
  });

  test(`a service and a store that throw ${title} are called again`, async () => {
    const store = createMemoryStore();
    const harness = await TestCheckoutServer.openWithInvoice({}, { store });
    const failTwice = <Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) => {
      let calls = 0;
      return async (...args: Args): Promise<Result> => ((calls += 1) < 3 ? fail() : call(...args));
    };
    harness.service.fetchInvoices = failTwice(harness.service.fetchInvoices.bind(harness.service));
    store.claimOutcomes = failTwice(store.claimOutcomes.bind(store));
    store.markOutcomeDelivered = failTwice(store.markOutcomeDelivered.bind(store));
    harness.service.setStatus('PAID');
    await harness.advance(60_000);
    const [outcome] = await harness.store.listOutcomes(harness.id);
    assert.ok(outcome?.deliveredAt);
  });
}
