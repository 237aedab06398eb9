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
  /** There will be no picture of this link. */
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
    this.failed = false;
    if (link !== undefined) void this.#draw(link);
  }

  async save(name: string): Promise<void> {
    const { saveQr } = await load();
    if (this.picture !== undefined) saveQr(this.picture, name);
  }

  async #draw(link: string): Promise<void> {
    let error: CheckoutError | undefined;
    try {
      const { drawQr } = await load();
      if (link === this.#link) this.picture = drawQr(link);
    } catch (cause) {
      error = new CheckoutError('qr_failed', 'the QR could not be drawn', { cause });
    }
    if (link !== this.#link) return;
    this.failed = !!error;
    this.#host.requestUpdate();
    this.#onEnd(error);
  }
}
