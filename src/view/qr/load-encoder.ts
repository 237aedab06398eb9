import { importChunk } from '../../base/import-chunk.ts';
import type { QrImage } from './qr-drawing.ts';

export interface QrEncoder {
  readonly drawQr: (text: string) => QrImage;
}

let encoder: QrEncoder | undefined;
let loading: Promise<QrEncoder> | undefined;

/** The encoder, where it has been loaded: a link is then drawn in the render that shows it, on a server too. */
export const loadedQrEncoder = (): QrEncoder | undefined => encoder;

/** Loads the file of the QR encoder, once. If that fails, the next call loads it again. */
export function loadQrEncoder(): Promise<QrEncoder> {
  loading ??= importChunk(() => import('./qr-drawing.ts')).then(
    (loaded) => (encoder = loaded),
    (thrown: unknown) => {
      loading = undefined;
      throw thrown;
    },
  );
  return loading;
}

/** Loads it ahead of time. A failure is without effect: it is loaded again when a link is to be drawn. */
export function preloadQrEncoder(): void {
  loadQrEncoder().catch(() => undefined);
}
