import type { Operation } from '../../service-api.ts';
import type { Clock } from '../../base/clock.ts';
import { InvoiceServiceError, type InvoiceService } from '../ports/invoice-service.ts';
import { shopErrorFields, type Log } from '../ports/log.ts';
import { callSafely, toError } from '../../base/thrown-value.ts';

/** The labels of a sample. They have few different values and no data of a payer. */
export type Labels = Readonly<Record<string, string | number>>;

/** Receives the server's metrics. Use `createMetrics`, or an adapter for a metrics library. */
export interface Metrics {
  /** Registers a counter. The returned function increments it. */
  counter(name: string, help: string): (labels?: Labels, by?: number) => void;
  /**
   * Registers a histogram; `bounds` are the upper bounds of its buckets in ascending order. The returned function adds a value.
   */
  histogram(name: string, help: string, bounds: readonly number[]): (value: number, labels?: Labels) => void;
  /** Registers a gauge. `read` is called for each scrape; if it returns undefined, the sample is omitted. */
  gauge(name: string, help: string, read: () => number | undefined | Promise<number | undefined>): void;
}

/** Metrics that nobody reads. */
export const noMetrics: Metrics = {
  counter: () => () => undefined,
  histogram: () => () => undefined,
  gauge: () => undefined,
};

/** Metrics that are kept in the memory of this process. */
export interface TextMetrics extends Metrics {
  /** The metrics in the Prometheus text format, version 0.0.4. */
  expose(): Promise<string>;
}

/** A metric with all its samples. */
interface Family {
  readonly help: string;
  readonly type: 'counter' | 'histogram' | 'gauge';
  /** The lines of the samples in the text format. */
  readonly lines: () => Promise<readonly string[]>;
}

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * @example
 * ```ts
 * import { createCheckoutServer, createMetrics } from 'pay-invoice/server';
 *
 * const metrics = createMetrics();
 * createCheckoutServer({ service, store, endpoint, mode: 'TEST', onOutcome, metrics });
 * console.log(await metrics.expose()); // what GET /metrics answers
 * ```
 */
export function createMetrics(): TextMetrics {
  const families = new Map<string, Family>();
  return {
    counter(name, help) {
      const samples = new Map<string, number>();
      const lines = () => Promise.resolve([...samples].map(([labels, value]) => `${name}${labels} ${value}`));
      families.set(name, { help, type: 'counter', lines });
      return (labels = {}, by = 1) => {
        const key = labelsText(labels);
        samples.set(key, (samples.get(key) ?? 0) + by);
      };
    },
    histogram(name, help, bounds) {
      const samples = new Map<string, { readonly labels: Labels; readonly counts: number[]; sum: number }>();
      const lines = () => Promise.resolve([...samples.values()].flatMap((sample) => bucketLines(name, bounds, sample)));
      families.set(name, { help, type: 'histogram', lines });
      return (value, labels = {}) => {
        const key = labelsText(labels);
        const sample = samples.get(key) ?? {
          labels,
          counts: Array.from({ length: bounds.length + 1 }, () => 0),
          sum: 0,
        };
        const bucket = bounds.findIndex((bound) => value <= bound);
        const index = bucket === -1 ? bounds.length : bucket;
        sample.counts[index] = (sample.counts[index] ?? 0) + 1;
        sample.sum += value;
        samples.set(key, sample);
      };
    },
    gauge(name, help, read) {
      const lines = async (): Promise<readonly string[]> => {
        const value = await Promise.resolve()
          .then(read)
          .catch(() => undefined); // the sample is omitted while its value cannot be read
        return value === undefined ? [] : [`${name} ${value}`];
      };
      families.set(name, { help, type: 'gauge', lines });
    },
    async expose() {
      const texts = [...families].map(async ([name, { help, type, lines }]) =>
        [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...(await lines())].join('\n'),
      );
      return `${(await Promise.all(texts)).join('\n')}\n`;
    },
  };
}

