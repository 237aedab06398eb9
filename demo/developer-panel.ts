import type { PayInvoiceElement } from '../src/element.ts';
import { button, byId, create } from './dom.ts';
import { text, type Text } from './texts.ts';

const events = [
  'pay-invoice-ready',
  'pay-invoice-method-select',
  'pay-invoice-created',
  'pay-invoice-qr-shown',
  'pay-invoice-copied',
  'pay-invoice-status',
  'pay-invoice-paid',
  'pay-invoice-failed',
  'pay-invoice-expired',
  'pay-invoice-error',
] as const;

/** The faults that a developer can set, as the sandbox's control API takes them. */
const faults: readonly { readonly label: Text; readonly fault: Readonly<Record<string, unknown>> }[] = [
  { label: 'slow', fault: { operation: '*', kind: 'latency', ms: 3000 } },
  {
    label: 'qr',
    fault: { operation: 'CreateInvoice', kind: 'status', status: 503, body: { code: 'internal' }, times: 1 },
  },
  { label: 'lost', fault: { operation: 'CreateInvoice', kind: 'lost', times: 1 } },
  { label: 'outage', fault: { operation: '*', kind: 'status', status: 503, body: { code: 'unavailable' } } },
  { label: 'amount', fault: { operation: 'CreateInvoice', kind: 'wrong_amount', times: 1 } },
  { label: 'status', fault: { operation: 'FetchInvoices', kind: 'unknown_status' } },
];

/** The panel beside the shop: what the widget tells the page, and levers on the sandbox where one runs. */
export class DeveloperPanel {
  readonly #sandbox: string | null;
  #widget: PayInvoiceElement | undefined;

  constructor(sandbox: string | null) {
    this.#sandbox = sandbox;
    for (const name of events) document.addEventListener(name, (event) => this.#log(event));
  }

  /** Watches another widget, or none. */
  watch(widget: PayInvoiceElement | undefined): void {
    this.#widget = widget;
    byId('log').replaceChildren();
    this.draw();
  }

  /** Draws the levers, in the page's language. */
  draw(): void {
    byId('faults').hidden = this.#sandbox === null;
    byId('fault-actions').replaceChildren(
      ...faults.map(({ label, fault }) => button(text(label), '', () => void this.#setFault(label, fault))),
      button(text('repair'), 'quiet', () => void this.#repair()),
    );
    this.#drawBank();
  }

  get #invoice(): { readonly id: string; readonly payment_url?: string | undefined } | undefined {
    const state = this.#widget?.state;
    return state !== undefined && 'checkout' in state ? (state.checkout.invoice ?? undefined) : undefined;
  }

  #drawBank(): void {
    const invoice = this.#invoice;
    byId('bank').hidden = this.#sandbox === null || invoice === undefined;
    if (invoice === undefined) return;
    const play = (label: 'pay' | 'fail' | 'expire'): HTMLButtonElement =>
      button(text(label), '', () => void this.#control('POST', `invoices/${encodeURIComponent(invoice.id)}/${label}`));
    const actions: HTMLElement[] = [play('pay'), play('fail'), play('expire')];
    if (invoice.payment_url !== undefined) {
      actions.push(create('a', { href: invoice.payment_url, target: '_blank', rel: 'noopener' }, text('open')));
    }
    byId('bank-actions').replaceChildren(...actions);
  }

  async #setFault(label: Text, fault: Readonly<Record<string, unknown>>): Promise<void> {
    const done = await this.#control('PUT', 'faults', fault);
    byId('fault-state').textContent = done ? text('faultSet', { fault: text(label) }) : text('offline');
  }

  async #repair(): Promise<void> {
    byId('fault-state').textContent = text((await this.#control('DELETE', 'faults')) ? 'repaired' : 'offline');
  }

  async #control(method: string, path: string, body?: unknown): Promise<boolean> {
    const init =
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(`${this.#sandbox ?? ''}/sandbox/${path}`, { method, ...init }).catch(() => undefined);
    return response?.ok === true;
  }

  #log(event: Event): void {
    const time = create('time', {}, new Date().toLocaleTimeString(undefined, { hour12: false }));
    const item = create(
      'li',
      {},
      time,
      ' ',
      create('b', {}, event.type.replace('pay-invoice-', '')),
      ` ${factsOf(event)}`,
    );
    const log = byId('log');
    log.append(item);
    log.scrollTop = log.scrollHeight; // not scrollIntoView: on a phone that would scroll the page away from the widget
    this.#drawBank();
  }
}

/** The fields of an event that fit a line. */
function factsOf(event: Event): string {
  switch (event.type) {
    case 'pay-invoice-status':
      return facts(event, 'previous', 'status', 'serviceStatus');
    case 'pay-invoice-copied':
      return facts(event, 'field');
    case 'pay-invoice-error':
      return 'error' in event && event.error instanceof Error ? facts(event.error, 'code', 'field') : '';
    default:
      return '';
  }
}

function facts(source: object, ...names: readonly string[]): string {
  return names
    .map((name): unknown => Reflect.get(source, name))
    .filter((value) => typeof value === 'string')
    .join(' → ');
}
