import {
  compareDecimals,
  createInvoiceRequest,
  type CreateInvoiceRequest,
  fetchInvoicesRequest,
  fetchPaymentOptionsRequest,
  isWithin,
  parseDuration,
} from '../../../service-api.ts';
import { sleep, type Clock } from '../../../base/clock.ts';
import { hasMoreDigits } from '../../../base/currency-digits.ts';
import type { Random } from '../../../base/random.ts';
import type { Settings } from '../control/sandbox-settings.ts';
import type { InvoiceStore } from '../invoices/invoice-store.ts';
import { toCreatedJson, toFetchedJson, type Invoice } from '../invoices/invoice.ts';
import type { InvoiceLifecycle } from '../invoices/invoice-lifecycle.ts';
import { parse } from './parse-request.ts';
import { banksFor, findOption, optionsFor } from './payment-options.ts';
import { type Requisites, requisitesFor } from './requisites.ts';
import { ServiceError } from './service-error.ts';

/** Time allowed for the QR code when `qr.timeout` is not given, in milliseconds (invoice-service.md §4.1, §8). */
const defaultQrTimeoutMs = 4000;

/** The parts of the sandbox that CreateInvoice uses. */
export interface CreateInvoiceContext {
  readonly store: InvoiceStore;
  readonly lifecycle: InvoiceLifecycle;
  readonly settings: { readonly current: Settings };
  readonly clock: Clock;
  readonly random: Random;
  /** Whether a repeated `external_id` gets a new invoice, whatever the settings say. */
  readonly isDuplicate: boolean;
}

/** CreateInvoice (invoice-service.md §4.1). `baseUrl` is the sandbox's own address, for the links. */
export async function createInvoice(
  { store, lifecycle, settings, clock, random, isDuplicate }: CreateInvoiceContext,
  body: unknown,
  baseUrl: string,
  signal: AbortSignal,
): Promise<object> {
  const request = parse(createInvoiceRequest, body);
  const amount = requireAmount(request.amount);
  const id = createInvoiceId(random);
  const requisites = createRequisites(id, amount, request);
  const includesLink = request.qr?.generate === true;
  const qrTimeoutMs = readQrTimeoutMs(request);
  if (includesLink) await generateQr(settings.current.qr_generation_ms, qrTimeoutMs, clock, signal);

  const { invoice_lifetime_ms } = settings.current;
  const repeatedExternalIdMode = isDuplicate ? 'new' : settings.current.repeated_external_id;
  const now = clock.now();
  const newInvoice: Invoice = {
    id,
    mode: request.mode ?? 'LIVE',
    amount,
    status: 'PENDING',
    created_at: now,
    expires_at: now + invoice_lifetime_ms,
    external_id: request.external_id === '' ? undefined : request.external_id,
    payment_method_id: request.payment_method_id === '' ? undefined : request.payment_method_id,
    url_config: request.url_config,
    metadata: readMetadata(body),
    ...requisites,
  };
  const { external_id } = newInvoice;
  const existingInvoice =
    external_id === undefined || repeatedExternalIdMode === 'new' ? undefined : store.findFirst(external_id);
  if (existingInvoice !== undefined && repeatedExternalIdMode === 'conflict')
    throw new ServiceError('already_exists', 'external_id: there is an invoice with it already');
  if (existingInvoice === undefined) store.save(newInvoice);
  lifecycle.scheduleExpiry();
  return toCreatedJson(existingInvoice ?? newInvoice, baseUrl, includesLink);
}

/** The most digits that an amount may have after the point: those of the currency with the smallest unit (CLF, ISO 4217). */
const maxFractionDigits = 4;

/** Checks that an amount is positive, and possible in some currency: a request names none (invoice-service.md §2.5). */
function checkAmount(amount: string): string {
  if (compareDecimals(amount, '0') <= 0)
    throw new ServiceError('invalid_argument', 'amount: must be greater than zero');
  if (hasMoreDigits(amount, maxFractionDigits))
    throw new ServiceError('invalid_argument', `amount: must have at most ${maxFractionDigits} fraction digits`);
  return amount;
}

function requireAmount(amount: string | undefined): string {
  if (amount === undefined) throw new ServiceError('invalid_argument', 'amount: is required');
  return checkAmount(amount);
}

/** Returns the caller's metadata unchanged. A schema is not used, because it would copy and could change the metadata. */
function readMetadata(body: unknown): unknown {
  const hasMetadata = typeof body === 'object' && body !== null && 'metadata' in body && body.metadata !== null;
  return hasMetadata ? body.metadata : undefined;
}

function readQrTimeoutMs({ qr }: CreateInvoiceRequest): number {
  const timeoutMs = qr?.timeout === undefined ? defaultQrTimeoutMs : (parseDuration(qr.timeout) ?? defaultQrTimeoutMs);
  if (timeoutMs < 0) throw new ServiceError('invalid_argument', 'qr.timeout: must not be negative');
  return timeoutMs;
}

/** Creates requisites for the chosen method. Without a method there are none: the payer pays on the payment page. */
function createRequisites(
  id: string,
  amount: string,
  { payment_method_id, mode = 'LIVE' }: CreateInvoiceRequest,
): Partial<Requisites> {
  if (payment_method_id === undefined || payment_method_id === '') return {};
  const option = findOption(payment_method_id);
  if (option === undefined)
    throw new ServiceError('invalid_argument', 'payment_method_id: there is no such payment method');
  if (!option.available)
    throw new ServiceError('failed_precondition', 'payment_method_id: the payment method is not available');
  const { min_amount, max_amount } = option.limits;
  if (!isWithin(amount, option.limits))
    throw new ServiceError(
      'out_of_range',
      `amount: must be from ${min_amount} to ${max_amount} for this payment method`,
    );
  return requisitesFor(id, mode, option, banksFor(option, amount));
}

/** Simulates the generation of a QR code. When it exceeds the time limit, it fails with 503 and the code Internal (§7). */
async function generateQr(generationMs: number, timeoutMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  await sleep(clock, Math.min(generationMs, timeoutMs), signal);
  if (generationMs > timeoutMs)
    throw new ServiceError('internal', 'qr: the QR code could not be generated in time, try again', {
      httpStatus: 503,
    });
}

const idAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Creates an identifier that cannot be guessed, because whoever has it can open the payment page. */
function createInvoiceId(random: Random): string {
  return `inv_${Array.from(random.bytes(24), (byte) => idAlphabet[byte % 32]).join('')}`;
}

/**
 * FetchPaymentOptions (invoice-service.md §4.2). With an amount, methods and banks whose limits do not allow it are left
 * out. Unavailable methods stay in the list with `available` false.
 */
export function fetchPaymentOptions(body: unknown): object {
  const { amount } = parse(fetchPaymentOptionsRequest, body);
  return { options: optionsFor(amount === undefined ? undefined : checkAmount(amount)) };
}

/**
 * FetchInvoices (invoice-service.md §4.3): the invoices in the order of the identifiers, each once. Unknown identifiers
 * are left out.
 */
export function fetchInvoices(lifecycle: InvoiceLifecycle, body: unknown, baseUrl: string): object {
  const { ids } = parse(fetchInvoicesRequest, body);
  return { invoices: lifecycle.findAll(ids).map((invoice) => toFetchedJson(invoice, baseUrl)) };
}
