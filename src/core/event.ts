import type { Checkout, CheckoutInvoice, CheckoutStatus } from '../protocol.ts';
import type { CheckoutError } from './error.ts';

/** Something that happened to a checkout; the element turns each into a DOM event of the same meaning. */
export type CheckoutEvent =
  /** Options or an invoice can be shown for the first time. */
  | { readonly type: 'ready'; readonly checkout: Checkout }
  /** Requisites arrived. */
  | { readonly type: 'created'; readonly invoice: CheckoutInvoice }
  | {
      readonly type: 'status';
      readonly status: CheckoutStatus;
      /** Undefined for the first one. */
      readonly previous: CheckoutStatus | undefined;
      readonly serviceStatus: string | undefined;
    }
  /** Each time that it becomes so; `paid` once for ever. */
  | { readonly type: 'paid' | 'failed' | 'expired'; readonly checkout: Checkout }
  /** Something needs the merchant's attention. */
  | { readonly type: 'error'; readonly error: CheckoutError };
