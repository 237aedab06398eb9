import type { ReactiveControllerHost } from 'lit';
import { CheckoutError, type Clock } from '../../core.ts';
import { loadSaveQrAndOpenInBrowser } from '../save-qr-and-open-in-browser/load-save-qr-and-open-in-browser.ts';
import { loadedQrEncoder, loadQrEncoder } from './load-qr-encoder.ts';
import type { QrImage } from './qr-drawing.ts';

/** The link and the QR in a server's markup. */
function readServerQr(root: ParentNode): readonly [link?: string | null | undefined, image?: QrImage] {
  const svg = root.querySelector('svg[part=qr]');
  const path = svg?.firstElementChild?.getAttribute('d');
  if (!path || !(svg instanceof SVGSVGElement)) return [];
  const { x, width } = svg.viewBox.baseVal;
  return [root.querySelector('[part=qr-link]')?.getAttribute('href'), { size: width + 2 * x, quietZone: -x, path }];
}

/** The delay before the encoder's file is loaded again after a failure, in ms. */
const reloadMs = 5000;

type QrHost = ReactiveControllerHost & { readonly isConnected: boolean };

/** Draws the QR of one link at a time. The encoder is a lazily loaded file. */
export class QrState {
  image: QrImage | undefined;
  /** Set when `save` could not save a file: the URL of a PNG to press and hold, or '' where no image can be shown. */
  picture: string | undefined;
  /** Whether the link could not be drawn. */
  failed = false;
  readonly #host: QrHost;
  readonly #clock: Clock;
  readonly #onError: (error: CheckoutError) => void;
  #link: string | undefined;
  #serverQr: ReturnType<typeof readServerQr> = [];

  /** @param onError - called when a link could not be drawn */
  constructor(host: QrHost, clock: Clock, onError: (error: CheckoutError) => void) {
    this.#host = host;
    this.#clock = clock;
    this.#onError = onError;
  }

  /** Reads the QR that the server rendered. As long as the link is the same, it is shown and the encoder is not needed. */
  adopt(root: ParentNode): void {
    this.#serverQr = readServerQr(root);
  }

  /** Draws a link, or shows nothing. The host is updated when the image is ready. */
  show(link: string | undefined): void {
    if (link === this.#link) return;
    this.#link = link;
    this.image = this.picture = undefined;
    this.failed = false;
    if (link !== undefined) void this.#draw(link);
  }

  /** Saves the image as a file, or sets `picture` where the browser saves none. */
  async save(name: string): Promise<void> {
    const { image } = this;
    const help = await loadSaveQrAndOpenInBrowser().catch(() => undefined);
    if (image === undefined || image !== this.image) return;
    const picture = help ? await help.saveQr(image, name) : '';
    if (image !== this.image) return;
    this.picture = picture;
    this.#host.requestUpdate();
  }

  async #draw(link: string): Promise<void> {
    let error: CheckoutError | undefined;
    try {
      const [serverLink, image] = this.#serverQr;
      if (link === serverLink) this.image = image;
      else {
        const { drawQr } = loadedQrEncoder() ?? (await loadQrEncoder());
        if (link === this.#link) this.image = drawQr(link);
      }
    } catch (cause) {
      error = new CheckoutError('qr_failed', 'the QR could not be drawn', { cause });
    }
    if (link !== this.#link) return;
    if (error && !loadedQrEncoder())
      this.#clock.schedule(reloadMs, () => {
        if (link === this.#link && this.#host.isConnected) void this.#draw(link);
      });
    const hadFailed = this.failed;
    this.failed = !!error;
    this.#host.requestUpdate();
    if (error && !hadFailed) this.#onError(error);
  }
}
