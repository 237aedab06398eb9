import type { LitElement, ReactiveController } from 'lit';
import { drawQr, quietZone, type QrImage } from '../../base/qr-modules.ts';
import type { WaitingState } from '../../core.ts';
import { InvoiceEvent } from '../pay-invoice.events.ts';
import type { QrProps } from '../screens/screen-props.ts';

export interface QrOptions {
  /** The state while an invoice waits to be paid. */
  readonly waiting: () => WaitingState | undefined;
  /** Whether the second file has not come, which draws a code that did not come with the answer. */
  readonly isLate: () => boolean;
  /** Dispatches an event once the change that it reports is rendered. */
  readonly emit: (event: Event) => void;
}

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

/** The QR code of a waiting invoice that came with the answer. The second file draws the others. */
export class QrController implements ReactiveController, QrProps {
  /** The address in the QR, also while the file that draws it is late; undefined where none is to be shown. */
  link: string | undefined;
  qrImage: QrImage | undefined;
  qrElement: QrProps['qrElement'];
  readonly #host: LitElement;
  readonly #options: QrOptions;
  readonly #update = (): void => this.#host.requestUpdate();
  #media: MediaQueryList | undefined;
  #sentLink: string | undefined;
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
  get touch(): boolean {
    return this.#media?.matches === true || navigator.userAgent.includes('Mobi');
  }

  get qrLink(): string | undefined {
    return this.qrImage || !this.#options.isLate() ? this.link : undefined;
  }

  hostConnected(): void {
    this.#media = matchMedia('(pointer: coarse)');
    this.#media.addEventListener('change', this.#update);
  }

  hostDisconnected(): void {
    this.#media?.removeEventListener('change', this.#update);
  }

  hostUpdate(): void {
    const waiting = this.#options.waiting();
    const { nspk_url: link, qr } = waiting && !waiting.verifyingExpiry ? waiting.invoice : {};
    if (link === this.#sentLink) return;
    this.#sentLink = this.link = link;
    this.qrImage = link && qr ? drawQr(qr) : undefined;
  }

  hostUpdated(): void {
    const { qrImage: image } = this;
    const { renderRoot } = this.#host;
    const canvas = renderRoot.querySelector('canvas');
    if (canvas && image && !paintQr(canvas, image)) return;
    const qr = renderRoot.querySelector('[part=qr]');
    const invoice = this.#options.waiting()?.invoice;
    // A folded QR is not painted: it is reported once the payer unfolds it.
    if (!qr || !invoice || image === this.#shownImage || qr.closest('details')?.open === false) return;
    this.#shownImage = image;
    this.#options.emit(new InvoiceEvent('qr-shown', invoice));
  }
}
