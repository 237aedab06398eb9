import { z } from 'zod';
import { steadyClock, withTimeout, type Clock } from '../../base/clock.ts';
import { createRemoteClock, type RemoteClock } from '../../base/remote-clock-estimate.ts';
import { systemRandom, type Random } from '../../base/random.ts';
import { loopbackHost } from '../../base/loopback.ts';
import { CheckoutOptionsError } from '../../base/options-error.ts';
import { describeProblems, strictObject, wholeNumber } from '../domain/strict-object.ts';
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

const baseUrl = z
  .string('must be a URL')
  .refine((text) => URL.canParse(text), { error: 'must be a URL', abort: true })
  .refine((text) => {
    const { protocol, hostname } = new URL(text);
    return protocol === 'https:' || (protocol === 'http:' && loopbackHost.test(hostname));
  }, 'must be https: (http: only on loopback)')
  .refine((text) => {
    const { username, password } = new URL(text);
    return username === '' && password === '' && !/[?#]/.test(text);
  }, 'may hold no user, query or fragment')
  .transform((text) => new URL(text).origin + new URL(text).pathname.replace(/\/+$/, ''));

const rate = (perSecond: number) => wholeNumber('', 1).default(perSecond);
const isFunction = (value: unknown): boolean => typeof value === 'function';
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

const optionsSchema = strictObject({
  baseUrl,
  token: z.custom<TokenSource>(
    (value) => isFunction(value) || isToken(value),
    'must be visible ASCII without spaces, or a function',
  ),
  requestsPerSecond: strictObject({
    CreateInvoice: rate(50),
    FetchPaymentOptions: rate(10),
    FetchInvoices: rate(60),
  } satisfies PerOperation<z.ZodType>).prefault({}),
  log: z.custom<Log>(isFunction, 'must be a function').default(() => standardErrorLog),
  metrics: z.custom<Metrics>(isObject, 'must have counter, gauge and histogram').optional(),
  fetch: z.custom<typeof globalThis.fetch>(isFunction, 'must be a function').optional(),
  clock: z.custom<Clock>(isObject, 'must have now and schedule').default(() => steadyClock),
  random: z.custom<Random>(isObject, 'must have number and bytes').default(() => systemRandom),
} satisfies Record<keyof InvoiceServiceClientOptions, z.ZodType>);

/** A step of the service's clock by more than this, in ms, is applied only after two consecutive responses have shown it. */
const unconfirmedStepMs = 30_000;

/**
 * Validates the options and adds the defaults.
 * @throws CheckoutOptionsError. The message does not contain the token.
 */
export function resolveSettings(options: InvoiceServiceClientOptions): InvoiceServiceSettings {
  const result = optionsSchema.safeParse(options);
  if (!result.success) throw new CheckoutOptionsError(describeProblems(result.error, 'options'));
  const { token, clock, metrics, random, requestsPerSecond, ...settings } = result.data;
  const triesCounter = metrics?.counter(
    'pay_invoice_service_tries_total',
    'Tries of calls of the invoice service by operation and result; more than calls: some were repeated.',
  );
  const droppedCounter = metrics?.counter(
    'pay_invoice_service_members_dropped_total',
    'Members of responses of the invoice service that were dropped because they are malformed, by operation and member.',
  );
  const log = safeLog(settings.log);
  return {
    operationUrl: (operation) => settings.baseUrl + operationPath(operation),
    token,
    fetch: settings.fetch ?? globalThis.fetch,
    clock,
    serviceClock: createRemoteClock(() => clock.now(), unconfirmedStepMs),
    random: random.number,
    log,
    reportDropped: createDroppedReport(log, (operation, member) => droppedCounter?.({ operation, member })),
    countTry: (operation, result) => triesCounter?.({ operation, result }),
    requestsPerSecond,
  };
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
