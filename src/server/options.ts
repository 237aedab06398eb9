import type { Clock } from '../base/clock.ts';
import type { Mode } from '../contract.ts';
import type { CheckoutStore } from './ports/checkout-store.ts';
import type { Outcome } from './ports/outcome-outbox.ts';
import type { StatusLists } from './domain/status-words.ts';
import type { InvoiceService } from './ports/invoice-service.ts';
import type { Log } from './ports/log.ts';
import type { Metrics } from './telemetry/metrics.ts';
import type { Limits, Timing } from './timing-and-limits.ts';

/** What the checkout server needs. */
export interface CheckoutServerOptions {
  readonly service: InvoiceService;
  readonly store: CheckoutStore;
  /** The public address of the mounted handler, such as `https://shop.example/checkout`. Webhooks are sent below it. */
  readonly endpoint: string;
  /** Sent with every CreateInvoice (invoice-service.md §4.1). The widget marks TEST as such. */
  readonly mode: Mode;
  /**
   * The currencies of orders with mode LIVE; by default RUB alone. CreateInvoice carries no currency: list another one only
   * where the service is known to charge its amounts in it. An order without a currency is always possible.
   */
  readonly currencies?: readonly string[];
  /**
   * Called at least once for every outcome, and for those of one checkout in order. When it rejects, or has not settled
   * after `timing.deliverMs`, the call is repeated later. `signal` aborts at that moment, and when the server stops.
   */
  readonly onOutcome: (outcome: Outcome, context: { readonly signal: AbortSignal }) => Promise<void>;
  /** Origins other than the endpoint's own whose pages may use the checkout. */
  readonly allowedOrigins?: readonly string[];
  /** What the service's status words mean. Lists that are not given have their defaults. A word may be in one list only. */
  readonly statuses?: Partial<StatusLists>;
  /** Whether CreateInvoice requests a QR code, and how (invoice-service.md §4.1); null requests none. */
  readonly qr?: QrOptions | null;
  /**
   * The types of payment methods (invoice-service.md §2.3) for which a QR code is requested; by default `SBP`. Types are
   * compared without regard to case.
   */
  readonly qrMethodTypes?: readonly string[];
  readonly timing?: Partial<Timing>;
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random?: () => number;
  /** Receives log lines without personal data and secrets. By default warnings and errors go to standard error. */
  readonly log?: Log;
  /** Receives the server's metrics; one instance for each server. */
  readonly metrics?: Metrics;
}

/** The request for a QR code. */
export interface QrOptions {
  /** How long the service may take to generate it, in milliseconds; by default 4000. */
  readonly timeoutMs?: number;
}
