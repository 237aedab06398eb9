import { lazyChunk } from '../base/import-chunk.ts';

/** Loads the widget's second file (the session of a checkout, and the screens of an invoice), and returns it if it is loaded. */
export const [loadPaymentPart, loadedPaymentPart] = lazyChunk(() => import('./payment-part.ts'));
