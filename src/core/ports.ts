import type { Clock as BaseClock } from '../base/clock.ts';
import type { Checkout } from '../protocol.ts';

// What the headless checkout needs from its surroundings. A browser's adapters are in src/client; tests pass fakes.

/** How the checkout is read. */
export interface ReadRequest {
  /** The entity tag of the last answer: an unchanged checkout is then answered `unchanged`. */
  readonly etag?: string | undefined;
  /** How many seconds the backend may hold the answer back until something changes. */
  readonly waitSeconds?: number | undefined;
  /** The amount that the payer typed, to filter options by. */
  readonly amount?: string | undefined;
  /** Asks for the options although an invoice waits. */
  readonly options?: boolean | undefined;
}

export type ReadAnswer =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'checkout'; readonly checkout: Checkout; readonly etag: string | undefined };

/** What is asked when the payer wants requisites; `key` stays the same when the same ask is repeated. */
export interface CreateRequest {
  readonly key: string;
  readonly payment_method_id: string;
  readonly amount?: string | undefined;
  readonly replace?: boolean | undefined;
}

export type CreateAnswer =
  | { readonly kind: 'created'; readonly checkout: Checkout }
  /** The service's answer is not known yet: to be asked again with the same key. */
  | {
      readonly kind: 'unknown';
      readonly checkout: Checkout | undefined;
      readonly retryAfterMs: number | undefined;
    };

/** The way to the merchant's backend for one checkout. Both methods reject with `CheckoutError` or an abort. */
export interface CheckoutTransport {
  read(request: ReadRequest, signal: AbortSignal): Promise<ReadAnswer>;
  createInvoice(request: CreateRequest, signal: AbortSignal): Promise<CreateAnswer>;
}

/** Time in a browser. `now` is monotonic, in milliseconds from any origin. */
export interface Clock extends BaseClock {
  /** The device's wall clock, in ms since 1970. It is only compared with itself, to detect that the device slept. */
  wall(): number;
}

/** Whether somebody may be looking, and moments at which it is worth asking at once. */
export interface PageLifecycle {
  isVisible(): boolean;
  /** Calls back when the page is shown, focused, restored or back online, until unsubscribed. */
  onResume(callback: () => void): () => void;
}

/** Everything that a session needs from outside. */
export interface SessionPorts {
  readonly transport: CheckoutTransport;
  readonly clock: Clock;
  readonly pageLifecycle: PageLifecycle;
  /** A new unguessable key, such as a UUID. */
  readonly newKey: () => string;
  /** A number from 0 up to 1, for jitter. */
  readonly random: () => number;
  /** The page's address: plain `http:` links to its own host are let through, for development. */
  readonly page?: string | undefined;
}
