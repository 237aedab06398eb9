import { CheckoutError, type CheckoutTransport } from '../src/core.ts';
import type { PayInvoiceElement } from '../src/element.ts';
import { button, byId, create } from './dom-helpers.ts';
import { setText, type Text } from './page-texts.ts';

/** What the payer's bank does with the invoice. */
export type BankDecision = 'pay' | 'expire';

/** A payment that can be tried: the widget, and the bank of its invoice. */
export interface Trial {
  readonly widget: PayInvoiceElement;
  readonly decide: (decision: BankDecision) => void;
}

/** How long a connection that was cut is lost, in ms. */
const offlineMs = 15_000;
/** How often the widget is asked to read meanwhile, in ms. It mentions the second failure, and may wait long for the next read. */
const askMs = 1000;

const refuse = (): Promise<never> => Promise.reject(new CheckoutError('network', 'the demo has cut the connection'));
const noConnection: CheckoutTransport = { read: refuse, createInvoice: refuse };

/** The invoice that the bank can still pay. */
export function payableInvoice(
  widget: PayInvoiceElement | undefined,
): { readonly id: string; readonly payment_url?: string | undefined } | undefined {
  const state = widget?.state;
  if (state === undefined || !('checkout' in state) || state.checkout.status === 'paid') return undefined;
  return state.checkout.invoice ?? undefined;
}

const events = ['pay-invoice-ready', 'pay-invoice-created', 'pay-invoice-status'] as const;

/** The buttons beside the widget: each of them shows at once what the widget does in a situation. */
export class ThingsToTry {
  readonly #buttons: Readonly<Record<'pay' | 'expire' | 'cut' | 'anew', HTMLButtonElement>>;
  #trial: Trial | undefined;
  #isCut = false;

  /** `onNewOrder` is called when the visitor wants to begin again. */
  constructor(onNewOrder: () => void) {
    this.#buttons = {
      pay: this.#thing('pay', 'payNote', () => this.#trial?.decide('pay')),
      expire: this.#thing('expire', 'expireNote', () => this.#trial?.decide('expire')),
      cut: this.#thing('cut', 'cutNote', () => void this.#cutConnection()),
      anew: button('', '', onNewOrder),
    };
    this.#buttons.pay.classList.add('primary');
    setText(this.#buttons.anew, 'anew');
    byId('trial-title').after(this.#buttons.anew);
    for (const name of events) document.addEventListener(name, () => this.#render());
    this.#render();
  }

  /** Shows the buttons for a payment, or hides them. The buttons have their place before there is an invoice. */
  watch(trial: Trial | undefined): void {
    this.#trial = trial;
    byId('trial').hidden = trial === undefined;
    this.#render();
  }

  #thing(name: Text, note: Text, onPress: () => void): HTMLButtonElement {
    // `disabled` would take the focus from the button that was pressed.
    const press = button('', '', () => {
      if (press.getAttribute('aria-disabled') !== 'true') onPress();
    });
    press.setAttribute('aria-describedby', note);
    setText(press, name);
    const description = create('span', { id: note, className: 'note' });
    setText(description, note);
    byId('things').append(create('li', {}, press, description));
    return press;
  }

  #render(): void {
    const state = this.#trial?.widget.state;
    const status = state !== undefined && 'checkout' in state ? state.checkout.status : undefined;
    const { pay, expire, cut, anew } = this.#buttons;
    pay.setAttribute('aria-disabled', String(payableInvoice(this.#trial?.widget) === undefined));
    expire.setAttribute('aria-disabled', String(status !== 'pending'));
    cut.setAttribute('aria-disabled', String(status !== 'pending' || this.#isCut));
    anew.classList.toggle('unknown', status === undefined || status === 'open' || status === 'pending');
  }

  async #cutConnection(): Promise<void> {
    const widget = this.#trial?.widget;
    if (widget === undefined) return;
    const { transport } = widget;
    this.#isCut = true;
    widget.transport = noConnection;
    this.#render();
    for (let ms = 0; ms < offlineMs; ms += askMs) {
      void widget.refresh();
      await new Promise((resolve) => setTimeout(resolve, askMs));
    }
    widget.transport = transport;
    this.#isCut = false;
    void widget.refresh();
    this.#render();
  }
}
