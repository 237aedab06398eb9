import { steadyClock, withTimeout, type Clock } from '../../base/clock.ts';
import { createRemoteClock, type RemoteClock } from '../../base/remote-clock-estimate.ts';
import { systemRandom, type Random } from '../../base/random.ts';
import { loopbackHost } from '../../base/loopback.ts';
import { operationPath, type Operation } from '../../service-api.ts';
import { standardErrorLog, safeLog, type Log } from '../ports/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { createDroppedReport, type ReportDropped } from './parse-response.ts';
import type { TryFailure } from './retry-policy.ts';

/** A value for each operation of the service. */
export type PerOperation<T> = Readonly<Record<Operation, T>>;

/** Options of the client of the invoice service. All times are in milliseconds. */
export interface InvoiceServiceClientOptions {
  /** The address of the service, such as `https://invoices.example`; `http:` only on loopback. */
  readonly baseUrl: string;
  /**
   * Sent as `Authorization: Bearer …` (invoice-service.md §5). The token is not logged. A function is called for each request;
   * if the function throws or rejects, nothing is sent.
   */
  readonly token: TokenSource;
  /**
   * Maximum requests per second, including retries: by default 50 creates, 10 fetches of options and 60 fetches of invoices.
   * Requests over the maximum wait. Only a request for the options of an amount fails immediately, because the list of all
   * options can be used instead.
   */
  readonly requestsPerSecond?: Partial<PerOperation<number>>;
  /**
   * Receives a line for each failed try; standard error by default. Texts of the service are logged without the token
   * and without long numbers.
   */
  readonly log?: Log;
  /** Receives a count of every try. The checkout server counts the calls. */
  readonly metrics?: Metrics;
  /** For tests: sends the requests. */
  readonly fetch?: typeof globalThis.fetch;
  /** For tests: the time and the timers. */
  readonly clock?: Clock;
  readonly random?: Random;
}

/** The validated options with their defaults. */
export interface InvoiceServiceSettings {
  readonly operationUrl: (operation: Operation) => string;
  readonly token: TokenSource;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
  readonly serviceClock: RemoteClock;
  readonly random: () => number;
  readonly log: Log;
  readonly countTry: (operation: Operation, result: string) => void;
  readonly reportDropped: ReportDropped;
  readonly requestsPerSecond: PerOperation<number>;
}

const defaultRequestsPerSecond: PerOperation<number> = {
  CreateInvoice: 50,
  FetchPaymentOptions: 10,
  FetchInvoices: 60,
};

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
  const clock = options.clock ?? steadyClock;
  const triesCounter = options.metrics?.counter(
    'pay_invoice_service_tries_total',
    'Tries of calls of the invoice service by operation and result; more than calls: some were repeated.',
  );
  const droppedCounter = options.metrics?.counter(
    'pay_invoice_service_members_dropped_total',
    'Members of responses of the invoice service that were dropped because they are malformed, by operation and member.',
  );
  const log = safeLog(options.log ?? standardErrorLog);
  return {
    operationUrl: (operation) => baseUrl + operationPath(operation),
    token: options.token,
    fetch: options.fetch ?? globalThis.fetch,
    clock,
    serviceClock: createRemoteClock(() => clock.now(), unconfirmedStepMs),
    random: (options.random ?? systemRandom).number,
    log,
    reportDropped: createDroppedReport(log, (operation, member) => droppedCounter?.({ operation, member })),
    countTry: (operation, result) => triesCounter?.({ operation, result }),
    requestsPerSecond: readRates({ ...defaultRequestsPerSecond, ...options.requestsPerSecond }),
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
  const time = { isOver: false };
  const callSource = async (timeout: AbortSignal): Promise<unknown> => {
    timeout.addEventListener('abort', () => (time.isOver = true), { once: true });
    return source();
  };
  try {
    const token = await withTimeout(clock, timeoutMs, callSource, signal);
    return isToken(token) ? { ok: true, token } : fail('the token function returned no visible ASCII');
  } catch {
    if (signal?.aborted === true) return { ok: false, failure: { kind: 'canceled' } };
    return fail(time.isOver ? 'the token function did not answer in time' : 'the token function failed');
  }
}
