import type { Clock } from '../base/clock.ts';
import type { CreateInvoiceRequest, Mode } from '../contract.ts';
import type { CheckoutStore, Outcome } from './ports/checkout-store.ts';
import type { InvoiceService } from './ports/invoice-service.ts';
import type { Log } from './ports/log.ts';
import type { Metrics } from './telemetry/metrics.ts';

/** What the checkout server needs. */
export interface CheckoutServerOptions {
  readonly service: InvoiceService;
  readonly store: CheckoutStore;
  /** The public address of the mounted handler, such as `https://shop.example/checkout`. Webhooks are sent below it. */
  readonly endpoint: string;
  /** Sent with every CreateInvoice (invoice-service.md §4.1). The widget marks TEST as such. */
  readonly mode: Mode;
  /** Called at least once for every outcome. When it rejects, the call is repeated later. */
  readonly onOutcome: (outcome: Outcome) => Promise<void>;
  /** Origins other than the endpoint's own whose pages may use the checkout. */
  readonly allowedOrigins?: readonly string[];
  /** The service's final statuses. Any other status means that the invoice is in progress. */
  readonly statuses?: StatusLists;
  /** The QR options of CreateInvoice (invoice-service.md §4.1); null requests no QR code. */
  readonly qr?: NonNullable<CreateInvoiceRequest['qr']> | null;
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

/** The service's words for the ends of an invoice, compared without regard to case; any other is "in progress". */
export interface StatusLists {
  readonly paid: readonly string[];
  readonly failed: readonly string[];
  readonly expired: readonly string[];
}

/** How long things take, in milliseconds. */
export interface Timing {
  /** How often an invoice that a payer is looking at is fetched; also the length of the watcher's tick. */
  readonly fastMs: number;
  /** How often at first, and at last, one that nobody looks at is fetched. */
  readonly slowMs: number;
  readonly slowestMs: number;
  /** A payer who has not asked for this long has left. */
  readonly watchedMs: number;
  /** After its deadline an invoice may still become paid for this long before it is called expired. */
  readonly graceMs: number;
  /** The same for an invoice that the service leaves out of its answers. */
  readonly missingGraceMs: number;
  /** An invoice that ended unpaid is looked at ever more rarely for this long, for a payment that comes late. */
  readonly lateMs: number;
  /** An invoice without a deadline is watched for this long. */
  readonly endlessMs: number;
  /** How long one FetchInvoices may take, and how long its invoices are held by the process that makes it. */
  readonly fetchMs: number;
  readonly fetchLeaseMs: number;
  /** How long one CreateInvoice may take with its tries. */
  readonly createMs: number;
  /**
   * How long its attempt stays held when the process that makes the call has died; one that lives holds on all the time.
   * The clocks of several machines may differ by half of it.
   */
  readonly createLeaseMs: number;
  /** A payer waits this long for a CreateInvoice before hearing that its answer is not known yet. */
  readonly createWaitMs: number;
  readonly optionsMs: number;
  /** How long payment options are as good as new, and how long they are shown when no new ones can be had. */
  readonly optionsFreshMs: number;
  readonly optionsStaleMs: number;
  /** When the service has not answered for this long, what is known is told as stale. */
  readonly staleMs: number;
  /** How long the shop may take to hear of an outcome, and how long the outcome stays held after the process has died. */
  readonly deliverMs: number;
  readonly deliverLeaseMs: number;
  /** The longest pause between two tries to deliver an outcome. */
  readonly deliverSlowestMs: number;
  /** A capability opens its checkout for this long. */
  readonly lifetimeMs: number;
  readonly bodyMs: number;
  /** How long `stop` lets calls that are under way go on. */
  readonly stopMs: number;
}

/** How much there may be of something. */
export interface Limits {
  /** Invoices in one FetchInvoices. */
  readonly batchSize: number;
  /** Calls of FetchInvoices in a second, and at once. */
  readonly fetchesPerSecond: number;
  readonly fetchesAtOnce: number;
  readonly bodyBytes: number;
  /** Answers that are held back, of all checkouts and of one. */
  readonly waiters: number;
  readonly waitersOfCheckout: number;
  /** New invoices that one address, and one checkout, may ask for: at once, and in a minute. */
  readonly createsOfAddress: Allowance;
  readonly createsOfCheckout: Allowance;
  /** Attempts of one checkout in all its life. */
  readonly attempts: number;
}

export interface Allowance {
  readonly burst: number;
  readonly perMinute: number;
}

export const defaultStatuses: StatusLists = { paid: ['PAID'], failed: ['FAILED'], expired: ['EXPIRED'] };

const minute = 60_000;
const hour = 60 * minute;

export const defaultTiming: Timing = {
  fastMs: 2000,
  slowMs: 10_000,
  slowestMs: minute,
  watchedMs: 45_000,
  graceMs: 5000,
  missingGraceMs: 10 * minute,
  lateMs: 48 * hour,
  endlessMs: 7 * 24 * hour,
  fetchMs: 4000,
  fetchLeaseMs: 4500,
  createMs: 30_000,
  createLeaseMs: 4000,
  createWaitMs: 12_000,
  optionsMs: 8000,
  optionsFreshMs: 30_000,
  optionsStaleMs: 10 * minute,
  staleMs: 5000,
  deliverMs: 8000,
  deliverLeaseMs: 4000,
  deliverSlowestMs: minute,
  lifetimeMs: 90 * 24 * hour,
  bodyMs: 10_000,
  stopMs: 5000,
};

export const defaultLimits: Limits = {
  batchSize: 100,
  fetchesPerSecond: 60,
  fetchesAtOnce: 8,
  bodyBytes: 16 * 1024,
  waiters: 20_000,
  waitersOfCheckout: 50,
  createsOfAddress: { burst: 300, perMinute: 300 },
  createsOfCheckout: { burst: 20, perMinute: 10 },
  attempts: 100,
};
