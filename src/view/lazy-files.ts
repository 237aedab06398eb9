import { lazyChunk } from '../base/import-with-retry.ts';

// The files that are loaded when they are needed; the second file, which is loaded at once, is in payment-screens-loader.ts.
// Each `load` loads a file once, and again after a failure; each `loaded` returns it once it is loaded.

/** The encoder, for links whose QR code the backend did not send. */
export const [loadQrEncoder, loadedQrEncoder] = lazyChunk(() => import('./qr/qr-encoder.ts'));

/** What is needed only after a click. */
export const [loadSaveQrAndOpenInBrowser] = lazyChunk(() => import('./save-qr-and-open-in-browser.ts'));
