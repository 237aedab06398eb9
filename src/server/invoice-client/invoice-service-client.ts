import {
  fetchInvoicesResponse,
  fetchPaymentOptionsResponse,
  type CreatedInvoice,
  type CreateInvoiceRequest,
  type FetchedInvoice,
  type PaymentOption,
  operationPath,
} from '../../service-api.ts';
import {
  callOperation,
  type Call,
  type CallContext,
  type InvoiceServiceSettings,
  type PerOperation,
} from './call-operation.ts';
import {
  parseCreatedInvoice,
  parseFetchedInvoices,
  parseOptions,
  parseWith,
  type DroppedReport,
  createDroppedReport,
} from './parse-service-responses.ts';
import { type TokenSource, isToken } from './send-http-request.ts';
import { createTimeoutMs, InvoiceServiceError, qrTimeoutMs, type InvoiceService } from '../ports/invoice-service.ts';
import { createRateLimiter } from './failure-and-rate-limit.ts';
import { z } from 'zod';
import { withoutEndSlashes } from '../../base/addresses.ts';
import { steadyClock, type Clock } from '../../base/clock.ts';
import { createRemoteClock } from '../../base/remote-clock-estimate.ts';
import { loopbackHost } from '../../base/loopback-host.ts';
import { checkOptions, strictObject, wholeNumber } from '../domain/strict-object.ts';
import { standardErrorLog, type Log } from '../ports/log.ts';
import { noMetrics, safeLog, safeMetrics, type Metrics } from '../telemetry/metrics.ts';

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
   * Maximum requests per second: by default 50 creates, 10 fetches of options and 60 fetches of invoices.
   * Requests over the maximum wait. Only a request for the options of an amount fails immediately, because the list of all
   * options can be used instead.
   */
  readonly requestsPerSecond?: Partial<PerOperation<number>>;
  /**
   * Receives a line for each failed request; standard error by default. Texts of the service are logged without the token
   * and without long numbers.
   */
  readonly log?: Log;
  /** Receives a count of every request. The checkout server counts the calls. */
  readonly metrics?: Metrics;
  /** For tests: sends the requests. */
  readonly fetch?: typeof globalThis.fetch;
  /** For tests: the time and the timers. */
  readonly clock?: Clock;
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
  .transform((text) => new URL(text).origin + withoutEndSlashes(new URL(text).pathname));

const rate = (perSecond: number) => wholeNumber('', 1).default(perSecond);
const isFunction = (value: unknown): boolean => typeof value === 'function';
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

const optionsSchema = strictObject({
  baseUrl,
  token: z.custom<TokenSource>(
    (value) => isFunction(value) || isToken(value),
    'must be visible ASCII without spaces and quotes, or a function',
  ),
  requestsPerSecond: strictObject({
    CreateInvoice: rate(50),
    FetchPaymentOptions: rate(10),
    FetchInvoices: rate(60),
  } satisfies PerOperation<z.ZodType>).prefault({}),
  log: z.custom<Log>(isFunction, 'must be a function').default(() => standardErrorLog),
  metrics: z.custom<Metrics>(isObject, 'must have counter, gauge and histogram').default(() => noMetrics),
  fetch: z.custom<typeof globalThis.fetch>(isFunction, 'must be a function').optional(),
  clock: z.custom<Clock>(isObject, 'must have now and schedule').default(() => steadyClock),
} satisfies Record<keyof InvoiceServiceClientOptions, z.ZodType>);

/** A step of the service's clock by more than this, in ms, is applied only after two consecutive responses have shown it. */
const unconfirmedStepMs = 30_000;

/**
 * Validates the options and adds the defaults.
 * @throws CheckoutOptionsError. The message does not contain the token.
 */
