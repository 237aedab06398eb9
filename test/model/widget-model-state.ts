// The state of the widget's model: the session's model, a merchant's backend, requests under way, and a clock.
import { createModel, type Model } from '../../src/core/session-model.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { makeInvoice, makeOpenCheckout } from '../support/checkout-responses.ts';

export type Word = 'PENDING' | 'HELD_BY_BANK' | 'PAID' | 'FAILED' | 'EXPIRED';

/** An invoice of the backend. `hasWrongAmount`: the service has changed its amount. */
export interface BackendInvoice {
  readonly id: string;
  readonly key: string;
  readonly word: Word;
  readonly hasWrongAmount: boolean;
}

/** A read under way. `response` is set once the backend has handled the read. */
export interface Read {
  readonly number: number;
  readonly response: Checkout | 'error' | undefined;
}

/** A create request under way. */
export interface Create {
  readonly key: string;
  readonly response: Checkout | 'rejected' | 'in doubt' | undefined;
}

/** How often each step may happen. */
export interface WidgetBounds {
  readonly reads: number;
  readonly creates: number;
  readonly stops: number;
  readonly sleeps: number;
  readonly wrongAmounts: number;
  /** Whether a pending invoice is on the screen at the beginning. */
  readonly startsWithInvoice: boolean;
}

export interface WidgetState {
  readonly model: Model;
  readonly now: number;
  readonly requests: number;
  readonly reads: readonly Read[];
  readonly create: Create | undefined;
  readonly invoices: readonly BackendInvoice[];
  readonly creates: number;
  readonly stops: number;
  readonly sleeps: number;
  /** How many `paid` events were emitted. */
  readonly paidEvents: number;
  /** The rule that the last step broke. */
  readonly brokenRule: string | undefined;
}

export const lifetimeMs = 900_000;

export const initialWidgetState: WidgetState = {
  model: createModel(),
  now: 0,
  requests: 0,
  reads: [],
  create: undefined,
  invoices: [],
  creates: 0,
  stops: 0,
  sleeps: 0,
  paidEvents: 0,
  brokenRule: undefined,
};

const statuses = {
  PENDING: 'pending',
  HELD_BY_BANK: 'pending',
  PAID: 'paid',
  FAILED: 'failed',
  EXPIRED: 'expired',
} as const;

/** The checkout as the backend returns it now. A paid invoice makes it paid, even when the invoice was replaced. */
export function buildCheckout({ invoices, now }: Pick<WidgetState, 'invoices' | 'now'>): Checkout {
  const paidInvoices = invoices.filter(({ word }) => word === 'PAID');
  const shownInvoice = paidInvoices.find(({ hasWrongAmount }) => !hasWrongAmount) ?? paidInvoices[0] ?? invoices.at(-1);
  if (shownInvoice === undefined) return makeOpenCheckout();
  const { id, word, hasWrongAmount } = shownInvoice;
  const status = statuses[word];
  return makeOpenCheckout({
    status,
    ...(status === 'paid' && { options: [] }),
    invoice: makeInvoice({
      id,
      service_status: word,
      amount: hasWrongAmount ? '1500.01' : '1500.00',
      expires_in_ms: Math.max(0, lifetimeMs - now),
    }),
  });
}
