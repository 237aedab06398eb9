import type { Checkout, CheckoutInvoice, CheckoutStatus } from '../checkout-api.ts';
import type { CheckoutError } from './checkout-error.ts';

// The public state of a checkout, its events and its commands. The state is a union with one member for each screen.

/** Why a typed amount is not valid. */
export type AmountFault = 'malformed' | 'too_small' | 'too_large' | 'too_precise';

/** The connection to the merchant's backend. While it fails, the last checkout stays on the screen. */
export interface Connection {
  /** How many reads in a row failed; 0 when the last read succeeded. */
  readonly failures: number;
  /** Why the last read failed, while `failures` is not 0. */
  readonly error: CheckoutError | undefined;
}

/** When an invoice expires. */
export interface Deadline {
  /** The time of the monotonic clock, in ms. */
  readonly at: number;
  /** The full length of a progress bar, in ms: the remaining time when this invoice was first received. */
  readonly span: number;
  /** false after the device slept, and for a checkout that came with the page, until the next response. No time is shown. */
  readonly certain: boolean;
}

/** No response yet. */
export interface LoadingState {
  readonly status: 'loading';
  readonly connection: Connection;
}

/** The checkout does not exist, or its capability is wrong or has expired. */
export interface LostState {
  readonly status: 'lost';
  /** The checkout without its invoice, if it was there before. */
  readonly lastCheckout: Checkout | undefined;
}

/** The payer is choosing how to pay. */
export interface ChoosingState {
  readonly status: 'choosing';
  readonly checkout: Checkout;
  readonly connection: Connection;
  /** The id of the chosen method; it is among the options and can be used for the amount. */
  readonly selected: string | undefined;
  /** What the payer typed, unchanged; only where the checkout's amount is null. */
  readonly typed: string | undefined;
  /** The exact amount to pay: the checkout's amount, or the typed amount if it is valid. */
  readonly amount: string | undefined;
  /** Why the typed amount is not valid; undefined while nothing is typed. */
  readonly fault: AmountFault | undefined;
  /** The options for the current amount are being requested; the options on the screen are older. */
  readonly refreshing: boolean;
  /** Why the last create request was rejected, or why its invoice is not shown. */
  readonly refusal: CheckoutError | undefined;
  /** The invoice that can still be paid while the payer chooses another method. The screen warns of paying twice. */
  readonly activeInvoice: CheckoutInvoice | undefined;
}

/** An invoice is being created. */
export interface CreatingState {
  readonly status: 'creating';
  readonly checkout: Checkout;
  readonly connection: Connection;
  /** The id of the chosen method; undefined after a reload, while the backend waits for the service's result. */
  readonly methodId: string | undefined;
  /** Whether an attempt ended without a result, so that the request is repeated with the same key. */
  readonly inDoubt: boolean;
  /** Whether it has been in doubt for so long that the payer may go back to the methods (`dismissInvoice`). */
  readonly stuck: boolean;
}

/** The requisites are shown, and the payment is awaited. */
export interface WaitingState {
  readonly status: 'waiting';
  readonly checkout: Checkout;
  readonly invoice: CheckoutInvoice;
  readonly connection: Connection;
  /** Undefined when the service gave no valid deadline: no countdown is shown. */
  readonly deadline: Deadline | undefined;
  /** Whether the deadline has passed, and the server has not yet confirmed that the invoice expired. */
  readonly verifyingExpiry: boolean;
  /** Whether the invoice was paid with another amount, which the shop is checking. The invoice then has no requisites. */
  readonly verifyingAmount: boolean;
  /** Whether the payer has waited long. The bank may be checking the transfer. */
  readonly slow: boolean;
}

/** The end of a payment. `closed`: the shop accepts no new invoice. */
export interface EndedState {
  readonly status: 'paid' | 'failed' | 'expired' | 'closed';
  readonly checkout: Checkout;
  readonly connection: Connection;
  readonly invoice: CheckoutInvoice | undefined;
}

export type CheckoutState = LoadingState | LostState | ChoosingState | CreatingState | WaitingState | EndedState;

export const connected: Connection = { failures: 0, error: undefined };

/** An event of a checkout. The element dispatches a DOM event for each of them. */
export type CheckoutEvent =
  /** Options or an invoice can be shown for the first time. */
  | { readonly type: 'ready'; readonly checkout: Checkout }
  /** Requisites arrived. */
  | { readonly type: 'created'; readonly invoice: CheckoutInvoice }
  | {
      readonly type: 'status';
      readonly status: CheckoutStatus;
      /** Undefined for the first status. */
      readonly previous: CheckoutStatus | undefined;
      readonly serviceStatus: string | undefined;
    }
  /** The checkout has got this status, or a further invoice has ended with it. `paid` occurs at most once in a session. */
  | { readonly type: 'paid' | 'failed' | 'expired'; readonly checkout: Checkout }
  /** Something needs the merchant's attention. */
  | { readonly type: 'error'; readonly error: CheckoutError };

/** A running checkout: its state, its events and its commands. No method throws. */
export interface CheckoutSession {
  getState(): CheckoutState;
  /** Calls `listener` after each change of the state. Returns the function that unsubscribes. */
  subscribe(listener: (state: CheckoutState, previous: CheckoutState) => void): () => void;
  /** Calls `listener` once with each event, in order. Returns the function that unsubscribes. */
  onEvent(listener: (event: CheckoutEvent) => void): () => void;

  /** Starts, or continues after `stop` with the same state. Does nothing while the session runs. */
  start(): void;
  /** Leaves no timer, listener or request behind. */
  stop(): void;

  /** Selects a method. Methods that cannot be used are ignored. */
  select(methodId: string): void;
  /**
   * Sets the amount that the payer typed, and requests the options for it. Ignored where the checkout's amount is not null.
   *
   * @param sample - 10000.5 as the payer's language writes it, such as "10 000,5": in a currency of three digits it says what
   * "1,500" means. Default: "10,000.5"
   */
  setAmount(amount: string, sample?: string): void;
  /** Sets the preferred method, by id or type. It is selected unless the payer has chosen a method. */
  prefer(method: string): void;
  /** Applies a checkout that came with the page and whose age is not known. A paid checkout stays paid. */
  hydrate(checkout: Checkout, dropped?: readonly string[]): void;
  /** Requests an invoice for the selected method. It replaces a dismissed invoice. */
  createInvoice(): void;
  /**
   * Goes back from the requisites to the methods. The invoice can still be paid and is still polled. Does nothing while the
   * shop is checking the amount that was paid. Also goes back from a request that is in doubt, which is not repeated then.
   */
  dismissInvoice(): void;
  /** Goes back from the methods to the requisites of the dismissed invoice. */
  resumeInvoice(): void;
  /** Goes back from a failed or expired invoice to the methods. */
  retry(): void;
  /** Detects that the device slept. Call it on every countdown tick. */
  checkSleep(): void;
  /**
   * Reads the checkout now. Resolves when the read succeeded or failed. With `check`, the backend asks the service before it
   * responds: the payer says that he has paid.
   */
  refresh(check?: boolean): Promise<void>;
}
