import { steadyClock, withTimeout, type Clock } from '../../base/clock.ts';
import { createRemoteClock, type RemoteClock } from '../../base/remote-clock-estimate.ts';
import { systemRandom, type Random } from '../../base/random.ts';
import { loopbackHost } from '../../base/loopback.ts';
import { operationPath, type Operation } from '../../contract.ts';
import { standardErrorLog, safeLog, type Log } from '../ports/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { BackoffSettings, RetryBudgetSettings } from './retry-loop.ts';
import type { TryFailure } from './retry-policy.ts';

/** A value for each operation of the service. */
export type PerOperation<T> = Readonly<Record<Operation, T>>;

/**
 * Wraps every try, for example with a circuit breaker. A guard calls `call` at most once, or rejects without calling it. `call`
 * rejects only for outages of the service. It does not reject for refusals, rate limits and the documented failure of QR
 * generation. With a breaker of cockatiel: `guard: (call) => breaker.execute(() => call())`.
 */
export type Guard = <T>(call: () => Promise<T>) => Promise<T>;

/** Options of the client of the invoice service. All times are in milliseconds. */
export interface InvoiceServiceClientOptions {
  /** The address of the service, such as `https://invoices.example`; `http:` only on loopback. */
  readonly baseUrl: string;
  /**
   * Sent as `Authorization: Bearer …` (invoice-service.md §5). The token is not logged. A function is called for each request;
   * if the function throws or rejects, nothing is sent.
   */
  readonly token: TokenSource;
  readonly fetch?: typeof globalThis.fetch;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly guard?: Guard;
  /**
   * Receives a line for each failed try; standard error by default. Texts of the service are logged without the token
   * and without long numbers.
   */
  readonly log?: Log;
  /** Receives a count of every try. The checkout server counts the calls. */
  readonly metrics?: Metrics;
  /** The timeout of a call with all its tries and the waits between them. */
  readonly deadlineMs?: Partial<PerOperation<number>>;
  /**
   * The timeout of one try until the end of the response's body. A try with a QR has at least `qr.timeout` plus three seconds.
   */
  readonly tryTimeoutMs?: Partial<PerOperation<number>>;
  /**
   * Maximum requests per second, including retries. Requests over the maximum wait. Only a request for the options of an amount
   * fails immediately, because the list of all options can be used instead.
   */
  readonly requestsPerSecond?: Partial<PerOperation<number>>;
  /** The maximum number of tries of a call. */
  readonly tries?: Partial<PerOperation<number>>;
  readonly maxBodyBytes?: Partial<PerOperation<number>>;
  readonly backoff?: BackoffSettings;
  readonly budget?: RetryBudgetSettings;
  /** The maximum `Retry-After`. A longer `Retry-After` counts as this maximum. */
  readonly maxRetryAfterMs?: number;
}

/** The validated options with their defaults. */
export interface InvoiceServiceSettings {
  readonly operationUrl: (operation: Operation) => string;
  readonly token: TokenSource;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly serviceClock: RemoteClock;
  readonly random: () => number;
  readonly guard: Guard;
  readonly log: Log;
  readonly countTry: (operation: Operation, result: string) => void;
  readonly deadlineMs: PerOperation<number>;
  readonly tryTimeoutMs: PerOperation<number>;
  readonly requestsPerSecond: PerOperation<number>;
  readonly tries: PerOperation<number>;
  readonly maxBodyBytes: PerOperation<number>;
  readonly backoff: BackoffSettings;
  readonly budget: RetryBudgetSettings;
  readonly maxRetryAfterMs: number;
}

const mebibyte = 1024 * 1024;

/**
 * The defaults. The timeouts of the checkout server (`defaultTiming`) are a little longer than these deadlines. FetchInvoices
 * has only one retry, for a lost connection, because the status poller fetches again at its next tick.
 */
export const invoiceServiceDefaults = {
  deadlineMs: { CreateInvoice: 25_000, FetchPaymentOptions: 7_500, FetchInvoices: 3_800 },
  tryTimeoutMs: { CreateInvoice: 8_000, FetchPaymentOptions: 3_500, FetchInvoices: 3_500 },
  requestsPerSecond: { CreateInvoice: 50, FetchPaymentOptions: 10, FetchInvoices: 60 },
  tries: { CreateInvoice: 3, FetchPaymentOptions: 3, FetchInvoices: 2 },
  maxBodyBytes: { CreateInvoice: mebibyte, FetchPaymentOptions: 4 * mebibyte, FetchInvoices: 8 * mebibyte },
  backoff: { baseMs: 200, capMs: 3_000 },
  budget: { perCall: 0.1, reserve: 5 },
  maxRetryAfterMs: 60_000,
} as const satisfies Partial<InvoiceServiceClientOptions>;

