import type { Checkout, CheckoutInvoice } from '../protocol.ts';
import type { AmountFault } from './amount.ts';
import type { CheckoutError } from './error.ts';

// Everything that the widget can know, one member a screen. Each field exists only where it means something.

/** How the connection to the merchant's backend does; the last picture stays on the screen meanwhile. */
export interface Connection {
  /** Reads that failed in a row; 0 when the last one succeeded. */
  readonly failures: number;
  /** Why the last read failed, while `failures` is not 0. */
  readonly error: CheckoutError | undefined;
}

/** When an invoice's time is up, on the monotonic clock. */
export interface Deadline {
  /** The moment, in the clock's milliseconds. */
  readonly at: number;
  /** The whole span that a progress bar shows, in milliseconds: what was left when this invoice was first seen. */
  readonly span: number;
  /** false after the device slept, until the server has said it anew: no time is shown meanwhile. */
  readonly certain: boolean;
}

/** No answer yet. */
export interface LoadingState {
  readonly status: 'loading';
  readonly connection: Connection;
}

/** The checkout does not exist, or its address is wrong or over. */
export interface LostState {
  readonly status: 'lost';
}

/** The payer is choosing how to pay. */
export interface ChoosingState {
  readonly status: 'choosing';
  readonly checkout: Checkout;
  readonly connection: Connection;
  /** The id of the chosen method; it is among the options and can be used for the amount. */
  readonly selected: string | undefined;
  /** What the payer has typed, as it is; only where the checkout's amount is null. */
  readonly typed: string | undefined;
  /** The exact amount that would be asked for: the checkout's, or the typed one once it reads and lies in its limits. */
  readonly amount: string | undefined;
  /** Why the typed amount cannot be asked for; undefined while nothing was typed. */
  readonly fault: AmountFault | undefined;
  /** The options belong to an earlier typed amount and new ones are on their way. */
  readonly refreshing: boolean;
  /** Why the last ask for requisites was refused. */
  readonly refusal: CheckoutError | undefined;
  /** An invoice that may still be paid while the payer looks at other methods: "do not pay twice". */
  readonly activeInvoice: CheckoutInvoice | undefined;
}

/** Requisites were asked for. */
export interface CreatingState {
  readonly status: 'creating';
  readonly checkout: Checkout;
  readonly connection: Connection;
  /** Undefined after a reload, while the backend does not know the service's answer yet. */
  readonly methodId: string | undefined;
  /** true: the answer is not known yet, it is asked for again with the same key. */
  readonly inDoubt: boolean;
}

/** Requisites are on the screen. */
export interface WaitingState {
  readonly status: 'waiting';
  readonly checkout: Checkout;
  readonly invoice: CheckoutInvoice;
  readonly connection: Connection;
  /** Undefined when the service gave no deadline that can be read: no countdown. */
  readonly deadline: Deadline | undefined;
  /** The time is up and the server has not said what that means yet. */
  readonly verifyingExpiry: boolean;
  /** The payer has been waiting for long: the bank may be checking the transfer. */
  readonly slow: boolean;
}

/** The end of a payment. */
export interface EndedState {
  readonly status: 'paid' | 'failed' | 'expired';
  readonly checkout: Checkout;
  readonly connection: Connection;
  readonly invoice: CheckoutInvoice | undefined;
  /** The payer asked to look once more, and the answer has not come. */
  readonly refreshing: boolean;
}

export type CheckoutState = LoadingState | LostState | ChoosingState | CreatingState | WaitingState | EndedState;

export const connected: Connection = { failures: 0, error: undefined };
