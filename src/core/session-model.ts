import type { Checkout } from '../checkout-api.ts';
import type { CheckoutError } from './checkout-error.ts';
import type { CreateRequest, ReadRequest } from './session-ports.ts';
import { connected, type Connection, type Deadline } from './public-state.ts';

/** A create request whose result is not known yet. */
export interface PendingCreate {
  readonly request: CreateRequest;
  /** The id of the invoice before the request; an invoice with another id settles it. */
  readonly previousInvoiceId: string;
  /** When the payer asked for the invoice, in ms of the monotonic clock. */
  readonly since: number;
  /** Whether an attempt ended without a result, so that the request is repeated with the same key. */
  readonly inDoubt: boolean;
  /** The error of the last attempt, if the attempt ended with an error. */
  readonly error?: CheckoutError | undefined;
}

/** An error in a response. It is emitted once for each invoice. */
export interface CheckoutIssue {
  /** Consists of the error's code and field, and the invoice's id. */
  readonly key: string;
  readonly error: CheckoutError;
}

/** What a read requests besides the checkout itself; each query has its own entity tags. */
export type Query = Pick<ReadRequest, 'amount' | 'options'>;

/** The checkout and its invoice, as the backend described them. */
interface PaymentModel {
  /** The last checkout, validated. Its invoice is null where the invoice may not be shown. */
  readonly checkout?: Checkout;
  /** The last checkout without its invoice, once the backend does not find the checkout any more. */
  readonly lastCheckout?: Checkout;
  /** The id of the last invoice, even if the invoice is not shown; empty without an invoice. */
  readonly invoiceId: string;
  /** Why the invoice is not shown: it or its NSPK link has another amount, or there is nothing to pay by. */
  readonly hiddenBecause?: CheckoutError | undefined;
  readonly pendingCreate?: PendingCreate | undefined;
  /** The amount that the payer typed for an invoice of this session. */
  readonly requestedAmount?: { readonly invoiceId: string; readonly amount: string } | undefined;
  readonly deadline?: Deadline | undefined;
  /** When this invoice was first received with this status, in ms of the monotonic clock. */
  readonly since: number;
}

/** The reads of the checkout. */
interface ConnectionModel {
  readonly health: Connection;
  /** How many long polls in a row were cut without an answer of the backend. */
  readonly cuts: number;
  /** Until when, in ms of the monotonic clock, no long polls are sent, because the last two were cut. */
  readonly plainPollsUntil: number;
  /** The number of the last applied request; responses to earlier requests are dropped. */
  readonly applied: number;
  /** The query of the last checkout, and the entity tag of its response. */
  readonly query: Query;
  readonly etag?: string | undefined;
  /** Why there is no checkout. */
  readonly lost?: CheckoutError | undefined;
}

/** What the payer and the page chose. */
interface SelectionModel {
  readonly preferred?: string | undefined;
  /** The id of the chosen method, which may have become unusable since. */
  readonly methodId?: string | undefined;
  readonly typed?: string;
  /** 10000.5 as the language writes it in which that was typed. */
  readonly sample?: string | undefined;
  /** Why the last create request was rejected. */
  readonly refusal?: CheckoutError | undefined;
  /** The id of the invoice from which the payer went back; empty for a checkout that ended without an invoice. */
  readonly dismissedInvoiceId?: string | undefined;
}

/** What has been emitted as an event and is not emitted again. */
interface EmittedModel {
  readonly ready: boolean;
  readonly invoiceIds: readonly string[];
  readonly issues: readonly CheckoutIssue[];
}

/** Everything that a session stores. `selectState` derives the public state from it. */
export interface Model {
  readonly lifecycle: 'new' | 'running' | 'stopped';
  /** The page's address. */
  readonly page?: string | undefined;
  readonly payment: PaymentModel;
  readonly connection: ConnectionModel;
  readonly selection: SelectionModel;
  readonly emitted: EmittedModel;
}

/** The model of a session before its first response. */
export const createModel = (preferred?: string, page?: string): Model => ({
  lifecycle: 'new',
  page,
  payment: { invoiceId: '', since: 0 },
  connection: { health: connected, cuts: 0, plainPollsUntil: 0, applied: 0, query: {} },
  selection: { preferred },
  emitted: { ready: false, invoiceIds: [], issues: [] },
});
