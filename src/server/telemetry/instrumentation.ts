import type { Operation } from '../../service-api.ts';
import type { Clock } from '../../base/clock.ts';
import { InvoiceServiceError, type InvoiceService } from '../ports/invoice-service.ts';
import { safeLog, type Log } from '../ports/log.ts';
import type { Labels, Metrics } from './metrics.ts';
import type { CheckoutStore } from '../ports/checkout-store.ts';

/** Counts the server's work in metrics: by wrapped ports, and by counters that the other parts call. */
export interface Instrumentation {
  /** Wraps the service, so that its calls are counted. */
  service(service: InvoiceService): InvoiceService;
  /** Wraps the store, so that its conflicts and claims are counted. */
  store(store: CheckoutStore): CheckoutStore;
  /** Wraps the log, so that its lines are counted, and that it never throws. */
  log(log: Log): Log;
  /** Counts a CreateInvoice call by its result, and a created invoice by the type of its method. */
  readonly countCreate: (result: string, method: string | undefined) => void;
  /** Counts a call of `onOutcome`. */
  readonly countDelivery: (kind: string, result: string) => void;
  /** Counts a response of the checkout API. `ms`: how long the request took; undefined when it waited for a change. */
  readonly countResponse: (
    route: 'checkout' | 'invoice' | 'hook' | 'none',
    status: number,
    ms: number | undefined,
  ) => void;
  /** Counts a response whose options are not filtered by the service for the payer's amount, by the reason. */
  readonly countUnfilteredOptions: (reason: 'rate_limit' | 'refused' | 'failed') => void;
}

/** The upper bounds of histogram buckets: durations and lags in seconds, batches in invoices. */
const callBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const lagBounds = [0.1, 0.25, 0.5, 1, 2, 4, 10, 30, 60];
const storeBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const paidBounds = [10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 86_400];
const batchBounds = [1, 2, 5, 10, 20, 50, 100, 200, 500];

const withoutMetrics: Instrumentation = {
  service: (service) => service,
  store: (store) => store,
  log: safeLog,
  countCreate: () => undefined,
  countDelivery: () => undefined,
  countResponse: () => undefined,
  countUnfilteredOptions: () => undefined,
};

/** Without metrics, the ports are not wrapped. `time` is the time that stored times are compared with. */
export function createInstrumentation(
  metrics: Metrics | undefined,
  clock: Clock,
  time: Pick<Clock, 'now'> = clock,
): Instrumentation {
  if (metrics === undefined) return withoutMetrics;
  const prefix = 'pay_invoice';
  const countResponseLabels = metrics.counter(
    `${prefix}_requests_total`,
    'Requests of the checkout API by route and status.',
  );
  const recordRequest = metrics.histogram(
    `${prefix}_request_duration_seconds`,
    'How long requests of the checkout API took, without those that waited for a change, by route.',
    callBounds,
  );
  const responseLabels = new Map<string, Labels>();
  const countCreateResult = metrics.counter(`${prefix}_creates_total`, 'CreateInvoice calls by result.');
  const countCreated = metrics.counter(`${prefix}_invoices_created_total`, 'Created invoices by type of method.');
  const countPaid = metrics.counter(paidCounter.name, paidCounter.help);
  const countDeliveryResult = metrics.counter(
    `${prefix}_outcome_deliveries_total`,
    'Calls of onOutcome by kind of outcome and result.',
  );
  const countUnfiltered = metrics.counter(
    `${prefix}_options_unfiltered_total`,
    'Responses with the options for all amounts, because the service was not asked for the amount, refused it or failed, by reason.',
  );
  const countLogLine = metrics.counter(`${prefix}_log_events_total`, 'Lines of the log by level and event.');
  return {
    service: (service) => countServiceCalls(service, metrics, clock),
    store: (store) => countStoreCalls(store, metrics, clock, time, countPaid),
    log(log) {
      const wrappedLog = safeLog(log);
      return (level, event, facts) => {
        countLogLine({ level, event });
        wrappedLog(level, event, facts);
      };
    },
    countCreate(result, method) {
      countCreateResult({ result });
      if (result !== 'created') return;
      countCreated({ method: methodLabel(method) });
      countPaid({ method: methodLabel(method) }, 0); // so that a method by which nobody pays has a sample
    },
    countDelivery: (kind, result) => countDeliveryResult({ kind, result }),
    countResponse(route, status, ms) {
      const key = `${route} ${status}`;
      const labels = responseLabels.get(key) ?? { route, status };
      responseLabels.set(key, labels);
      countResponseLabels(labels);
      if (ms !== undefined) recordRequest(Math.max(0, ms) / 1000, { route });
    },
    countUnfilteredOptions: (reason) => countUnfiltered({ reason }),
  };
}

