import type { ReactiveController } from 'lit';
import { lazyChunk } from '../../base/import-with-retry.ts';
import { drawQr, type QrImage } from '../../base/qr-modules.ts';
import { CheckoutError, type Clock, type WaitingState } from '../../core.ts';
import { CheckoutErrorEvent } from '../pay-invoice.events.ts';
import type { PaymentScreensHost } from '../payment-screens-options.ts';
import type { QrController } from './qr.ts';
import { loadRarelyNeeded } from './qr-saver.ts';

/** The encoder, for links whose QR code the backend did not send. */
export const [loadQrEncoder, loadedQrEncoder] = lazyChunk(() => import('../../base/qr-encoder.ts'), 'encodeQr');

export interface EncodedQrOptions {
  readonly clock: Clock;
  /** Shows what is drawn here. */
  readonly qr: QrController;
  /** The state while an invoice waits to be paid. */
  readonly waiting: () => WaitingState | undefined;
  /** The address at which the payment can be continued on another device. */
  readonly otherDeviceUrl: () => string | undefined;
  /** Dispatches an event once the change that it reports is rendered. */
  readonly emit: (event: Event) => void;
  /** Called when the QR that the payer has asked for, or has unfolded, could not be drawn. */
  readonly onMissing: () => void;
}

/** The delay before the encoder's file is loaded again after a failure, in ms. */
const reloadMs = 5000;

/** The QR codes that did not come with the answer: that of the invoice's link, or of another device, which the payer asks for. */
export class EncodedQrController implements ReactiveController {
  readonly #host: PaymentScreensHost;
  readonly #options: EncodedQrOptions;
  #invoiceId: string | undefined;
  #isRequested = false;
  /** The link that is drawn, or is being drawn. */
  #link: string | undefined;
  #hasFailed = false;
  /** The image that the payer has asked for and that has had the focus. */
  #focusedImage: QrImage | undefined;

  constructor(host: PaymentScreensHost, options: EncodedQrOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  /** Whether the QR that the payer has asked for could not be drawn: the file that draws it has not come. */
  get isMissing(): boolean {
    return this.#isRequested && this.#hasFailed;
  }

  /** Shows the QR of the address for another device. */
  request(): void {
    this.#isRequested = true;
    this.#hasFailed = false;
    this.#link = undefined;
    this.#host.requestUpdate();
  }

  hostUpdate(): void {
    const { qr, waiting, otherDeviceUrl } = this.#options;
    const state = waiting();
    const invoice = state?.invoice;
    if (invoice?.id !== this.#invoiceId) this.#isRequested = this.#hasFailed = false;
    this.#invoiceId = invoice?.id;
    const hasCome = !!invoice?.nspk_url && !!invoice.qr;
    const isWanted = invoice && !hasCome && !state.verifyingExpiry;
    const link = isWanted ? (invoice.nspk_url ?? (this.#isRequested ? otherDeviceUrl() : undefined)) : undefined;
    if (link === this.#link) return;
    this.#link = link;
    if (hasCome) return;
    qr.qrImage = undefined;
    qr.link = this.#hasFailed ? undefined : link;
    if (link !== undefined) void this.#encode(link);
  }

  hostUpdated(): void {
    const { qr } = this.#options;
    const { renderRoot } = this.#host;
    const canvas = renderRoot.querySelector('canvas');
    if (canvas && !canvas.getContext('2d')) void this.#drawWithoutCanvas();
    if (!this.#isRequested || qr.qrImage === this.#focusedImage) return;
    this.#focusedImage = qr.qrImage;
    // The button that the payer pressed has gone.
    if (this.#host.matches(':focus-within')) renderRoot.querySelector<HTMLElement>('[part=qr]')?.focus();
  }

  async #drawWithoutCanvas(): Promise<void> {
    const file = await loadRarelyNeeded().catch(() => undefined); // The next update tries again.
    this.#options.qr.qrElement = file?.qrAsSvg;
    if (file) this.#host.requestUpdate();
  }

  async #encode(link: string): Promise<void> {
    const { clock, qr, emit, onMissing } = this.#options;
    let error: CheckoutError | undefined;
    try {
      const { encodeQr } = loadedQrEncoder() ?? (await loadQrEncoder());
      if (link === this.#link) qr.qrImage = drawQr(encodeQr(link));
    } catch (cause) {
      error = new CheckoutError('qr_failed', 'the QR could not be drawn', { cause });
    }
    if (link !== this.#link) return;
    qr.link = error ? undefined : link;
    if (error && !this.#hasFailed) {
      emit(new CheckoutErrorEvent(error));
      // The payer looks for the image.
      if (this.#host.renderRoot.querySelector('.fold[open]')) onMissing();
    }
    this.#hasFailed = !!error;
    if (this.isMissing) onMissing();
    // The next update after the delay draws the link again: that of a removed element, once it is connected.
    else if (error && !loadedQrEncoder())
      clock.schedule(reloadMs, () => {
        this.#link = undefined;
        this.#host.requestUpdate();
      });
    this.#host.requestUpdate();
  }
}
