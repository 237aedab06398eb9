// The lazy chunk of what a payer needs only after a click: saving the QR, and the way out of an in-app browser. It imports
// nothing that the widget's first file has.
export { openInBrowserUrl } from './in-app-browser.ts';
export { saveQr } from './save-qr.ts';
