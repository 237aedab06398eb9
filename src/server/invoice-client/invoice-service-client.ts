import {
  createdInvoice,
  fetchInvoicesResponse,
  fetchPaymentOptionsResponse,
  parseDuration,
  paymentOption,
  type CreatedInvoice,
  type CreateInvoiceRequest,
  type FetchedInvoice,
  type Operation,
  type PaymentOption,
} from '../../contract.ts';
import { makeCall, type Call } from './call-operation.ts';
import { parseFetchedInvoices, parseItems, parseWith } from './parse-response.ts';
import { resolveSettings, type InvoiceServiceClientOptions } from './client-options.ts';
import { InvoiceServiceError, type InvoiceService } from '../ports/invoice-service.ts';
import { createRateLimiter, type RateLimiter } from './operation-rate-limit.ts';
import { createRetryBudget, type RetryPorts } from './retry-loop.ts';
import type { Log } from '../ports/log.ts';

/** The service's default, used when the request has no readable `qr.timeout` (invoice-service.md §8). */
const defaultQrTimeoutMs = 4_000;

/** The budget for additional tries without the QR. Creates that exceed it in an outage stay in doubt and are repeated later. */
const withoutQrBudget = { perCall: 0.1, reserve: 20 };

/**
 * Creates a client of the invoice service. A call has one deadline for a limited number of tries; the table in
 * `retry-policy.ts` decides which failures are retried. Each operation has a rate limit, which counts retries too. Create only
 * one client in each process, because each client has its own rate limits. `fetch` keeps connections alive. A circuit breaker
 * can be passed as `guard`.
 * @throws TypeError for a base URL, a token or a rate that cannot be used.
 */
export function createInvoiceServiceClient(options: InvoiceServiceClientOptions): InvoiceService {
  const settings = resolveSettings(options);
  const { clock, random, backoff, log } = settings;
  const ports: RetryPorts = {
    clock,
    random,
    backoff,
    budget: createRetryBudget(settings.budget),
    withoutQrBudget: createRetryBudget(withoutQrBudget),
  };
  const limiterFor = (operation: Operation): RateLimiter =>
    createRateLimiter(clock, settings.requestsPerSecond[operation]);
  const limiters: Readonly<Record<Operation, RateLimiter>> = {
    CreateInvoice: limiterFor('CreateInvoice'),
    FetchPaymentOptions: limiterFor('FetchPaymentOptions'),
    FetchInvoices: limiterFor('FetchInvoices'),
  };
  const callService = <T>(call: Call<T>): Promise<T> => makeCall(call, settings, limiters[call.operation], ports);
  return {
    createInvoice: async (request, signal) => callService(createInvoiceCall(request, signal)),
    fetchPaymentOptions: async (amount, signal) => callService(optionsCall(amount, signal, log)),
    fetchInvoices: async (ids, signal) => {
      if (ids.length === 0) return []; // the specification does not define the result for an empty list (§4.3)
      const invoices = await callService(invoicesCall(ids, signal, log));
      return invoices.filter((invoice) => ids.includes(invoice.id));
    },
    time: () => settings.serviceClock.now(),
  };
}

/** @throws InvoiceServiceError when the mode is missing, because the service's default mode is LIVE. */
function createInvoiceCall(request: CreateInvoiceRequest, signal: AbortSignal | undefined): Call<CreatedInvoice> {
  if (request.mode === undefined)
    throw new InvoiceServiceError('CreateInvoice is refused before it is sent: it has no mode', {
      failure: 'refused',
      code: 'invalid_argument',
    });
  const { qr, ...withoutQr } = request;
  const hasExternalId = request.external_id !== undefined && request.external_id !== '';
  const timeoutMs = parseDuration(qr?.timeout ?? '') ?? defaultQrTimeoutMs;
  return {
    operation: 'CreateInvoice',
    body: JSON.stringify(request),
    hasExternalId,
    ...(qr?.generate === true ? { qr: { bodyWithout: JSON.stringify(withoutQr), timeoutMs } } : {}),
    signal,
    parse: (json) => {
      const invoice = parseWith(createdInvoice, json);
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
  log: Log,
): Call<readonly PaymentOption[]> {
  return {
    operation: 'FetchPaymentOptions',
    body: JSON.stringify({ amount }),
    signal,
    ...(amount === undefined ? {} : { limiterWaitMs: 0 }),
    parse: (json) => {
      const response = parseWith(fetchPaymentOptionsResponse, json);
      if (!response.ok) return response;
      return { ok: true, value: parseItems(paymentOption, response.value.options, 'FetchPaymentOptions', log) };
    },
  };
}

function invoicesCall(
  ids: readonly string[],
  signal: AbortSignal | undefined,
  log: Log,
): Call<readonly FetchedInvoice[]> {
  return {
    operation: 'FetchInvoices',
    body: JSON.stringify({ ids }),
    signal,
    parse: (json) => {
      const response = parseWith(fetchInvoicesResponse, json);
      if (!response.ok) return response;
      return { ok: true, value: parseFetchedInvoices(response.value.invoices, log) };
    },
  };
}
