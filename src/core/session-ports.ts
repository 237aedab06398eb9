import type { Clock as BaseClock } from '../base/clock.ts';
import type { Checkout } from '../checkout-api.ts';

// The ports of the headless checkout. The browser's implementations are in src/client; tests pass fakes.

/** A read of the checkout. */
export interface ReadRequest {
  /** The entity tag of the last response. The result is `unchanged` while the checkout has this tag. */
  readonly etag?: string | undefined;
  /** How many seconds the backend may wait for a change before it responds (a long poll). */
  readonly waitSeconds?: number | undefined;
  /** The amount that the payer typed, as a decimal string. The response has the options for this amount. */
  readonly amount?: string | undefined;
  /** Requests the options, which a backend may omit while an invoice waits for payment. */
  readonly options?: boolean | undefined;
  /** The payer says that he has paid: the backend asks the service before it responds. */
  readonly check?: boolean | undefined;
}

/** A checkout, and the paths of members that were dropped because they were not valid. */
export interface DecodedCheckout {
  readonly checkout: Checkout;
  readonly dropped?: readonly string[] | undefined;
}

/** The result of a read. */
export type ReadAnswer =
  { readonly kind: 'unchanged' } | (DecodedCheckout & { readonly kind: 'checkout'; readonly etag: string | undefined });

/** A request to create an invoice. `key` is its idempotency key and is the same when the request is repeated. */
export interface CreateRequest {
  readonly key: string;
  readonly payment_method_id: string;
  readonly amount?: string | undefined;
  readonly replace?: boolean | undefined;
}

/** The result of a create request that was not rejected. */
export type CreateAnswer =
  | (DecodedCheckout & { readonly kind: 'created' })
  /** The result is not known yet. The caller repeats the request with the same key. */
  | {
      readonly kind: 'unknown';
      readonly checkout: Checkout | undefined;
      readonly dropped?: readonly string[] | undefined;
      readonly retryAfterMs: number | undefined;
    };

/** Requests to the merchant's backend for one checkout. Both methods reject with a `CheckoutError` or the abort's reason. */
export interface CheckoutTransport {
  read(request: ReadRequest, signal: AbortSignal): Promise<ReadAnswer>;
  createInvoice(request: CreateRequest, signal: AbortSignal): Promise<CreateAnswer>;
}

/** Time in a browser. `now` is monotonic, in milliseconds from any origin. */
export interface Clock extends BaseClock {
  /** The device's wall clock, in ms since 1970. Only its changes are used, to detect that the device slept. */
  wall(): number;
}

/** Whether the page is visible, and when it becomes active again. */
export interface PageLifecycle {
  isVisible(): boolean;
  /** Calls back when the page is shown, focused, restored or back online. Returns the function that unsubscribes. */
  onResume(callback: () => void): () => void;
}

/** All ports of a session. */
export interface SessionPorts {
  readonly transport: CheckoutTransport;
  readonly clock: Clock;
  readonly pageLifecycle: PageLifecycle;
  /** A new unguessable key, such as a UUID. */
  readonly newKey: () => string;
  /** A number from 0 up to 1, for jitter. */
  readonly random: () => number;
  /** The page's URL. Plain `http:` links to its host are allowed, for development. */
  readonly page?: string | undefined;
}
