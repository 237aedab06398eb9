import { lazyChunk } from '../base/import-chunk.ts';

/**
 * `loadPaymentPart` loads the widget's second file: the session of a checkout, and the screens of an invoice. `loadedPaymentPart`
 * returns it once it is loaded.
 */
export const [loadPaymentPart, loadedPaymentPart] = lazyChunk(() => import('./payment-part.ts'));
