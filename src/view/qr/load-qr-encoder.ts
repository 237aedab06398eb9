import { lazyChunk } from '../../base/import-chunk.ts';

/**
 * `loadQrEncoder` loads the file of the QR encoder. `loadedQrEncoder` returns it once it is loaded, so that a QR can be in the
 * first render that needs it, also on a server.
 */
export const [loadQrEncoder, loadedQrEncoder] = lazyChunk(() => import('./qr-drawing.ts'));

/**
 * Loads the encoder before it is needed, and draws a link that is known already. A failure is ignored: drawing a link loads
 * the encoder again.
 */
export function preloadQrEncoder(link?: string): void {
  loadQrEncoder()
    .then((encoder) => link && encoder.drawQr(link))
    .catch(() => undefined);
}
