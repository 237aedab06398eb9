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

/** Limits the additional tries without the QR in an outage. The creates beyond it stay in doubt and are repeated later. */
const withoutQrBudget = { perCall: 0.1, reserve: 20 };

/**
 * The client of the invoice service. A call has one deadline for a limited number of tries; the table in
 * `retry-policy.ts` decides what is repeated. Each operation has a rate limit, which counts repeats too. Create one client for
 * each process, because the limits are those of the client. Connections are kept alive by `fetch`; a circuit breaker can be
 * passed in as `guard`.
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
  const make = <T>(call: Call<T>): Promise<T> => makeCall(call, settings, limiters[call.operation], ports);
  return {
    createInvoice: async (request, signal) => make(createCall(request, signal)),
    fetchPaymentOptions: async (amount, signal) => make(optionsCall(amount, signal, log)),
    fetchInvoices: async (ids, signal) => {
      if (ids.length === 0) return []; // the result of an empty list is not specified (§4.3)
      const invoices = await make(invoicesCall(ids, signal, log));
      return invoices.filter((invoice) => ids.includes(invoice.id));
    },
    time: () => settings.serviceClock.now(),
  };
}

/** @throws InvoiceServiceError when the mode is missing: the service's default is LIVE. */
function createCall(request: CreateInvoiceRequest, signal: AbortSignal | undefined): Call<CreatedInvoice> {
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
      const echoed = invoice.ok ? invoice.value.external_id : undefined;
      const isOther = hasExternalId && echoed !== undefined && echoed !== request.external_id;
      return isOther ? { ok: false, detail: 'external_id' } : invoice;
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
      const answer = parseWith(fetchPaymentOptionsResponse, json);
      if (!answer.ok) return answer;
      return { ok: true, value: parseItems(paymentOption, answer.value.options, 'FetchPaymentOptions', log) };
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
      const answer = parseWith(fetchInvoicesResponse, json);
      if (!answer.ok) return answer;
      return { ok: true, value: parseFetchedInvoices(answer.value.invoices, log) };
    },
  };
}
