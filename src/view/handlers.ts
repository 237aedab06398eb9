import type { PaymentOption } from '../protocol.ts';

/** Something that can be copied. */
export interface Copyable {
  /** The name of what it is, for the `pay-invoice-copied` event. */
  readonly field: string;
  /** The raw value. */
  readonly text: string;
}

/** How the last copy went. */
export interface Copied {
  readonly text: string;
  readonly ok: boolean;
}

/** What the payer can do on a screen. */
export interface Handlers {
  /** false: the page does not let this method be chosen. */
  readonly select: (option: PaymentOption) => boolean;
  readonly type: (text: string) => void;
  readonly proceed: (event: Event) => void;
  readonly leave: () => void;
  readonly resume: () => void;
  readonly retry: () => void;
  readonly refresh: () => void;
  readonly copy: (what: Copyable, event: Event) => void;
  /** A link to a bank's app was clicked. */
  readonly follow: () => void;
  readonly showQr: () => void;
  readonly saveQr: () => void;
  readonly print: () => void;
}
