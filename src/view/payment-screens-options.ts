import type { CSSResult, LitElement } from 'lit';
import type { BankLinks } from '../base/bank-links.ts';
import type { CheckoutError, CheckoutSession, CheckoutState, WaitingState } from '../core.ts';
import type { FirstFileTranslator, MessageOverrides } from '../i18n.ts';
import type { QrController } from './controllers/qr.ts';
import type { CountdownController } from './screens/header.ts';
import type { FirstFileHandlers } from './screens/screen-props.ts';

// What the first file gives to the second.

/** The members of the element that the payment screens use. */
export interface PaymentScreensHost extends LitElement {
  readonly state: CheckoutState;
  /** The texts of the page. */
  readonly messages: MessageOverrides | undefined;
  /** The id or the type of the method that the page prefers; empty for none. */
  readonly method: string;
  /** The URL, set by the merchant, at which the checkout opens on another device; empty for none. */
  readonly phoneUrl: string;
  /** The links of banks. */
  readonly bankLinks: BankLinks | undefined;
  /** Whether the outcome is put in front of the page's title. */
  readonly pageTitle: boolean;
  readonly autoContinue: boolean;
  /** In seconds; 0 turns it off. */
  readonly returnAfter: number;
  refresh(): Promise<void>;
}

/** What the payment screens need besides the element's public members. */
export interface PaymentScreensOptions {
  readonly session: () => CheckoutSession | undefined;
  /** The state while an invoice waits to be paid. */
  readonly waiting: () => WaitingState | undefined;
  readonly texts: () => FirstFileTranslator | undefined;
  readonly countdown: CountdownController;
  readonly qr: QrController;
  /** Dispatches an event once the change that it reports is rendered. */
  readonly emit: (event: Event) => void;
  /** Called each time when a file has failed or has not come in time. */
  readonly onFileError: (cause: unknown) => void;
  /** Reports an error once for each value that causes it. */
  readonly report: (name: string, value: unknown, error: CheckoutError) => void;
  readonly handlers: FirstFileHandlers;
  /** The styles of the first file. */
  readonly styles: readonly CSSResult[];
}
