import { lazyChunk } from '../../base/import-chunk.ts';

/** The file of the QR encoder. Where it has been loaded, a link is drawn in the render that shows it, on a server too. */
export const [loadQrEncoder, loadedQrEncoder] = lazyChunk(() => import('./qr-drawing.ts'));

/** Loads it ahead of time. A failure is without effect: it is loaded again when a link is to be drawn. */
export function preloadQrEncoder(): void {
  loadQrEncoder().catch(() => undefined);
}