export function resolveSettings(options: InvoiceServiceClientOptions): InvoiceServiceSettings {
  const { token, clock, requestsPerSecond, ...settings } = checkOptions(optionsSchema, options);
  const log = safeLog(settings.log);
  const metrics = safeMetrics(settings.metrics, log);
  const triesCounter = metrics.counter(
    'pay_invoice_service_tries_total',
    'Requests to the invoice service by operation and result; more than calls: the QR of some was refused.',
  );
  const droppedCounter = metrics.counter(
    'pay_invoice_service_members_dropped_total',
    'Members of responses of the invoice service that were dropped because they are malformed, by operation and member.',
  );
  return {
    operationUrl: (operation) => settings.baseUrl + operationPath(operation),
    token,
    fetch: settings.fetch ?? globalThis.fetch,
    clock,
    serviceClock: createRemoteClock(() => clock.now(), unconfirmedStepMs),
    log,
    reportDropped: createDroppedReport(log, (operation, member) => droppedCounter({ operation, member })),
    countTry: (operation, result) => triesCounter({ operation, result }),
    requestsPerSecond,
  };
}

/** How long a call waits for the rate limit, in milliseconds, but at most for half of its time. */
const maxWaitMs = 4_000;
/** The timeout of a read, in milliseconds. The timeouts of the checkout server are a little longer. */
const readTimeoutMs = 3_500;

/**
 * Creates a client of the invoice service. It repeats no call but a create whose QR was refused; the table in
 * `failure-and-rate-limit.ts` decides what a failure means. Each operation has a rate limit. Create only one client in each process,
 * because each client has its own rate limits. `fetch` keeps connections alive.
 * @throws TypeError for a base URL, a token or a rate that cannot be used.
 * @example
 * ```ts
 * import { createInvoiceServiceClient } from 'pay-invoice/server';
 *
 * createInvoiceServiceClient({
 *   baseUrl: 'https://invoices.example',
 *   token: () => Promise.resolve('from a vault'), // or a text
 *   requestsPerSecond: { CreateInvoice: 20 },
 * });
 * ```
 */
export function createInvoiceServiceClient(options: InvoiceServiceClientOptions): InvoiceService {
  const settings = resolveSettings(options);
  const { clock, requestsPerSecond, reportDropped } = settings;
  const context: CallContext = {
    settings,
    limiters: {
      CreateInvoice: createRateLimiter(clock, requestsPerSecond.CreateInvoice),
      FetchPaymentOptions: createRateLimiter(clock, requestsPerSecond.FetchPaymentOptions),
      FetchInvoices: createRateLimiter(clock, requestsPerSecond.FetchInvoices),
    },
  };
  const fetchInParts = createBatchSizes(clock);
  return {
    createInvoice: async (request, signal) => callOperation(createInvoiceCall(request, signal, reportDropped), context),
    fetchPaymentOptions: async (amount, signal) => callOperation(optionsCall(amount, signal, settings), context),
    async fetchInvoices(ids, signal) {
      // A signal of its own for each part: Node warns of a leak when one signal has more than ten listeners.
      const partSignal = (): AbortSignal | undefined => signal && AbortSignal.any([signal]);
      const fetchPart = async (part: readonly string[]): Promise<readonly FetchedInvoice[]> =>
        (await callOperation(invoicesCall(part, partSignal(), settings), context)).filter(({ id }) =>
          part.includes(id),
        );
      return fetchInParts(ids, fetchPart);
    },
    waitMs: (operation) => context.limiters[operation].waitMs(),
    time: () => settings.serviceClock.now(),
    earliestTime: () => settings.serviceClock.earliestNow(),
  };
}

/** @throws InvoiceServiceError when the mode is missing, because the service's default mode is LIVE. */
function createInvoiceCall(
  request: CreateInvoiceRequest,
  signal: AbortSignal | undefined,
  report: DroppedReport,
): Call<CreatedInvoice> {
  if (request.mode === undefined)
    throw new InvoiceServiceError('CreateInvoice is refused before it is sent: it has no mode', {
      failure: 'refused',
      code: 'invalid_argument',
    });
  const { qr, ...withoutQr } = request;
  const hasExternalId = request.external_id !== undefined && request.external_id !== '';
  return {
    operation: 'CreateInvoice',
    body: JSON.stringify(request),
    timeoutMs: createTimeoutMs(request),
    limiterWaitMs: maxWaitMs,
    hasExternalId,
    qr: qr?.generate === true ? { timeoutMs: qrTimeoutMs(request), bodyWithout: JSON.stringify(withoutQr) } : undefined,
    signal,
    parse: (json) => {
      const invoice = parseCreatedInvoice(json, report);
      // An invoice with another external_id belongs to another request. Its requisites must not be shown.
      const returnedId = invoice.ok ? invoice.value.external_id : undefined;
      const isOfOtherRequest = hasExternalId && returnedId !== undefined && returnedId !== request.external_id;
      return isOfOtherRequest ? { ok: false, detail: 'external_id' } : invoice;
    },
  };
}

