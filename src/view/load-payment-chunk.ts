import { lazyChunk } from '../base/import-chunk.ts';

/**
 * `loadPaymentChunk` loads the widget's second file: the session of a checkout, and the screens of an invoice. `loadedPaymentChunk`
 * returns it once it is loaded.
 */
export const [loadPaymentChunk, loadedPaymentChunk] = lazyChunk(() => import('./payment-chunk.ts'));
