import type { Checkout } from '../protocol.ts';
import type { CheckoutError } from './error.ts';
import type { CreateRequest, ReadRequest } from './ports.ts';
import { connected, type Connection, type Deadline } from './state.ts';

/** An ask for requisites whose outcome is not known yet. */
export interface PendingCreate {
  readonly request: CreateRequest;
  /** The invoice that the checkout had when it was asked; one with another id answers the ask. */
  readonly before: string;
  /** true: an attempt ended without telling whether an invoice was made, so the ask goes on with the same key. */
  readonly unknown: boolean;
  /** Why the last attempt ended so, where it was an error. */
  readonly error?: CheckoutError | undefined;
}

/** Something wrong in an answer, told once for each invoice. */
export interface CheckoutIssue {
  readonly key: string;
  readonly error: CheckoutError;
}

/** What a read asks for besides the checkout itself; answers to different queries have different entity tags. */
export type Query = Pick<ReadRequest, 'amount' | 'options'>;

/** Everything that the session knows; the state that others see is derived from it (`stateOf`). */
export interface Model {
  readonly preferred?: string | undefined;
  readonly page?: string | undefined;

  /** The last picture, vetted: its invoice is null where it may not be shown. */
  readonly checkout?: Checkout;
  /** The id of the invoice that the backend named last, also when it is not shown; empty for none. */
  readonly invoiceId: string;
  /** Why that invoice is not shown to be paid. */
  readonly mismatch?: CheckoutError | undefined;
  /** The query that the last picture answers, and its entity tag. */
  readonly answered: { readonly query: Query; readonly etag?: string | undefined };
  /** The number of the request whose answer was applied last; answers to earlier ones are dropped. */
  readonly applied: number;
  /** Why there is no checkout. */
  readonly lost?: CheckoutError | undefined;
  readonly connection: Connection;

  /** What the payer chose, which may have become unusable since. */
  readonly selected?: string;
  readonly typed?: string;
  readonly ask?: PendingCreate | undefined;
  readonly refusal?: CheckoutError | undefined;
  /** The invoice that the payer turned away from, by id; empty for a checkout that ended without one. */
  readonly left?: string | undefined;
  /** The amount that the payer typed for an invoice of this session. */
  readonly pledged?: { readonly id: string; readonly amount: string } | undefined;
  readonly asking: boolean;

  readonly deadline?: Deadline | undefined;
  /** When this invoice was first seen, on the monotonic clock. */
  readonly since: number;
  readonly checking: boolean;
  readonly long: boolean;

  /** What was told already: whether anything could be shown, the invoices that were, what was wrong. */
  readonly ready: boolean;
  readonly shown: readonly string[];
  readonly findings: readonly CheckoutIssue[];
}

export const sameQuery = (a: Query, b: Query): boolean => a.amount === b.amount && a.options === b.options;

export const emptyModel: Model = {
  invoiceId: '',
  answered: { query: {} },
  applied: 0,
  connection: connected,
  asking: false,
  since: 0,
  checking: false,
  long: false,
  ready: false,
  shown: [],
  findings: [],
};
