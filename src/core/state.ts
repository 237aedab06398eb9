import type { Checkout, CheckoutInvoice, CheckoutStatus } from '../protocol.ts';
import type { AmountFault } from './amount.ts';
import type { CheckoutError } from './error.ts';

// The public state of a checkout, its events and its commands. The state has one member for each screen.

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

/** Something that happened to a checkout; the element turns each into a DOM event of the same meaning. */
export type CheckoutEvent =
  /** Options or an invoice can be shown for the first time. */
  | { readonly type: 'ready'; readonly checkout: Checkout }
  /** Requisites arrived. */
  | { readonly type: 'created'; readonly invoice: CheckoutInvoice }
  | {
      readonly type: 'status';
      readonly status: CheckoutStatus;
      /** Undefined for the first one. */
      readonly previous: CheckoutStatus | undefined;
      readonly serviceStatus: string | undefined;
    }
  /** Each time that it becomes so; `paid` once for ever. */
  | { readonly type: 'paid' | 'failed' | 'expired'; readonly checkout: Checkout }
  /** Something needs the merchant's attention. */
  | { readonly type: 'error'; readonly error: CheckoutError };

/** A checkout as it runs: its state, what happens to it, and what the payer can do. It never throws. */
export interface CheckoutSession {
  getState(): CheckoutState;
  /** Calls back after each change of the state until unsubscribed. */
  subscribe(listener: (state: CheckoutState, previous: CheckoutState) => void): () => void;
  /** Calls back with each event, in order and each once, until unsubscribed. */
  onEvent(listener: (event: CheckoutEvent) => void): () => void;

  /** Starts, or goes on after `stop`, with the state kept. Does nothing while it runs. */
  start(): void;
  /** Leaves no timer, listener or request behind. */
  stop(): void;

  /** The payer marks a method; methods that cannot be used are ignored. */
  select(methodId: string): void;
  /** The payer types an amount (only where the checkout's amount is null); options follow. */
  setAmount(amount: string): void;
  /** Another method is preferred, by id or type: it is marked unless the payer has chosen. */
  prefer(method: string): void;
  /** A newer picture of the checkout came with the page; how old it is is not known. Paid stays paid. */
  hydrate(checkout: Checkout): void;
  /** Asks for the requisites of the selected method, replacing the invoice that is being left. */
  createInvoice(): void;
  /** From the requisites back to the methods; the invoice stays payable and is still followed. */
  dismissInvoice(): void;
  /** From the methods back to the requisites of the invoice that was being left. */
  resumeInvoice(): void;
  /** After failed or expired: back to the methods, for a new invoice. */
  retry(): void;
  /** Looks whether the device slept: to be called as often as the time is shown, which is wrong after a sleep. */
  checkSleep(): void;
  /** Asks the backend now; resolves when an answer came or the ask failed. */
  refresh(): Promise<void>;
}
