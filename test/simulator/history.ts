import { hash } from 'node:crypto';
import type { Operation } from '../../src/service-api.ts';
import type { CheckoutStatus } from '../../src/checkout-api.ts';
import type { Outcome } from '../../src/server.ts';
import type { CheckoutState } from '../../src/core.ts';

/** What happened in a simulation. Times are ms since its start. The rules (rules.ts) judge a list of these events. */
export type SimulationEvent =
  /** The shop made an order. */
  | { readonly kind: 'order'; readonly at: number; readonly orderId: string; readonly amount: string | null }
  /** The shop closed the checkout: no new invoice. */
  | { readonly kind: 'closed'; readonly at: number; readonly orderId: string }
  /** A create request of a payer's page arrived at a checkout server. */
  | {
      readonly kind: 'create_request';
      readonly at: number;
      readonly orderId: string;
      readonly key: string;
      readonly replace: boolean;
    }
  /** A request of a checkout server arrived at the service. */
  | {
      readonly kind: 'call';
      readonly at: number;
      readonly operation: Operation;
      readonly server: number;
      readonly orderId: string | undefined;
      readonly externalId: string | undefined;
      readonly invoiceIds: readonly string[];
    }
  /** A fetch of invoices failed, or its response was lost. */
  | { readonly kind: 'fetch_failed'; readonly at: number; readonly invoiceIds: readonly string[] }
  /** The service created an invoice. */
  | {
      readonly kind: 'invoice';
      readonly at: number;
      readonly invoiceId: string;
      readonly orderId: string;
      readonly externalId: string;
      readonly amount: string;
      readonly expiresAt: number;
    }
  /** The service answered a create with the invoice of another order, as if it were this order's. */
  | { readonly kind: 'given'; readonly at: number; readonly invoiceId: string; readonly orderId: string }
  /** The clocks of the shop's machines were set back. */
  | { readonly kind: 'clocks_set_back'; readonly at: number }
  /** The bank gave an invoice another status. */
  | { readonly kind: 'bank'; readonly at: number; readonly invoiceId: string; readonly status: string }
  /** An outcome was saved: from then on the shop is told, as soon as the store and the shop's handler allow. */
  | { readonly kind: 'outcome_saved'; readonly at: number; readonly outcomeId: string }
  /** The shop's `onOutcome` was called. */
  | { readonly kind: 'outcome'; readonly at: number; readonly outcome: Outcome; readonly isApplied: boolean }
  /** What a page shows from now on; `gone` when it was closed or its device sleeps. */
  | {
      readonly kind: 'screen';
      readonly at: number;
      readonly tab: string;
      readonly orderId: string;
      readonly screen: CheckoutState['status'] | 'gone';
      readonly invoiceId: string | undefined;
      readonly amount: string | undefined;
      /** The payer is invited to pay the invoice. */
      readonly isPayable: boolean;
      /** The page has a response that is not older than the device's sleep, and knows the invoice's deadline. */
      readonly knowsDeadline: boolean;
    }
  /** A page read its checkout without a wait (plain), a long poll was answered, or one of at least 5 s ended without an answer (cut). */
  | {
      readonly kind: 'read';
      readonly at: number;
      readonly tab: string;
      readonly orderId: string;
      readonly read: 'plain' | 'answered' | 'cut';
    }
  /** A payer pressed "check", and read that the payment has not arrived. `at` is when he pressed it. */
  | { readonly kind: 'check'; readonly at: number; readonly answeredAt: number; readonly orderId: string }
  /** A checkout server has logged that a record, or a change that it then refused to save, breaks a rule of records. */
  | { readonly kind: 'record_rule_broken'; readonly at: number; readonly rule: string }
  /** After the quiet time: what the shop knows of an order. */
  | {
      readonly kind: 'end';
      readonly at: number;
      readonly orderId: string;
      readonly status: CheckoutStatus;
      readonly invoices: readonly {
        readonly id: string | null;
        readonly externalId: string;
        readonly status: string;
      }[];
    };

export type EventOf<K extends SimulationEvent['kind']> = Extract<SimulationEvent, { readonly kind: K }>;

/** Records what happens: the events for the rules, and a hash of everything in its order. */
export class Recorder {
  readonly events: SimulationEvent[] = [];
  /** A line for each thing that happened; empty unless lines are kept. */
  readonly lines: string[] = [];
  readonly counts = { payments: 0, outcomes: 0, kills: 0, lost_messages: 0 };
  #digest = '';
  readonly #now: () => number;
  readonly #keepsLines: boolean;

  constructor(now: () => number, keepsLines: boolean) {
    this.#now = now;
    this.#keepsLines = keepsLines;
  }

  /** Records an event for the rules. */
  add(event: SimulationEvent): void {
    this.events.push(event);
    if (event.kind === 'outcome') this.counts.outcomes += 1;
    this.note(JSON.stringify(event));
  }

  /** Records something that only the hash and the printed trace need. */
  note(text: string): void {
    const line = `${this.#now().toFixed(3)} ${text}`;
    this.#digest = hash('sha256', `${this.#digest}${line}`, 'hex');
    if (this.#keepsLines) this.lines.push(line);
  }

  /** The hash of everything that was recorded so far. */
  digest(): string {
    return this.#digest.slice(0, 32);
  }
}
