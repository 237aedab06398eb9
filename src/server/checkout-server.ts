import type { Mode } from '../contract.ts';
import type { InvoiceService } from './invoice-service.ts';
import type { CheckoutStore, CheckoutTerms, Outcome } from './store.ts';

/** What the checkout server needs from outside. */
export interface CheckoutServerOptions {
  readonly service: InvoiceService;
  readonly store: CheckoutStore;
  /** Where the handler is mounted as the service reaches it, such as `https://shop.example/checkout`: hooks go there. */
  readonly endpoint: string;
  /** Sent with every CreateInvoice (invoice-service.md §4.1); TEST is marked for the payer to see. */
  readonly mode: Mode;
  /** Hears of every outcome at least once; a rejection means that it will be told again. */
  readonly onOutcome: (outcome: Outcome) => Promise<void>;
}

/** The merchant's half of the checkout. */
export interface CheckoutServer {
  /** Serves the checkout API (docs/checkout-api.md); `address` is the client's, for rate limits. */
  handle(request: Request, client?: { readonly address?: string | undefined }): Promise<Response>;
  /** Mints a checkout for an order and resolves with its capability once it is stored. */
  open(terms: CheckoutTerms): Promise<string>;
  /** Starts the status watcher, the completer of unknown creates, and the delivery of outcomes. */
  start(): void;
  /** Ends waiting answers and background work; what is under way is finished first. */
  stop(): Promise<void>;
}
