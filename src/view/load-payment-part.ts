import { lazyChunk } from '../base/import-chunk.ts';

/** The widget's second file: the session of a checkout, and the screens of an invoice. */
export const [loadPaymentPart, loadedPaymentPart] = lazyChunk(() => import('./payment-part.ts'));
