import type { Checkout } from '../protocol.ts';
import type { CheckoutEvent } from './event.ts';
import type { CheckoutState } from './state.ts';

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
