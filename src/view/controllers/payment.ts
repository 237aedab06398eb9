import type { LitElement } from 'lit';
import type { PageLifecycle, Clock, WaitingState } from '../../core.ts';
import type { CheckoutInvoice } from '../../protocol.ts';
import type { Copyable, Handlers } from '../handlers.ts';
import { onServer } from '../on-server.ts';
import { CheckoutErrorEvent, CopiedEvent, InvoiceEvent } from '../pay-invoice.events.ts';
import type { PayingModel } from '../screens/waiting.ts';
import { CopyController } from './copy.ts';
import { Handheld } from './touch-device.ts';
import { QrController } from './qr.ts';
import { RescueController } from './app-launch-fallback.ts';

/** What the page gives to the requisites' screen. */
export interface PayingPage {
  readonly clock: Clock;
  readonly attention: PageLifecycle;
  /** Tells the page, once it is on the screen. */
  readonly tell: (event: Event) => void;
  /** Says whether a value was copied. */
  readonly sayCopied: (ok: boolean) => void;
}

/** The requisites' screen of one invoice after another: what it has besides the state, and what is done on it. */
export class Paying {
  readonly #host: LitElement;
  readonly #page: PayingPage;
  readonly #copy: CopyController;
  readonly #rescue: RescueController;
  readonly #handheld: Handheld;
  readonly #qr: QrController;
  #invoice: CheckoutInvoice | undefined;
  #phoneUrl: string | undefined;
  #qrAsked = false;

  constructor(host: LitElement, page: PayingPage) {
    this.#host = host;
    this.#page = page;
    this.#copy = new CopyController(host, page.clock);
    this.#rescue = new RescueController(host, page.clock, page.attention);
    this.#handheld = new Handheld(host);
    this.#qr = new QrController(host, (error) => {
      if (error) {
        this.#qrAsked = false;
        page.tell(new CheckoutErrorEvent(error));
      } else if (this.#invoice) page.tell(new InvoiceEvent('qr-shown', this.#invoice));
    });
  }

  /** Before a render: the invoice that waits, if one does, and where this checkout opens on another device. */
  follow(waiting: WaitingState | undefined, phoneUrl: string | undefined): void {
    const invoice = waiting?.invoice;
    if (invoice?.id !== this.#invoice?.id) {
      this.#qrAsked = false;
      this.#rescue.forget();
    }
    this.#invoice = invoice;
    this.#phoneUrl = phoneUrl;
    if (!onServer) this.#qr.show(waiting?.verifyingExpiry ? undefined : this.#qrLink);
  }

  /** The encoder comes before it is wanted. */
  preload(): void {
    this.#qr.preload();
  }

  /** What the screen shows; as if the device were not known, where what a server has rendered is taken over. */
  model(hydrating: boolean): PayingModel {
    return {
      qrLink: this.#qr.failed ? undefined : this.#qrLink,
      otherDevice: this.#otherDevice,
      picture: this.#qr.picture,
      handheld: !hydrating && this.#handheld.matches,
      stuck: this.#rescue.stuck,
      copied: this.#copy.last,
    };
  }

  readonly on: Pick<Handlers, 'copy' | 'follow' | 'showQr' | 'saveQr'> = {
    copy: (what, event) => void this.#copyValue(what, event.currentTarget),
    follow: () => {
      if (this.#handheld.matches) this.#rescue.watch();
    },
    showQr: () => {
      this.#qr.show(undefined); // one that failed is tried again
      this.#qrAsked = true;
      this.#host.requestUpdate();
    },
    saveQr: () => void this.#qr.save(this.#invoice?.id ?? 'qr'),
  };

  get #qrLink(): string | undefined {
    return this.#invoice?.nspk_url ?? (this.#qrAsked ? this.#otherDevice : undefined);
  }

  /** Where the payment opens on another device. */
  get #otherDevice(): string | undefined {
    return this.#invoice?.payment_url ?? this.#phoneUrl;
  }

  async #copyValue(what: Copyable, target: EventTarget | null): Promise<void> {
    const box = target instanceof Element ? target.closest('div') : null;
    // What was not copied is selected: the value in the button's row, or the list before it.
    const ok = await this.#copy.copy(what, box?.querySelector('bdi') ?? box?.previousElementSibling);
    this.#page.sayCopied(ok);
    if (ok) this.#host.dispatchEvent(new CopiedEvent(what.field));
  }
}
