import { hasInvoice, deriveStatus } from './checkout-status.ts';
import type { CheckoutStatus } from '../../checkout-api.ts';
import type {
  Attempt,
  InvoiceMethod,
  InvoiceOutcome,
  Resolution,
  StatusChange,
  StatusLists,
} from '../ports/invoice-attempt.ts';
import type { CheckoutParams, CheckoutRecord, MerchantAction } from '../ports/checkout-store.ts';
import type { OutcomeRecord } from '../ports/outcome-outbox.ts';
import { needsDecision } from './merchant-changes.ts';

/** An invoice of a checkout as the merchant's server sees it. */
export interface MerchantInvoice {
  /** The service's identifier; null while it is not known whether the service created an invoice. */
  readonly id: string | null;
  /** The identifier that was sent to the service with the request for the invoice. */
  readonly externalId: string;
  /** The requested amount, a decimal string. */
  readonly amount: string;
  /** The amount that has come, a decimal string, as the service says; null while nothing has. */
  readonly paidAmount: string | null;
  /**
   * `creating` while it is not known whether the service created an invoice; `unresolved` once nothing is repeated or polled any
   * more, although it is still not known whether there is an invoice, or how it ended.
   */
  readonly status: InvoiceOutcome | 'creating';
  /** The service's status word of the last fetch; null before the first fetch. */
  readonly serviceStatus: string | null;
  /** The service's status words, each with the time of the fetch that first returned it, oldest first: the last 50. */
  readonly statusHistory: readonly StatusChange[];
  /** Whether `resolve` may be called for it, because the server cannot judge its payment. */
  readonly needsDecision: boolean;
  /** A person's decision about it, or null. */
  readonly resolution: Resolution | null;
  readonly paymentMethodId: string;
  /** The payment method as the payer saw it; null when it is not known. */
  readonly method: InvoiceMethod | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The deadline of the invoice; null when it has none. */
  readonly expiresAt: number | null;
  /** When the last fetch started whose answer told its status, `serviceStatus`; null before the first one. */
  readonly checkedAt: number | null;
  /**
   * When the last fetch started that the service has answered; null before the first one. Where it is not `checkedAt`, that answer
   * did not tell its status: the service seems not to know this invoice.
   */
  readonly answeredAt: number | null;
  /** When it is fetched next; null: only a notification or `check` causes a fetch. */
  readonly nextCheckAt: number | null;
}

/** A checkout as the merchant's server sees it. Times are milliseconds since 1970. */
export interface MerchantCheckout extends CheckoutParams {
  /** The identifier, `co_…`. It opens nothing, and is what outcomes and the log name. */
  readonly id: string;
  readonly status: CheckoutStatus;
  readonly createdAt: number;
  /** When the payment became known; null while the checkout is not paid. */
  readonly paidAt: number | null;
  /** When the merchant closed the checkout, or null. */
  readonly closedAt: number | null;
  /** The invoices that exist or may exist, oldest first. */
  readonly invoices: readonly MerchantInvoice[];
}

/** What `get` resolves with. */
export interface CheckoutWithOutcomes extends MerchantCheckout {
  /** In the order of `sequence`, each with its deliveries. */
  readonly outcomes: readonly OutcomeRecord[];
  /** What the shop has done with the checkout, oldest first: the last 100 calls that changed, checked or resolved it, each with its result. */
  readonly actions: readonly MerchantAction[];
}

/** What `link` resolves with. */
export interface LinkedCheckout extends MerchantCheckout {
  /** What the payer's page gets, `chk_…`: whoever has it can see and pay the order. */
  readonly capability: string;
}

/** What `create` resolves with. */
export interface CreatedCheckout extends LinkedCheckout {
  /**
   * Whether this call created the checkout; false when the order already had a checkout. Exactly one of several concurrent
   * calls gets true.
   */
  readonly isNew: boolean;
}

export function toMerchantCheckout(record: CheckoutRecord, now: number, statuses: StatusLists): MerchantCheckout {
  const { id, params, createdAt, paidAt, closedAt, attempts } = record;
  const invoices = attempts
    .filter(({ state, resolution }) => state !== 'rejected' || resolution !== null)
    .map((attempt) => toMerchantInvoice(attempt, needsDecision(record, attempt, statuses)));
  return { id, status: deriveStatus(record, now), ...params, createdAt, paidAt, closedAt, invoices };
}

function toMerchantInvoice(attempt: Attempt, isUndecided: boolean): MerchantInvoice {
  const { externalId, amount, paymentMethodId, method, createdAt, resolution } = attempt;
  const known = hasInvoice(attempt) ? attempt : undefined;
  const isEnded = attempt.state === 'unresolved' || attempt.state === 'rejected';
  return {
    id: known?.invoice.id ?? null,
    externalId,
    amount,
    paidAmount: known?.paidAmount ?? null,
    status: known?.outcome ?? (isEnded ? 'unresolved' : 'creating'),
    serviceStatus: known?.serviceStatus ?? null,
    statusHistory: known?.statusHistory ?? [],
    needsDecision: isUndecided,
    resolution,
    paymentMethodId,
    method,
    createdAt,
    expiresAt: known?.expiresAt ?? null,
    checkedAt: known?.checkedAt ?? null,
    answeredAt: known?.answeredAt ?? null,
    nextCheckAt: attempt.runAt,
  };
}
