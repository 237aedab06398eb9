import type { ReactiveControllerHost } from 'lit';
import { CheckoutError, type Clock } from '../../core.ts';
import { loadPhoneHelp } from '../phone-help/load-phone-help.ts';
import { loadedQrEncoder, loadQrEncoder } from './load-encoder.ts';
import type { QrImage } from './qr-drawing.ts';

/** The QR that a server drew into `root`, and the link beside it. */
function drawnQr(root: ParentNode): readonly [link?: string | null | undefined, image?: QrImage] {
  const svg = root.querySelector('svg[part=qr]');
  const path = svg?.firstElementChild?.getAttribute('d');
  if (!path || !(svg instanceof SVGSVGElement)) return [];
  const { x, width } = svg.viewBox.baseVal;
  return [root.querySelector('[part=qr-link]')?.getAttribute('href'), { size: width + 2 * x, quietZone: -x, path }];
}

/** After the file of the encoder could not be loaded, it is loaded again after this long, in ms. */
const reloadMs = 5000;

type QrHost = ReactiveControllerHost & { readonly isConnected: boolean };

/** The image of one link at a time. The encoder is a lazily loaded chunk. */
export class QrLoader {
  image: QrImage | undefined;
  /** The address of the image as a PNG that the payer can press long; '' where only a screenshot keeps it. */
  picture: string | undefined;
  /** The link cannot be drawn. */
  failed = false;
  readonly #host: QrHost;
  readonly #clock: Clock;
  readonly #onError: (error: CheckoutError) => void;
  #link: string | undefined;
  #drawn: ReturnType<typeof drawnQr> = [];

  /** @param onError - called when a link could not be drawn */
  constructor(host: QrHost, clock: Clock, onError: (error: CheckoutError) => void) {
    this.#host = host;
    this.#clock = clock;
    this.#onError = onError;
  }

  /** Takes over the QR in a server's markup. It is shown for the link beside it, without the encoder. */
  adopt(root: ParentNode): void {
    this.#drawn = drawnQr(root);
  }

  /** Draws a link, or nothing; the host is updated when the image is ready. */
  show(link: string | undefined): void {
    if (link === this.#link) return;
    this.#link = link;
    this.image = this.picture = undefined;
    this.failed = false;
    if (link !== undefined) void this.#draw(link);
  }

  /** Saves the image as a file of that name, or makes `picture` of it. */
  async save(name: string): Promise<void> {
    const { image } = this;
    const help = await loadPhoneHelp().catch(() => undefined);
    if (image === undefined || image !== this.image) return;
    const picture = help ? await help.saveQr(image, name) : '';
    if (image !== this.image) return;
    this.picture = picture;
    this.#host.requestUpdate();
  }

  async #draw(link: string): Promise<void> {
    let error: CheckoutError | undefined;
    try {
      const [drawnLink, image] = this.#drawn;
      if (link === drawnLink) this.image = image;
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
    const isKnown = this.failed;
    this.failed = !!error;
    this.#host.requestUpdate();
    if (error && !isKnown) this.#onError(error);
  }
}
