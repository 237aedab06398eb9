import { importChunk } from '../base/import-chunk.ts';
import type * as paymentPart from './payment-part.ts';

type PaymentModule = typeof paymentPart;

let loaded: PaymentModule | undefined;
let loading: Promise<PaymentModule> | undefined;

/** The widget's second file, where it has been loaded: the session of a checkout, and the screens of an invoice. */
export const loadedPaymentPart = (): PaymentModule | undefined => loaded;

/** Loads that file, once. If that fails, the next call loads it again. */
export function loadPaymentPart(): Promise<PaymentModule> {
  loading ??= importChunk(() => import('./payment-part.ts')).then(
    (part) => (loaded = part),
    (thrown: unknown) => {
      loading = undefined;
      throw thrown;
    },
  );
  return loading;
}