/** A step of the service's clock by more than this, in ms, is applied only after two consecutive responses have shown it. */
const unconfirmedStepMs = 30_000;

/**
 * Validates the options and adds the defaults.
 * @throws TypeError for a base URL, a token or a rate that cannot be used. The message does not contain the token.
 */
export function resolveSettings(options: InvoiceServiceClientOptions): InvoiceServiceSettings {
  const baseUrl = parseBaseUrl(options.baseUrl);
  if (typeof options.token !== 'function' && !isToken(options.token))
    throw new TypeError('The token of the invoice service must be visible ASCII without spaces, or a function.');
  const defaults = invoiceServiceDefaults;
  const clock = options.clock ?? steadyClock;
  const triesCounter = options.metrics?.counter(
    'pay_invoice_service_tries_total',
    'Tries of calls of the invoice service by operation and result; more than calls: some were repeated.',
  );
  return {
    operationUrl: (operation) => baseUrl + operationPath(operation),
    token: options.token,
    fetch: options.fetch ?? globalThis.fetch,
    clock,
    serviceClock: createRemoteClock(() => clock.now(), unconfirmedStepMs),
    random: (options.random ?? systemRandom).number,
    guard: options.guard ?? ((call) => call()),
    log: safeLog(options.log ?? standardErrorLog),
    countTry: (operation, result) => triesCounter?.({ operation, result }),
    deadlineMs: { ...defaults.deadlineMs, ...options.deadlineMs },
    tryTimeoutMs: { ...defaults.tryTimeoutMs, ...options.tryTimeoutMs },
    requestsPerSecond: readRates({ ...defaults.requestsPerSecond, ...options.requestsPerSecond }),
    tries: { ...defaults.tries, ...options.tries },
    maxBodyBytes: { ...defaults.maxBodyBytes, ...options.maxBodyBytes },
    backoff: options.backoff ?? defaults.backoff,
    budget: options.budget ?? defaults.budget,
    maxRetryAfterMs: options.maxRetryAfterMs ?? defaults.maxRetryAfterMs,
  };
}

function readRates(rates: PerOperation<number>): PerOperation<number> {
  for (const [operation, rate] of Object.entries(rates))
    if (!Number.isInteger(rate) || rate < 1)
      throw new TypeError(`requestsPerSecond.${operation}: must be a whole number from 1`);
  return rates;
}

/** Validates the base URL, and returns it without slashes at its end. */
function parseBaseUrl(text: string): string {
  if (!URL.canParse(text)) throw new TypeError('The base URL of the invoice service is not a URL.');
  const url = new URL(text);
  const isSecure = url.protocol === 'https:' || (url.protocol === 'http:' && loopbackHost.test(url.hostname));
  if (!isSecure) throw new TypeError('The base URL of the invoice service must be https: (http: only on loopback).');
  if (url.username !== '' || url.password !== '' || text.includes('?') || text.includes('#'))
    throw new TypeError('The base URL of the invoice service may hold no user, query or fragment.');
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** The access token, or a function that is called for each request. */
export type TokenSource = string | (() => string | Promise<string>);

/** Whether a value can be sent as a token. */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,8192}$/.test(value);
}

/** Reads the token of a request. An error of the token function is dropped, because it may contain the token. */
export async function readToken(
  source: TokenSource,
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<{ readonly ok: true; readonly token: string } | { readonly ok: false; readonly failure: TryFailure }> {
  if (typeof source === 'string') return { ok: true, token: source };
  const fail = (detail: string) => ({ ok: false, failure: { kind: 'no_token', detail } }) as const;
  const deadline = clock.now() + timeoutMs;
  try {
    const token: unknown = await withTimeout(clock, timeoutMs, async () => source(), signal);
    return isToken(token) ? { ok: true, token } : fail('the token function returned no visible ASCII');
  } catch {
    if (signal?.aborted === true) return { ok: false, failure: { kind: 'canceled' } };
    return fail(clock.now() >= deadline ? 'the token function did not answer in time' : 'the token function failed');
  }
}
