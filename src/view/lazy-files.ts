import { lazyChunk } from '../base/import-chunk.ts';

// The files that are loaded after the first. Each `load` loads a file once, and again after a failure; each `loaded` returns it
// once it is loaded.

/** The second file, requested at once: the screens that the first file does not have. */
export const [loadPaymentScreens, loadedPaymentScreens] = lazyChunk(() => import('./payment-screens.ts'));

/** The encoder, for links whose QR code the backend did not send. */
export const [loadQrEncoder, loadedQrEncoder] = lazyChunk(() => import('./qr/qr-encoder.ts'));

/** What is needed only after a click. */
export const [loadSaveQrAndOpenInBrowser] = lazyChunk(() => import('./save-qr-and-open-in-browser.ts'));