/** The lines of a histogram. In this format each bucket includes the buckets below it. */
function bucketLines(
  name: string,
  bounds: readonly number[],
  { labels, counts, sum }: { readonly labels: Labels; readonly counts: readonly number[]; readonly sum: number },
): readonly string[] {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return `${name}_bucket${labelsText({ ...labels, le: bounds[index] ?? '+Inf' })} ${total}`;
  });
  return [...buckets, `${name}_sum${labelsText(labels)} ${sum}`, `${name}_count${labelsText(labels)} ${total}`];
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  if (!/[\\"\n]/.test(value)) return value;
  return value.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`));
}

/** The upper bounds of histogram buckets: durations in seconds, batches in invoices. */
const callBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const paidBounds = [10, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 86_400];
const batchBounds = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/** Counts the server's work in metrics: by wrapped ports, and by counters that the other parts call. */
export function createInstrumentation(metrics: Metrics, clock: Clock) {
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
  const countCreateResult = metrics.counter(`${prefix}_creates_total`, 'CreateInvoice calls by result.');
  const countCreated = metrics.counter(`${prefix}_invoices_created_total`, 'Created invoices by type of method.');
  const countPayment = metrics.counter(`${prefix}_invoices_paid_total`, 'Paid invoices by type of method.');
  const recordPaidAfter = metrics.histogram(
    `${prefix}_seconds_until_paid`,
    'How long after the request for its invoice a payment was learned of, by type of method.',
    paidBounds,
  );
  const countDeliveryResult = metrics.counter(
    `${prefix}_outcome_deliveries_total`,
    'Calls of onOutcome by kind of outcome and result.',
  );
  const countUnfiltered = metrics.counter(
    `${prefix}_options_unfiltered_total`,
    'Responses with the options for all amounts, because the service was not asked for the amount, refused it or failed, by reason.',
  );
  // A counter that is not there until it counts hides its first increase from `rate`.
  for (const result of ['created', 'rejected', 'in_doubt', 'unresolved', 'not_recorded'])
    countCreateResult({ result }, 0);
  for (const result of ['ok', 'failed', 'timeout']) countDeliveryResult({ kind: 'paid', result }, 0);
  const countLogLine = metrics.counter(`${prefix}_log_events_total`, 'Lines of the log by level and event.');
  return {
    /** Wraps the service, so that its calls are counted. */
    service: (service: InvoiceService) => countServiceCalls(service, metrics, clock),
    /** Wraps the log, so that its lines are counted, and that it never throws. */
    log(log: Log): Log {
      const wrappedLog = safeLog(log);
      return (level, event, facts) => {
        countLogLine({ level, event });
        wrappedLog(level, event, facts);
      };
    },
    /** Counts a CreateInvoice call by its result, and a created invoice by the type of its method. */
    countCreate(result: string, method: string | undefined): void {
      countCreateResult({ result });
      if (result !== 'created') return;
      countCreated({ method: methodLabel(method) });
      countPayment({ method: methodLabel(method) }, 0); // so that a method by which nobody pays has a sample
    },
    /** Counts a payment by the type of its method. `seconds`: how long after the request for its invoice it was learned of. */
    countPaid: (method: string | undefined, seconds: number): void => {
      countPayment({ method: methodLabel(method) });
      recordPaidAfter(seconds, { method: methodLabel(method) });
    },
    /** Counts a call of `onOutcome`. */
    countDelivery: (kind: string, result: string): void => countDeliveryResult({ kind, result }),
    /** Counts a response of the checkout API. `ms`: how long the request took; undefined when it waited for a change. */
    countResponse(route: 'checkout' | 'invoice' | 'hook' | 'none', status: number, ms: number | undefined): void {
      countResponseLabels({ route, status });
      if (ms !== undefined) recordRequest(Math.max(0, ms) / 1000, { route });
    },
    /** Counts a response whose options are not filtered by the service for the payer's amount, by the reason. */
    countUnfilteredOptions: (reason: 'rate_limit' | 'refused' | 'failed'): void => countUnfiltered({ reason }),
  };
}

export type Instrumentation = ReturnType<typeof createInstrumentation>;

/** Wraps a log so that it never throws. An error of the log itself cannot be logged. */
export function safeLog(log: Log): Log {
  return (level, event, facts) => callSafely(() => log(level, event, facts));
}

/** Wraps metrics so that counting never throws. The first error of each metric is logged. */
export function safeMetrics(metrics: Metrics, log: Log): Metrics {
  const failed = new Set<string>();
  const count = (name: string, call: () => unknown): void =>
    callSafely(call, (error) => {
      if (failed.has(name)) return;
      failed.add(name);
      log('error', 'metrics_failed', { metric: name, ...shopErrorFields(error) });
    });
  return {
    counter(name, help) {
      const counter = metrics.counter(name, help);
      return (labels, by) => count(name, () => counter(labels, by));
    },
    histogram(name, help, bounds) {
      const histogram = metrics.histogram(name, help, bounds);
      return (value, labels) => count(name, () => histogram(value, labels));
    },
    gauge: (name, help, read) => metrics.gauge(name, help, read),
  };
}

function countServiceCalls(service: InvoiceService, metrics: Metrics, clock: Clock): InvoiceService {
  const countResult = metrics.counter(
    'pay_invoice_service_calls_total',
    'Calls of the invoice service by operation and outcome.',
  );
  const recordDuration = metrics.histogram(
    'pay_invoice_service_call_duration_seconds',
    'How long calls of the invoice service took.',
    callBounds,
  );
  const recordBatchSize = metrics.histogram(
    'pay_invoice_batch_invoices',
    'Invoices in one FetchInvoices.',
    batchBounds,
  );

  for (const operation of ['CreateInvoice', 'FetchPaymentOptions', 'FetchInvoices'])
    for (const outcome of ['ok', 'refused', 'unavailable', 'ambiguous']) countResult({ operation, outcome }, 0);

  const countCall = async <T>(operation: Operation, call: () => Promise<T>): Promise<T> => {
    const startedAt = clock.now();
    let outcome = 'ok';
    try {
      return await call();
    } catch (thrown) {
      const error = toError(thrown);
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

/** The type of a method as a label. The service may have any types; one that is not known to the specification is `other`. */
function methodLabel(type: string | undefined): string {
  const label = (type ?? '').toLowerCase();
  return label === 'card' || label === 'sbp' ? label : 'other';
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

/**
 * The port with wrapped methods. Every method and every argument is forwarded. `watch` is called before each call of the port
 * itself, with the name of the method, and what it returns is called with the promise.
 */
export function decorate<Port extends object>(
  port: Port,
  wrappers: Wrappers<Port>,
  watch: (name: string | symbol) => (result: Promise<unknown>) => void = () => () => undefined,
): Port {
  return new Proxy(port, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      const wrapper: unknown = Reflect.get(wrappers, name);
      return (...args: readonly unknown[]): unknown => {
        const call = (): unknown => {
          const watchResult = watch(name);
          const result: unknown = Reflect.apply(method, target, args);
          if (result instanceof Promise) watchResult(result);
          return result;
        };
        return typeof wrapper === 'function' ? Reflect.apply(wrapper, wrappers, [call, ...args]) : call();
      };
    },
  });
}
