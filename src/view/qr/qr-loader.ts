import type { ReactiveControllerHost } from 'lit';
import { CheckoutError } from '../../core.ts';
import { importChunk } from '../../base/import-chunk.ts';
import type { QrImage } from './qr-drawing.ts';

interface QrModule {
  readonly drawQr: (text: string) => QrImage;
  readonly saveQr: (image: QrImage, name: string) => void;
}

const loadEncoder = (): Promise<QrModule> => importChunk(() => import('./qr-drawing.ts'));

/** The image of one link at a time. The encoder is a lazily loaded chunk. */
export class QrLoader {
  image: QrImage | undefined;
  /** The link cannot be drawn. */
  failed = false;
  readonly #host: ReactiveControllerHost;
  readonly #onEnd: (error?: CheckoutError) => void;
  #link: string | undefined;
  #preloaded = false;

  /** @param onEnd - called when a link was drawn, or could not be */
  constructor(host: ReactiveControllerHost, onEnd: (error?: CheckoutError) => void) {
    this.#host = host;
    this.#onEnd = onEnd;
  }

  /** Loads the encoder ahead of time, once. If that fails, it is loaded again when a link is shown. */
  preload(): void {
    if (this.#preloaded) return;
    this.#preloaded = true;
    loadEncoder().catch(() => undefined);
  }

  /** Draws a link, or nothing; the host is updated when the image is ready. */
  show(link: string | undefined): void {
    if (link === this.#link) return;
    this.#link = link;
    this.image = undefined;
    this.failed = false;
    if (link !== undefined) void this.#draw(link);
  }

  async save(name: string): Promise<void> {
    const { saveQr } = await loadEncoder();
    if (this.image !== undefined) saveQr(this.image, name);
  }

  async #draw(link: string): Promise<void> {
    let error: CheckoutError | undefined;
    try {
      const { drawQr } = await loadEncoder();
      if (link === this.#link) this.image = drawQr(link);
    } catch (cause) {
      error = new CheckoutError('qr_failed', 'the QR could not be drawn', { cause });
    }
    if (link !== this.#link) return;
    this.failed = !!error;
    this.#host.requestUpdate();
    this.#onEnd(error);
  }
}
