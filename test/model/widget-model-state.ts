// The state of the widget's model: the session's model, a merchant's backend, requests under way, a clock.
import { createModel, type Model } from '../../src/core/session-model.ts';
import type { Checkout } from '../../src/protocol.ts';
import { makeInvoice, makeOpenCheckout } from '../support/checkout-responses.ts';

export type Word = 'PENDING' | 'HELD_BY_BANK' | 'PAID' | 'FAILED' | 'EXPIRED';

/** An invoice of the backend. A wrong amount is one that the service changed. */
export interface BackendInvoice {
  readonly id: string;
  readonly key: string;
  readonly word: Word;
  readonly hasWrongAmount: boolean;
}

/** A read under way. `answer` is the backend's response, once the backend has handled the read. */
export interface Read {
  readonly number: number;
  readonly answer: Checkout | 'error' | undefined;
}

/** A create request under way. */
export interface Create {
  readonly key: string;
  readonly answer: Checkout | 'rejected' | 'in doubt' | undefined;
}

/** How often each thing may happen. */
export interface WidgetBounds {
  readonly reads: number;
  readonly creates: number;
  readonly stops: number;
  readonly sleeps: number;
  readonly wrongAmounts: number;
  /** Whether the exploration begins with an invoice on the screen. */
  readonly isWaiting: boolean;
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
  readonly broken: string | undefined;
}

export const lifeMs = 900_000;

export const startOfWidget: WidgetState = {
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
  broken: undefined,
};

const statuses = {
  PENDING: 'pending',
  HELD_BY_BANK: 'pending',
  PAID: 'paid',
  FAILED: 'failed',
  EXPIRED: 'expired',
} as const;

/** The checkout as the backend describes it now. A paid invoice makes it paid, also one that was replaced. */
export function checkoutOf({ invoices, now }: Pick<WidgetState, 'invoices' | 'now'>): Checkout {
  const paid = invoices.filter(({ word }) => word === 'PAID');
  const shown = paid.find(({ hasWrongAmount }) => !hasWrongAmount) ?? paid[0] ?? invoices.at(-1);
  if (shown === undefined) return makeOpenCheckout();
  const { id, word, hasWrongAmount } = shown;
  const status = statuses[word];
  return makeOpenCheckout({
    status,
    ...(status === 'paid' && { options: [] }),
    invoice: makeInvoice({
      id,
      service_status: word,
      amount: hasWrongAmount ? '1500.01' : '1500.00',
      expires_in_ms: Math.max(0, lifeMs - now),
    }),
  });
}
