import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { systemClock } from '../../../src/base/clock.ts';
import { createMetrics, type CheckoutStore, type InvoiceService } from '../../../src/server.ts';
import { decorate, createInstrumentation } from '../../../src/server/telemetry/metrics.ts';
import { createGuardedStore } from '../../../src/server/guarded-store.ts';
import { makeCheckoutRecord } from '../../../src/tools/testing/checkout-records.ts';

/** The result of each method, as the instrumentation needs it. The test does not compile when a method is missing here. */
const storeResults: Readonly<Record<Exclude<keyof CheckoutStore, 'clock'>, unknown>> = {
  insert: undefined,
  load: undefined,
  loadVersion: undefined,
  loadByOrder: undefined,
  save: true,
  list: [],
  claimDueAttempts: [],
  reschedule: undefined,
  expedite: undefined,
  renewAttemptLease: undefined,
  shiftSchedule: undefined,
  nextRunAt: 5,
  claimOutcomes: [],
  countOutcomes: { undelivered: 3, oldestAt: 5, abandoned: 2 },
  listOutcomes: [],
  readOutcomes: [],
  abandonOutcome: undefined,
  redeliverOutcome: true,
  expediteUnresolved: undefined,
  renewOutcomeLeases: undefined,
  markOutcomeDelivered: undefined,
  retryOutcome: undefined,
  purge: { deleted: 0, next: undefined },
  subscribe: () => undefined,
};
const serviceResults: Readonly<Record<keyof InvoiceService, unknown>> = {
  createInvoice: {},
  fetchPaymentOptions: [],
  fetchInvoices: [],
  fetchWaitMs: 0,
  time: 5,
};

/** A port that records the arguments of each call. */
function createRecordingPort(results: Readonly<Record<string, unknown>>) {
  const calls: (readonly unknown[])[] = [];
  const methods = Object.entries(results).map(([name, result]) => [
    name,
    (...args: readonly unknown[]) => {
      calls.push([name, ...args]);
      return name === 'subscribe' ? result : Promise.resolve(result);
    },
  ]);
  return { calls, port: Object.fromEntries(methods) as unknown };
}

const ports = {
  clock: systemClock,
  time: systemClock,
  log: () => undefined,
  metrics: createMetrics(),
  countPaid: () => undefined,
};
const callArguments = [['first'], 'second', 'third', 'fourth', 'fifth'];

suite('the instrumented store and the instrumented service', () => {
  for (const [port, results, wrap] of [
    ['store', storeResults, (inner: unknown) => createGuardedStore(inner as CheckoutStore, ports).store],
    [
      'service',
      serviceResults,
      (inner: unknown) => createInstrumentation(ports.metrics, systemClock).service(inner as InvoiceService),
    ],
  ] as const)
    for (const [name, result] of Object.entries(results))
      test(`forward every argument of ${port}.${name} and return its result`, async () => {
        const { calls, port: inner } = createRecordingPort(results);
        const method: unknown = Reflect.get(wrap(inner), name);
        assert.ok(typeof method === 'function');
        const values = name === 'save' ? [makeCheckoutRecord('co_1'), ...callArguments.slice(1)] : callArguments;
        assert.equal(await Reflect.apply(method, undefined, values), result);
        assert.deepEqual(calls, [[name, ...values]]);
      });

  test('call the methods of a store that is a class with private fields', async () => {
    class Store {
      #loads = 0;
      load(): Promise<number> {
        this.#loads += 1;
        return Promise.resolve(this.#loads);
      }
    }
    const decorated = decorate(new Store(), { load: async (call) => (await call()) * 10 });
    assert.deepEqual([await decorated.load(), await decorate(new Store(), {}).load()], [10, 1]);
  });
});
