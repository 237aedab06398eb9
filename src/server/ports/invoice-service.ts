import { createCallMs } from '../../base/create-time-limits.ts';
import {
  parseDuration,
  type CreatedInvoice,
  type CreateInvoiceRequest,
  type FetchedInvoice,
  type PaymentOption,
  type StatusCode,
} from '../../service-api.ts';

/** The service's default of `qr.timeout`, in milliseconds (invoice-service.md §8). */
const defaultQrTimeoutMs = 4_000;

/** How long the service may generate the QR of a request, in milliseconds; 0 without a QR. */
export function qrTimeoutMs({ qr }: Pick<CreateInvoiceRequest, 'qr'>): number {
  return qr?.generate === true ? (parseDuration(qr.timeout ?? '') ?? defaultQrTimeoutMs) : 0;
}

/** The timeout of one CreateInvoice, in milliseconds. */
export const createTimeoutMs = (request: Pick<CreateInvoiceRequest, 'qr'>): number =>
  createCallMs(qrTimeoutMs(request));

/**
 * How a call failed:
 * - `refused`: the service refused the call and certainly did nothing; a repeat would not help;
 * - `unavailable`: the service certainly did nothing; a repeat may succeed later;
 * - `ambiguous`: the service may have executed the call, as after a reset, a timeout, or a response that is cut short.
 */
export type ServiceFailure = 'refused' | 'unavailable' | 'ambiguous';

/** Thrown when a call of the invoice service has failed. The message contains no personal data. */
export class InvoiceServiceError extends Error {
  override readonly name = 'InvoiceServiceError';
  readonly failure: ServiceFailure;
  readonly code: StatusCode;
  /** Whether the service sent `code`. Otherwise `code` is the code that is closest to the failure. */
  readonly isOwnCode: boolean;
  /** The HTTP status of the response; 0 without a response. */
  readonly httpStatus: number;
  /** The service's `Retry-After` in milliseconds; undefined without that header. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    facts: {
      failure: ServiceFailure;
      code: StatusCode;
      isOwnCode?: boolean;
      httpStatus?: number;
      retryAfterMs?: number | undefined;
      cause?: unknown;
    },
  ) {
    super(message, { cause: facts.cause });
    this.failure = facts.failure;
    this.code = facts.code;
    this.isOwnCode = facts.isOwnCode ?? true;
    this.httpStatus = facts.httpStatus ?? 0;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** Whether a call was not sent, because of the client's rate limit, or because of the service's `Retry-After`. */
export function isRateLimited(error: unknown): boolean {
  return error instanceof InvoiceServiceError && error.code === 'resource_exhausted' && error.httpStatus === 0;
}

/** The invoice service. Every method rejects with `InvoiceServiceError` only. */
export interface InvoiceService {
  /**
   * Creates an invoice (invoice-service.md §4.1), within `createTimeoutMs`. When only the QR is refused, the request is made
   * without it, so that the payer still gets requisites.
   */
  createInvoice(request: CreateInvoiceRequest, signal?: AbortSignal): Promise<CreatedInvoice>;

  /**
   * The payment options, filtered by the service when an amount is given (invoice-service.md §4.2). When the rate limit is
   * reached, a call with an amount rejects with an error for which `isRateLimited` is true.
   */
  fetchPaymentOptions(amount: string | undefined, signal?: AbortSignal): Promise<readonly PaymentOption[]>;

  /** The invoices with these identifiers, each once, in any order. Unknown identifiers are ignored (invoice-service.md §4.3). */
  fetchInvoices(ids: readonly string[], signal?: AbortSignal): Promise<readonly FetchedInvoice[]>;

  /**
   * Milliseconds until the next call may be sent, by the rate limit; 0: now. A payer is asked to try again when the wait is
   * long. A batch that is claimed before it may be sent would only wait, and an invoice that a webhook tells of behind it.
   */
  waitMs?(operation: 'CreateInvoice' | 'FetchInvoices'): number;

  /**
   * The service's time in milliseconds since 1970, by the `Date` headers of its last responses; undefined while it is not
   * known. Deadlines of invoices are compared with it.
   */
  time?(): number | undefined;

  /**
   * The same, or an earlier time that a single response has shown, which may be wrong. An invoice that has expired by `time`
   * alone may be new: the service's clock may have been set back.
   */
  earliestTime?(): number | undefined;
}
