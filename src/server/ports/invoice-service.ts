import type {
  CreatedInvoice,
  CreateInvoiceRequest,
  FetchedInvoice,
  PaymentOption,
  StatusCode,
} from '../../contract.ts';

/**
 * What became of a call that did not succeed:
 * `refused` the service answered and certainly did nothing; repeating it would not help;
 * `unavailable` it certainly did nothing, and may do it later;
 * `ambiguous` it may or may not have done it: a reset, a timeout, an answer cut short or unreadable.
 */
export type ServiceFailure = 'refused' | 'unavailable' | 'ambiguous';

/** A call to the invoice service that did not succeed after all its tries. Its message holds no personal data. */
export class InvoiceServiceError extends Error {
  override readonly name = 'InvoiceServiceError';
  readonly failure: ServiceFailure;
  readonly code: StatusCode;
  /** Whether the service said the code itself; else it is the one that comes nearest to what happened. */
  readonly isOwnCode: boolean;
  /** 0 when no answer came. */
  readonly httpStatus: number;
  /** How long the service asked to be left alone, in milliseconds. */
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

/** Whether a call was not sent, because of the client's rate limit, or because the service asked to be left alone. */
export function isRateLimited(error: unknown): boolean {
  return error instanceof InvoiceServiceError && error.code === 'resource_exhausted' && error.httpStatus === 0;
}

/** The invoice service as the checkout server uses it. Every method throws `InvoiceServiceError` and nothing else. */
export interface InvoiceService {
  /**
   * Asks for an invoice; repeats carry the same body (invoice-service.md §4.1). Where a try with a QR fails and the QR may
   * be the cause, the last one goes without it, so that the payer still gets requisites.
   */
  createInvoice(request: CreateInvoiceRequest, signal?: AbortSignal): Promise<CreatedInvoice>;

  /**
   * The payment options, filtered by the service when an amount is given (invoice-service.md §4.2). Beyond the rate limit
   * those of an amount are not requested: `isRateLimited` is true for the error.
   */
  fetchPaymentOptions(amount: string | undefined, signal?: AbortSignal): Promise<readonly PaymentOption[]>;

  /** The invoices that the service knows among the given ids, in any order (invoice-service.md §4.3). */
  fetchInvoices(ids: readonly string[], signal?: AbortSignal): Promise<readonly FetchedInvoice[]>;

  /**
   * The service's time in milliseconds since 1970, as its last responses showed it (`Date`); undefined while it is not
   * known. Deadlines of invoices are compared with it.
   */
  time?(): number | undefined;
}
