import type { ReactiveControllerHost } from 'lit';
import { CheckoutError } from '../../core.ts';
import type { QrPicture } from '../qr/picture.ts';

interface QrCode {
  readonly drawQr: (text: string) => QrPicture;
  readonly saveQr: (picture: QrPicture, name: string) => void;
}

const load = (): Promise<QrCode> => import('../qr/qr-code.ts');

/** The picture of one link at a time; its encoder comes in a file of its own. */
export class QrController {
  picture: QrPicture | undefined;
  readonly #host: ReactiveControllerHost;
  readonly #onError: (error: CheckoutError) => void;
  #link: string | undefined;
  #preloaded = false;

  constructor(host: ReactiveControllerHost, onError: (error: CheckoutError) => void) {
    this.#host = host;
    this.#onError = onError;
  }

  /** Fetches the encoder for later, once. A fetch that fails is tried again when a picture is wanted. */
  preload(): void {
    if (this.#preloaded) return;
    this.#preloaded = true;
    load().catch(() => undefined);
  }

  /** Draws a link, or nothing; the host is updated when the picture is there. */
  show(link: string | undefined): void {
    if (link === this.#link) return;
    this.#link = link;
    this.picture = undefined;
    if (link !== undefined) void this.#draw(link);
  }

  async save(name: string): Promise<void> {
    const { saveQr } = await load();
    if (this.picture !== undefined) saveQr(this.picture, name);
  }

  async #draw(link: string): Promise<void> {
    try {
      const { drawQr } = await load();
      if (link !== this.#link) return;
      this.picture = drawQr(link);
      this.#host.requestUpdate();
    } catch (cause) {
      if (link === this.#link) this.#onError(new CheckoutError('qr_failed', 'the QR could not be drawn', { cause }));
    }
  }
}