function countServiceCalls(service: InvoiceService, metrics: Metrics, clock: Clock): InvoiceService {
  const countResult = metrics.counter(
    'pay_invoice_service_calls_total',
    'Calls of the invoice service, each with all its tries, by operation and outcome.',
  );
  const recordDuration = metrics.histogram(
    'pay_invoice_service_call_duration_seconds',
    'How long calls of the invoice service took with all their tries.',
    callBounds,
  );
  const recordBatchSize = metrics.histogram(
    'pay_invoice_batch_invoices',
    'Invoices in one FetchInvoices.',
    batchBounds,
  );

  const countCall = async <T>(operation: Operation, call: () => Promise<T>): Promise<T> => {
    const startedAt = clock.now();
    let outcome = 'ok';
    try {
      return await call();
    } catch (error) {
      outcome = error instanceof InvoiceServiceError ? error.failure : 'error';
      throw error;
    } finally {
      countResult({ operation, outcome });
      recordDuration((clock.now() - startedAt) / 1000, { operation });
    }
  };

  return decorate(service, {
    createInvoice: (call) => countCall('CreateInvoice', call),
    fetchPaymentOptions: (call) => countCall('FetchPaymentOptions', call),
    fetchInvoices(call, ids) {
      recordBatchSize(ids.length);
      return countCall('FetchInvoices', call);
    },
  });
}

const paidCounter = { name: 'pay_invoice_invoices_paid_total', help: 'Paid invoices by type of method.' };

/** The type of a method as a label. The service may have any types; one that is not known to the specification is `other`. */
function methodLabel(type: string | undefined): string {
  const label = (type ?? '').toLowerCase();
  return label === 'card' || label === 'sbp' ? label : 'other';
}

function countStoreCalls(
  store: CheckoutStore,
  metrics: Metrics,
  clock: Clock,
  time: Pick<Clock, 'now'>,
  countPaid: ReturnType<Metrics['counter']>,
): CheckoutStore {
  const recordDuration = metrics.histogram(
    'pay_invoice_store_call_duration_seconds',
    'How long saves, loads and claims of the store took.',
    storeBounds,
  );
  const recordPaidAfter = metrics.histogram(
    'pay_invoice_seconds_until_paid',
    'How long after the request for its invoice a payment was learned of, by type of method.',
    paidBounds,
  );
  const timed = async <T>(name: string, call: () => Promise<T>): Promise<T> => {
    const startedAt = clock.now();
    try {
      return await call();
    } finally {
      recordDuration((clock.now() - startedAt) / 1000, { call: name });
    }
  };
  const countConflict = metrics.counter(
    'pay_invoice_store_conflicts_total',
    'Saves rejected because the checkout had been saved since it was loaded; they are repeated.',
  );
  const countDue = metrics.counter(
    'pay_invoice_invoices_due_total',
    'Due invoices and creates in doubt that were claimed.',
  );
  const recordLag = metrics.histogram(
    'pay_invoice_poll_lag_seconds',
    'How long after its due time an invoice was claimed by the status poller.',
    lagBounds,
  );
  const secondsSince = (at: number | undefined): number => (at === undefined ? 0 : Math.max(0, time.now() - at) / 1000);
  metrics.gauge(
    'pay_invoice_poll_overdue_seconds',
    'For how long the earliest due invoice has been due; more than a few seconds: no process polls.',
    async () => secondsSince(await store.nextRunAt()),
  );
  metrics.gauge(
    'pay_invoice_outcome_oldest_undelivered_seconds',
    'Age of the oldest undelivered outcome; 0 when there is none.',
    async () => secondsSince(await store.oldestOutcomeAt()),
  );
  metrics.gauge('pay_invoice_outcomes_abandoned', 'Outcomes whose delivery was given up; they are kept.', () =>
    store.countAbandonedOutcomes(),
  );
  metrics.gauge('pay_invoice_outcomes_undelivered', 'Outcomes that are not delivered yet.', () =>
    store.countUndeliveredOutcomes(),
  );

  return decorate(store, {
    load: (call) => timed('load', call),
    async save(call, record, outcomes) {
      const isSaved = await timed('save', call);
      if (!isSaved) countConflict();
      for (const { kind, externalId } of isSaved ? outcomes : []) {
        if (kind !== 'paid') continue;
        const attempt = record.attempts.find((one) => one.externalId === externalId);
        if (attempt === undefined) continue;
        const method = methodLabel(attempt.method?.type);
        countPaid({ method });
        recordPaidAfter(secondsSince(attempt.createdAt), { method });
      }
      return isSaved;
    },
    async claimDueAttempts(call, now) {
      const claimed = await timed('claim', call);
      if (claimed.length > 0) countDue({}, claimed.length);
      for (const { runAt } of claimed) recordLag(Math.max(0, now - runAt) / 1000);
      return claimed;
    },
  });
}

/**
 * Wrappers for the methods of a port. A wrapper is called with `call` and the caller's arguments. `call` calls the method with
 * all arguments, so that no wrapper can omit an argument. A method without a wrapper is called directly.
 */
export type Wrappers<Port> = {
  readonly [Name in keyof Port]?: NonNullable<Port[Name]> extends (...args: infer Args) => infer Result
    ? (call: () => Result, ...args: Args) => Result
    : never;
};

/** The port with wrapped methods. Every method and every argument is forwarded. */
export function decorate<Port extends object>(port: Port, wrappers: Wrappers<Port>): Port {
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      const wrapper: unknown = Reflect.get(wrappers, name);
      return (...args: readonly unknown[]): unknown => {
        const call = (): unknown => Reflect.apply(method, target, args);
        return typeof wrapper === 'function' ? Reflect.apply(wrapper, wrappers, [call, ...args]) : call();
      };
    },
  });
}
