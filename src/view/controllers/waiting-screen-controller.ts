import type { LitElement, ReactiveController } from 'lit';
import { CheckoutError, isSafeLink, type PageLifecycle, type Clock, type WaitingState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import type { CheckoutInvoice } from '../../protocol.ts';
import { CheckoutErrorEvent } from '../pay-invoice.events.ts';
import { ActionEvent, CopiedEvent, InvoiceEvent, type PayerAction } from '../payment-chunk.events.ts';
import type { AppLaunchHelp, Copyable, DeviceProps, Handlers } from '../screens/screen-props.ts';
import { AppLaunchFallback, TouchDevice } from './bank-app-link.ts';
import { CopyController } from './copy-to-clipboard.ts';
import { loadSaveQrAndOpenInBrowser } from '../save-qr-and-open-in-browser/load-save-qr-and-open-in-browser.ts';
import type { QrImage } from '../qr/qr-drawing.ts';
import { QrState } from '../qr/qr-state.ts';

export interface WaitingScreenOptions {
  readonly clock: Clock;
  readonly pageLifecycle: PageLifecycle;
  /** The state while an invoice waits to be paid. */
  readonly waiting: () => WaitingState | undefined;
  /** The URL, set by the merchant, at which the checkout opens on another device; empty for none. */
  readonly phoneUrl: () => string;
  /** The page's address. */
  readonly page: string;
  /** Dispatches an event once the change that it reports is rendered. */
  readonly emit: (event: Event) => void;
  /** Announces a text to screen readers. */
  readonly announce: (text: (texts: Translator) => string) => void;
}

/** What the screen of a waiting invoice needs besides the state: the QR, copying, and help with links to a bank's app. */
export class WaitingScreenController implements ReactiveController {
  readonly #host: LitElement;
  readonly #options: WaitingScreenOptions;
  readonly #copy: CopyController;
  readonly #appLaunch: AppLaunchFallback;
  readonly #touchDevice: TouchDevice;
  readonly #qr: QrState;
  #invoiceId: string | undefined;
  #appLaunchHelp: AppLaunchHelp | undefined;
  #qrRequested = false;
  /** The image for which `qr-shown` was emitted last. */
  #shownImage: QrImage | undefined;
  #phoneUrl = '';

  constructor(host: LitElement, options: WaitingScreenOptions) {
    const { clock, pageLifecycle, emit } = options;
    this.#host = host;
    this.#options = options;
    this.#copy = new CopyController(host, clock);
    this.#appLaunch = new AppLaunchFallback(host, clock, pageLifecycle, () => void this.#showHelp());
    this.#touchDevice = new TouchDevice(host);
    this.#qr = new QrState(host, clock, (error) => {
      this.#qrRequested = false;
      emit(new CheckoutErrorEvent(error));
    });
    host.addController(this);
  }

  hostUpdate(): void {
    this.#checkPhoneUrl();
    const waitingState = this.#options.waiting();
    const id = waitingState?.invoice.id;
    if (id !== this.#invoiceId) {
      this.#invoiceId = id;
      this.#qrRequested = false;
      this.#appLaunch.stop();
      this.#appLaunchHelp = undefined;
    }
    this.#qr.show(waitingState?.verifyingExpiry ? undefined : this.#qrLink);
  }

  hostUpdated(): void {
    const qr = this.#host.renderRoot.querySelector('[part=qr]');
    const invoice = this.#invoice;
    const { image } = this.#qr;
    // A folded QR is not painted: it is reported once the payer unfolds it.
    if (!qr || !invoice || image === this.#shownImage || qr.closest('details')?.open === false) return;
    this.#shownImage = image;
    this.#options.emit(new InvoiceEvent('qr-shown', invoice));
  }

  /** Reads the QR in a server's markup. */
  adopt(root: ParentNode): void {
    this.#qr.adopt(root);
  }

  /** @param asOnServer - whether to render as on a server, which detects a phone by the headers of the request */
  props(asOnServer: boolean): DeviceProps {
    return {
      qrLink: this.#qr.failed ? undefined : this.#qrLink,
      otherDeviceUrl: this.#otherDeviceUrl,
      qrImage: this.#qr.image,
      touch: asOnServer ? this.#host.hasAttribute('data-touch') : this.#touchDevice.matches,
      qrPicture: this.#qr.picture,
      appLaunchHelp: this.#appLaunchHelp,
      copyResult: this.#copy.last,
      timeZone: asOnServer ? 'UTC' : undefined,
    };
  }

  readonly handlers: Pick<Handlers, 'copy' | 'openLink' | 'showQr' | 'unfoldQr' | 'saveQr'> = {
    copy: (value, shown) => void this.#copyValue(value, shown),
    openLink: (toApp) => {
      this.#report('link_open');
      // Only an app opens immediately. A payment page may take long to load.
      if (toApp && this.#touchDevice.matches) this.#appLaunch.start();
    },
    showQr: () => {
      this.#qr.show(undefined); // So that a link that could not be drawn is drawn again.
      this.#qrRequested = true;
      this.#host.requestUpdate();
    },
    unfoldQr: () => this.hostUpdated(),
    saveQr: () => {
      this.#report('qr_save');
      void this.#saveQr();
    },
  };

  get #invoice(): CheckoutInvoice | undefined {
    return this.#options.waiting()?.invoice;
  }

  get #qrLink(): string | undefined {
    return this.#invoice?.nspk_url ?? (this.#qrRequested ? this.#otherDeviceUrl : undefined);
  }

  get #otherDeviceUrl(): string | undefined {
    return this.#invoice?.payment_url ?? this.#safePhoneUrl;
  }

  /** `phoneUrl` as an absolute URL; undefined where it is not safe to follow. */
  get #safePhoneUrl(): string | undefined {
    const { page, phoneUrl } = this.#options;
    return phoneUrl() && isSafeLink(phoneUrl(), page, page) ? new URL(phoneUrl(), page).href : undefined;
  }

  /** Emits an error once for an unsafe `phoneUrl`. */
  #checkPhoneUrl(): void {
    const url = this.#options.phoneUrl();
    if (url === this.#phoneUrl) return;
    this.#phoneUrl = url;
    if (url && !this.#safePhoneUrl)
      this.#options.emit(new CheckoutErrorEvent(new CheckoutError('unsafe_link', 'phone-url', { field: 'phone-url' })));
  }

  async #copyValue(value: Copyable, shown: Node | null | undefined): Promise<void> {
    const isCopied = await this.#copy.copy(value, shown);
    this.#options.announce(({ m }) => (isCopied ? m.copied : m.copyFailed));
    if (!isCopied) return;
    this.#host.dispatchEvent(new CopiedEvent(value.field));
    if (value.field === 'link') this.#report('link_copy');
  }

  /** Saves the QR, or announces how the payer can save it. */
  async #saveQr(): Promise<void> {
    await this.#qr.save(this.#options.waiting()?.checkout.reference ?? this.#invoice?.id ?? 'qr');
    const { picture } = this.#qr;
    if (picture !== undefined) this.#options.announce(({ m }) => m.saveHint(!!picture));
  }

  /** Shows help when no app has opened. */
  async #showHelp(): Promise<void> {
    const id = this.#invoiceId;
    const { page, emit } = this.#options;
    const phoneUrl = this.#safePhoneUrl;
    const chunk = await loadSaveQrAndOpenInBrowser().catch(() => undefined); // The next click tries again.
    if (!chunk || id !== this.#invoiceId) return;
    this.#appLaunchHelp = { phoneUrl, browserUrl: chunk.openInBrowserUrl(page, phoneUrl) };
    this.#host.requestUpdate();
    emit(new ActionEvent('help_shown'));
  }

  #report(action: PayerAction): void {
    this.#host.dispatchEvent(new ActionEvent(action));
  }
}