function optionsCall(
  amount: string | undefined,
  signal: AbortSignal | undefined,
  { reportDropped }: InvoiceServiceSettings,
): Call<readonly PaymentOption[]> {
  return {
    operation: 'FetchPaymentOptions',
    body: JSON.stringify({ amount }),
    timeoutMs: readTimeoutMs,
    signal,
    limiterWaitMs: amount === undefined ? maxWaitMs : 0,
    parse: (json) => {
      const response = parseWith(fetchPaymentOptionsResponse, json);
      if (!response.ok) return response;
      return { ok: true, value: parseOptions(response.value.options, reportDropped) };
    },
  };
}

function invoicesCall(
  ids: readonly string[],
  signal: AbortSignal | undefined,
  { reportDropped }: InvoiceServiceSettings,
): Call<readonly FetchedInvoice[]> {
  return {
    operation: 'FetchInvoices',
    body: JSON.stringify({ ids }),
    timeoutMs: readTimeoutMs,
    limiterWaitMs: maxWaitMs,
    signal,
    parse: (json) => {
      const response = parseWith(fetchInvoicesResponse, json);
      if (!response.ok) return response;
      return { ok: true, value: parseFetchedInvoices(response.value.invoices, ids, reportDropped) };
    },
  };
}

/** After this time a learned size is forgotten, in milliseconds: the service may take more identifiers by then. */
const keepMs = 3_600_000;

/** Statuses by which a service may refuse a list because of its length. */
const lengthStatuses: readonly number[] = [400, 413, 422];

/**
 * Returns a function that splits a FetchInvoices by the number of identifiers that the service takes, which it does not document:
 * it calls `fetchPart` for parts of the identifiers, and resolves with the invoices of all parts. Empty lists are not sent.
 *
 * It learns the size from results: when the service refuses a list and then takes a shorter one, later lists have at most the
 * length of the shorter one. When the service takes a list of the refused length, the cause was an identifier and not the
 * length, and nothing is learned. The caller halves a refused list, so that the size is found in a few calls.
 */
function createBatchSizes(clock: Clock) {
  let shortestRefused = Infinity;
  let longestTaken = 0;
  let learnedAt = 0;

  const maxLength = (): number => {
    if (clock.now() - learnedAt > keepMs) shortestRefused = Infinity;
    return shortestRefused > longestTaken && longestTaken > 0 && shortestRefused < Infinity ? longestTaken : Infinity;
  };
  const noteTaken = (length: number): void => {
    if (length >= shortestRefused) shortestRefused = Infinity;
    longestTaken = Math.max(longestTaken, length);
  };
  const noteRefused = (length: number, httpStatus: number): void => {
    // 413 says that the list is too long: half of it is tried next, without a proof.
    if (longestTaken >= length || longestTaken === 0) longestTaken = httpStatus === 413 ? Math.floor(length / 2) : 0;
    shortestRefused = Math.min(shortestRefused, length);
    learnedAt = clock.now();
  };

  return async (
    ids: readonly string[],
    fetchPart: (part: readonly string[]) => Promise<readonly FetchedInvoice[]>,
  ): Promise<readonly FetchedInvoice[]> => {
    const results = await Promise.all(
      splitEvery(ids, maxLength()).map(async (part) => {
        try {
          const invoices = await fetchPart(part);
          noteTaken(part.length);
          return invoices;
        } catch (error) {
          if (error instanceof InvoiceServiceError && lengthStatuses.includes(error.httpStatus))
            noteRefused(part.length, error.httpStatus);
          throw error;
        }
      }),
    );
    return results.flat();
  };
}

function splitEvery(ids: readonly string[], length: number): readonly (readonly string[])[] {
  if (ids.length <= length) return ids.length === 0 ? [] : [ids];
  return [ids.slice(0, length), ...splitEvery(ids.slice(length), length)];
}
