import {
  fetchInvoicesResponse,
  fetchPaymentOptionsResponse,
  parseDuration,
  paymentOption,
  type CreatedInvoice,
  type CreateInvoiceRequest,
  type FetchedInvoice,
  type PaymentOption,
} from '../../service-api.ts';
import { createBatchSizes } from './learned-batch-size.ts';
import { callOperation, type Call, type CallContext } from './call-operation.ts';
import {
  parseCreatedInvoice,
  parseFetchedInvoices,
  parseItems,
  parseWith,
  type ReportDropped,
} from './parse-response.ts';
import { resolveSettings, type InvoiceServiceClientOptions, type InvoiceServiceSettings } from './client-options.ts';
import { InvoiceServiceError, type InvoiceService } from '../ports/invoice-service.ts';
import { createRateLimiter } from './operation-rate-limit.ts';
import { createRetryBudget } from './retry-budget.ts';

/** The service's default, used when the request has no readable `qr.timeout` (invoice-service.md §8). */
const defaultQrTimeoutMs = 4_000;

/**
 * Creates a client of the invoice service. A call has one deadline for a limited number of tries; the table in
 * `retry-policy.ts` decides which failures are retried. Each operation has a rate limit, which counts retries too. Create only
 * one client in each process, because each client has its own rate limits. `fetch` keeps connections alive.
 * @throws TypeError for a base URL, a token or a rate that cannot be used.
 */
export function createInvoiceServiceClient(options: InvoiceServiceClientOptions): InvoiceService {
  const settings = resolveSettings(options);
  const { clock, requestsPerSecond, reportDropped } = settings;
  const context: CallContext = {
    settings,
    budget: createRetryBudget(),
    limiters: {
      CreateInvoice: createRateLimiter(clock, requestsPerSecond.CreateInvoice),
      FetchPaymentOptions: createRateLimiter(clock, requestsPerSecond.FetchPaymentOptions),
      FetchInvoices: createRateLimiter(clock, requestsPerSecond.FetchInvoices),
    },
  };
  const batches = createBatchSizes(clock);
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
      return batches.fetch(ids, fetchPart);
    },
    time: () => settings.serviceClock.now(),
  };
}

/** @throws InvoiceServiceError when the mode is missing, because the service's default mode is LIVE. */
function createInvoiceCall(
  request: CreateInvoiceRequest,
  signal: AbortSignal | undefined,
  report: ReportDropped,
): Call<CreatedInvoice> {
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
  { log, reportDropped }: InvoiceServiceSettings,
): Call<readonly PaymentOption[]> {
  return {
    operation: 'FetchPaymentOptions',
    body: JSON.stringify({ amount }),
    signal,
    ...(amount === undefined ? {} : { limiterWaitMs: 0 }),
    parse: (json) => {
      const response = parseWith(fetchPaymentOptionsResponse, json);
      if (!response.ok) return response;
      return {
        ok: true,
        value: parseItems(paymentOption, response.value.options, 'FetchPaymentOptions', log, reportDropped),
      };
    },
  };
}

function invoicesCall(
  ids: readonly string[],
  signal: AbortSignal | undefined,
  { log, reportDropped }: InvoiceServiceSettings,
): Call<readonly FetchedInvoice[]> {
  return {
    operation: 'FetchInvoices',
    body: JSON.stringify({ ids }),
    signal,
    parse: (json) => {
      const response = parseWith(fetchInvoicesResponse, json);
      if (!response.ok) return response;
      return { ok: true, value: parseFetchedInvoices(response.value.invoices, log, reportDropped) };
    },
  };
}
