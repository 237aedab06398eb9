import type { BankLinks } from '../base/bank-links.ts';
import type { CheckoutTransport } from '../core.ts';
import type { MessageOverrides } from '../i18n.ts';
import type { Checkout } from '../checkout-api.ts';
import type { NamedMethod } from './screens/screen-props.ts';

/** What a page sets on a checkout: the same for the element and for `openCheckout`. */
export interface PayInvoiceOptions {
  /** The capability that the merchant's server created for the order (`chk_…`). */
  readonly checkout: string;
  /** The URL at which the merchant's backend serves the checkout API; `/checkout` by default. */
  readonly endpoint?: string | undefined;
  /** The language of texts and numbers (BCP 47); by default that of the page. */
  readonly lang?: string | undefined;
  /** `auto`, the default, follows the page's `color-scheme`. */
  readonly theme?: 'auto' | 'light' | 'dark' | undefined;
  /** The id or the type of the payment method that is preselected when it is available. */
  readonly method?: string | undefined;
  /** The address at which this checkout opens on another device. Its query must not contain the capability. */
  readonly phoneUrl?: string | undefined;
  /** The links of banks by name, for phones: each has `{link}` where the encoded payment link belongs, or `{path}` for what stands in it behind `https://`. At most six are shown. */
  readonly bankLinks?: BankLinks | undefined;
  /** While the page is in the background, its title begins with the outcome. */
  readonly pageTitle?: boolean | undefined;
  /** Requests an invoice at once where exactly one method can be used, or the one in `method` can. Only while the page is visible, once. */
  readonly autoContinue?: boolean | undefined;
  /** The seconds after which a paid checkout goes to the success URL, with a countdown that the payer can stop; at least 20. 0, the default: never. */
  readonly returnAfter?: number | undefined;
  /** Returns the merchant's own name for a payment method; undefined for the default name. */
  readonly methodName?: ((method: NamedMethod) => string | undefined) | undefined;
  /** The checkout as the checkout API returns it. The first render then needs no request. */
  readonly initial?: Checkout | undefined;
  /** The merchant's own texts. They replace texts of the catalogue. */
  readonly messages?: MessageOverrides | undefined;
  /** Another way to reach the backend. */
  readonly transport?: CheckoutTransport | undefined;
}
