import type { LitElement, ReactiveController } from 'lit';
import { isSafeLink } from '../../checkout-api/safe-link.ts';
import { CheckoutError, type Clock, type WaitingState } from '../../core.ts';
import type { CheckoutInvoice } from '../../checkout-api.ts';
import { loadedQrEncoder, loadQrEncoder, loadSaveQrAndOpenInBrowser } from '../lazy-files.ts';
import { ActionEvent, CheckoutErrorEvent, InvoiceEvent } from '../pay-invoice.events.ts';
import { drawQr, type QrImage } from '../qr/draw-qr.ts';
import type { QrProps } from '../screens/screen-props.ts';

export interface QrOptions {
  readonly clock: Clock;
  /** The state while an invoice waits to be paid. */
  readonly waiting: () => WaitingState | undefined;
  /** The URL, set by the merchant, at which the checkout opens on another device; empty for none. */
  readonly phoneUrl: () => string;
  /** The page's address. */
  readonly page: string;
  /** Whether to render as on a server, which detects a phone by the headers of the request. */
  readonly asOnServer: () => boolean;
  /** Dispatches an event once the change that it reports is rendered. */
  readonly emit: (event: Event) => void;
}

/** The delay before the encoder's file is loaded again after a failure, in ms. */
const reloadMs = 5000;

/** The QR code of a waiting invoice, or of another link. Only a link whose code did not come with the answer needs the encoder. */
export class QrController implements ReactiveController {
  /** Set when `save` could not save a file: the URL of a PNG to press and hold, or '' where no image can be shown. */
  picture: string | undefined;
  readonly #host: LitElement;
  readonly #options: QrOptions;
  readonly #update = (): void => this.#host.requestUpdate();
  #media: MediaQueryList | undefined;
  #invoiceId: string | undefined;
  #image: QrImage | undefined;
  /** The link of `#image`, or the link that is being drawn. */
  #link: string | undefined;
  #hasFailed = false;
  /** Whether the payer asked for the QR of `otherDeviceUrl`. */
  #isRequested = false;
  /** The image for which `qr-shown` was emitted last. */
  #shownImage: QrImage | undefined;
  #phoneUrl = '';

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
    if (this.#options.asOnServer()) return this.#host.hasAttribute('data-touch');
    return this.#media?.matches === true || navigator.userAgent.includes('Mobi');
  }

  get props(): QrProps {
    return {
      qrLink: this.#hasFailed ? undefined : this.#wantedLink,
      otherDeviceUrl: this.#otherDeviceUrl,
      qrImage: this.#image,
      touch: this.isTouch,
      qrPicture: this.picture,
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
    this.#checkPhoneUrl();
    const id = this.#invoice?.id;
    if (id !== this.#invoiceId) this.#isRequested = this.#hasFailed = false;
    this.#invoiceId = id;
    const link = this.#options.waiting()?.verifyingExpiry ? undefined : this.#wantedLink;
    if (link === this.#link) return;
    this.#link = link;
    this.#image = this.picture = undefined;
    const { nspk_url: sentLink, qr } = this.#invoice ?? {};
    if (link !== undefined && link === sentLink && qr) this.#image = drawQr(qr);
    if (link !== undefined && !this.#image) void this.#encode(link);
  }

  hostUpdated(): void {
    const qr = this.#host.renderRoot.querySelector<SVGElement>('[part=qr]');
    const invoice = this.#invoice;
    // A folded QR is not painted: it is reported once the payer unfolds it.
    if (!qr || !invoice || this.#image === this.#shownImage || qr.closest('details')?.open === false) return;
    this.#shownImage = this.#image;
    // The button that the payer pressed has gone.
    if (this.#isRequested && this.#host.matches(':focus-within')) qr.focus();
    this.#options.emit(new InvoiceEvent('qr-shown', invoice));
  }

  /** Shows the QR of `otherDeviceUrl`. */
  request(): void {
    this.#isRequested = true;
    this.#hasFailed = false;
    this.#link = undefined; // A link that could not be drawn is drawn again.
    this.#update();
  }

  /** Saves the image as a file, or sets `picture` where the browser saves none. */
  async save(): Promise<void> {
    this.#host.dispatchEvent(new ActionEvent('qr_save'));
    const image = this.#image;
    const name = this.#options.waiting()?.checkout.reference ?? 'qr';
    const help = await loadSaveQrAndOpenInBrowser().catch(() => undefined);
    if (image === undefined || image !== this.#image) return;
    const picture = help ? await help.saveQr(image, name) : '';
    if (image !== this.#image) return;
    this.picture = picture;
    this.#update();
  }

  get #invoice(): CheckoutInvoice | undefined {
    return this.#options.waiting()?.invoice;
  }

  get #wantedLink(): string | undefined {
    return this.#invoice?.nspk_url ?? (this.#isRequested ? this.#otherDeviceUrl : undefined);
  }

  get #otherDeviceUrl(): string | undefined {
    return this.#invoice?.payment_url ?? this.safePhoneUrl;
  }

  /** `phoneUrl` as an absolute URL; undefined where it is not safe to follow. */
  get safePhoneUrl(): string | undefined {
    const { page, phoneUrl } = this.#options;
    return phoneUrl() && isSafeLink(phoneUrl(), page, page) ? new URL(phoneUrl(), page).href : undefined;
  }

  /** Emits an error once for an unsafe `phoneUrl`. */
  #checkPhoneUrl(): void {
    const url = this.#options.phoneUrl();
    if (url === this.#phoneUrl) return;
    this.#phoneUrl = url;
    if (url && !this.safePhoneUrl)
      this.#options.emit(new CheckoutErrorEvent(new CheckoutError('unsafe_link', 'phone-url', { field: 'phone-url' })));
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
    this.#isRequested &&= !error;
    // The next update after the delay draws the link again: that of a removed element, once it is connected.
    if (error && !loadedQrEncoder())
      this.#options.clock.schedule(reloadMs, () => {
        this.#link = undefined;
        this.#update();
      });
    this.#update();
  }
}
