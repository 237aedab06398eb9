import type { LitElement, ReactiveController } from 'lit';
import { lazyChunk } from '../../base/import-with-retry.ts';
import { drawQr, quietZone, type QrImage } from '../../base/qr-modules.ts';
import { CheckoutError, type Clock, type WaitingState } from '../../core.ts';
import type { CheckoutInvoice } from '../../checkout-api.ts';
import { CheckoutErrorEvent, InvoiceEvent } from '../pay-invoice.events.ts';
import type { QrProps } from '../screens/screen-props.ts';

/** The encoder, for links whose QR code the backend did not send. */
export const [loadQrEncoder, loadedQrEncoder] = lazyChunk(() => import('../../base/qr-encoder.ts'));

export interface QrOptions {
  readonly clock: Clock;
  /** The state while an invoice waits to be paid. */
  readonly waiting: () => WaitingState | undefined;
  /** Dispatches an event once the change that it reports is rendered. */
  readonly emit: (event: Event) => void;
}

/** The delay before the encoder's file is loaded again after a failure, in ms. */
const reloadMs = 5000;

/** Paints a code with its margin on the whole canvas. Returns false where the browser gives no canvas. */
function paintQr(canvas: HTMLCanvasElement, { size, path }: QrImage): boolean {
  // It is often read only for the browser: such a canvas is not in the memory of the graphics card, which may lose it.
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return false;
  const scale = canvas.width / (size + 2 * quietZone);
  context.setTransform(scale, 0, 0, scale, quietZone * scale, quietZone * scale);
  context.fillStyle = '#fff';
  context.fillRect(-quietZone, -quietZone, canvas.width, canvas.width);
  context.fillStyle = '#000';
  context.fill(new Path2D(path));
  return true;
}

/** The QR code of a waiting invoice, or of another link. Only a link whose code did not come with the answer needs the encoder. */
export class QrController implements ReactiveController {
  readonly #host: LitElement;
  readonly #options: QrOptions;
  readonly #update = (): void => this.#host.requestUpdate();
  #media: MediaQueryList | undefined;
  #invoiceId: string | undefined;
  #image: QrImage | undefined;
  /** The link of `#image`, or the link that is being drawn. */
  #link: string | undefined;
  #hasFailed = false;
  #hasCanvas = true;
  /** The link that the payer asked to open on another device, for an invoice without a QR of its own. */
  #requestedLink: (() => string | undefined) | undefined;
  /** The image for which `qr-shown` was emitted last. */
  #shownImage: QrImage | undefined;

  constructor(host: LitElement, options: QrOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  /**
   * Whether the device is a phone or a tablet, which can open a bank's app itself. Detected by a coarse pointer or the user
   * agent, and not by the width of the window.
   */
  get isTouch(): boolean {
    return this.#media?.matches === true || navigator.userAgent.includes('Mobi');
  }

  get props(): QrProps {
    return {
      qrLink: this.#hasFailed ? undefined : this.#wantedLink,
      qrImage: this.#image,
      asSvg: !this.#hasCanvas,
      touch: this.isTouch,
    };
  }

  hostConnected(): void {
    this.#media = matchMedia('(pointer: coarse)');
    this.#media.addEventListener('change', this.#update);
  }

  hostDisconnected(): void {
    this.#media?.removeEventListener('change', this.#update);
  }

  hostUpdate(): void {
    const id = this.#invoice?.id;
    if (id !== this.#invoiceId) {
      this.#requestedLink = undefined;
      this.#hasFailed = false;
    }
    this.#invoiceId = id;
    const link = this.#options.waiting()?.verifyingExpiry ? undefined : this.#wantedLink;
    if (link === this.#link) return;
    this.#link = link;
    this.#image = undefined;
    const { nspk_url: sentLink, qr } = this.#invoice ?? {};
    if (link !== undefined && link === sentLink && qr) this.#image = drawQr(qr);
    if (link !== undefined && !this.#image) void this.#encode(link);
  }

  hostUpdated(): void {
    const { renderRoot } = this.#host;
    const canvas = renderRoot.querySelector('canvas');
    if (canvas && this.#image && !paintQr(canvas, this.#image)) {
      this.#hasCanvas = false;
      this.#update();
    }
    const qr = renderRoot.querySelector<HTMLElement>('[part=qr]');
    const invoice = this.#invoice;
    // A folded QR is not painted: it is reported once the payer unfolds it.
    if (!qr || !invoice || this.#image === this.#shownImage || qr.closest('details')?.open === false) return;
    this.#shownImage = this.#image;
    // The button that the payer pressed has gone.
    if (this.#requestedLink && this.#host.matches(':focus-within')) qr.focus();
    this.#options.emit(new InvoiceEvent('qr-shown', invoice));
  }

  /** Shows the QR of a link for another device. */
  request(link: () => string | undefined): void {
    this.#requestedLink = link;
    this.#hasFailed = false;
    this.#link = undefined; // A link that could not be drawn is drawn again.
    this.#update();
  }

  get #invoice(): CheckoutInvoice | undefined {
    return this.#options.waiting()?.invoice;
  }

  get #wantedLink(): string | undefined {
    return this.#invoice?.nspk_url ?? this.#requestedLink?.();
  }

  async #encode(link: string): Promise<void> {
    let error: CheckoutError | undefined;
    try {
      const { encodeQr } = loadedQrEncoder() ?? (await loadQrEncoder());
      if (link === this.#link) this.#image = drawQr(encodeQr(link));
    } catch (cause) {
      error = new CheckoutError('qr_failed', 'the QR could not be drawn', { cause });
    }
    if (link !== this.#link) return;
    if (error && !this.#hasFailed) this.#options.emit(new CheckoutErrorEvent(error));
    this.#hasFailed = !!error;
    if (error) this.#requestedLink = undefined;
    // The next update after the delay draws the link again: that of a removed element, once it is connected.
    if (error && !loadedQrEncoder())
      this.#options.clock.schedule(reloadMs, () => {
        this.#link = undefined;
        this.#update();
      });
    this.#update();
  }
}
