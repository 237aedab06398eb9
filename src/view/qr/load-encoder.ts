import { lazyChunk } from '../../base/import-chunk.ts';

/** Loads the file of the QR encoder, and returns it if it is loaded: then a QR is in the first render that needs it. */
export const [loadQrEncoder, loadedQrEncoder] = lazyChunk(() => import('./qr-drawing.ts'));

/** Loads the encoder before it is needed. A failure is ignored: drawing a link loads it again. */
export function preloadQrEncoder(): void {
  loadQrEncoder().catch(() => undefined);
}
