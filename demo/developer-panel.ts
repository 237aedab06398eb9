import type { PayInvoiceElement } from '../src/element.ts';
import { button, byId, create } from './dom-helpers.ts';
import { faultGroups, type FaultButton } from './fault-buttons.ts';
import type { RequestFacts, ShopServer } from './shop-server-interface.ts';
import { currentLanguage, text } from './texts.ts';

const events = [
  'pay-invoice-ready',
  'pay-invoice-method-select',
  'pay-invoice-created',
  'pay-invoice-qr-shown',
  'pay-invoice-copied',
  'pay-invoice-action',
  'pay-invoice-status',
  'pay-invoice-paid',
  'pay-invoice-failed',
  'pay-invoice-expired',
  'pay-invoice-error',
] as const;

/** The panel beside the shop: the widget's state, events and requests, and controls of the sandbox where one runs. */
export class DeveloperPanel {
  readonly #control: ShopServer['control'];
  #widget: PayInvoiceElement | undefined;

  constructor(server: ShopServer) {
    this.#control = server.control;
    for (const name of events) document.addEventListener(name, (event) => this.#logEvent(event));
    server.watchRequests((request) => this.#logRequest(request));
    setInterval(() => this.#drawState(), 250); // most changes of the state dispatch no event
  }

  /** Shows another widget, or none. */
  watch(widget: PayInvoiceElement | undefined): void {
    this.#widget = widget;
    byId('log').replaceChildren();
    byId('requests').replaceChildren();
    this.draw();
  }

  /** Draws the controls of the sandbox, in the page's language. */
  draw(): void {
    byId('faults').hidden = this.#control === null;
    byId('fault-actions').replaceChildren(
      ...faultGroups.flatMap(({ title, buttons }) => [
        create('h4', {}, text(title)),
        create(
          'p',
          { className: 'buttons' },
          ...buttons.map((one) => button(text(one.label), '', () => void this.#setFaults(one))),
        ),
      ]),
      create(
        'p',
        { className: 'buttons' },
        button(text('repair'), '', () => void this.#repair()),
      ),
    );
    this.#drawBank();
  }

  get #invoice(): { readonly id: string; readonly payment_url?: string | undefined } | undefined {
    const state = this.#widget?.state;
    return state !== undefined && 'checkout' in state ? (state.checkout.invoice ?? undefined) : undefined;
  }

  #drawBank(): void {
    const invoice = this.#invoice;
    byId('bank').hidden = this.#control === null || invoice === undefined;
    if (invoice === undefined) return;
    const play = (label: 'pay' | 'fail' | 'expire'): HTMLButtonElement =>
      button(text(label), '', () => void this.#ask('POST', `invoices/${encodeURIComponent(invoice.id)}/${label}`));
    const actions: HTMLElement[] = [play('pay'), play('fail'), play('expire')];
    if (invoice.payment_url !== undefined) {
      actions.push(create('a', { href: invoice.payment_url, target: '_blank', rel: 'noopener' }, text('open')));
    }
    byId('bank-actions').replaceChildren(...actions);
    const statusForm = byId('bank-status');
    const key = `${invoice.id} ${currentLanguage()}`;
    if (statusForm.dataset['key'] === key) return; // a word that is being typed stays
    statusForm.dataset['key'] = key;
    statusForm.replaceChildren(this.#statusForm(invoice.id));
  }

  /** A field for any status word, since the list of the service's words is open. */
  #statusForm(invoiceId: string): HTMLFormElement {
    const word = create('input', {
      name: 'word',
      required: true,
      maxLength: 200,
      value: 'ON_HOLD',
      autocomplete: 'off',
    });
    const submit = create('button', { type: 'submit' }, text('setStatus'));
    const form = create('form', { className: 'buttons' }, create('label', {}, text('statusWord'), ' ', word), submit);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#ask('POST', `invoices/${encodeURIComponent(invoiceId)}/status`, { status: word.value });
    });
    return form;
  }

  async #setFaults({ label, faults }: FaultButton): Promise<void> {
    const done = await this.#ask('PUT', 'faults', faults);
    byId('fault-state').textContent = done ? text('faultSet', { fault: text(label) }) : text('offline');
  }

  async #repair(): Promise<void> {
    byId('fault-state').textContent = text((await this.#ask('DELETE', 'faults')) ? 'repaired' : 'offline');
  }

  async #ask(method: string, path: string, body?: unknown): Promise<boolean> {
    return (await this.#control?.(method, path, body)) === true;
  }

  #drawState(): void {
    const state = this.#widget?.state;
    const whole = state === undefined ? '' : JSON.stringify(state, null, 2);
    if (byId('state').textContent === whole) return;
    byId('state').textContent = whole;
    byId('state-name').replaceChildren(create('code', {}, state?.status ?? '–'));
  }

  #logEvent(event: Event): void {
    const name = event.type.replace('pay-invoice-', '');
    addLine('log', performance.now(), create('b', {}, name), ` ${factsOf(event)}`);
    this.#drawBank();
  }

  #logRequest({ method, path, status, start, duration }: RequestFacts): void {
    const answer = status === 0 ? text('noAnswer') : String(status);
    const line = addLine('requests', start, create('b', {}, method), ` ${path} → ${answer}, ${formatMs(duration)}`);
    line.classList.toggle('failed', status === 0 || status >= 400);
  }
}

/** Adds a line to a log: when it was, on `performance`'s clock, and what. */
function addLine(id: 'log' | 'requests', at: number, ...content: readonly (Node | string)[]): HTMLLIElement {
  const time = new Date(performance.timeOrigin + at).toLocaleTimeString(undefined, { hour12: false });
  const line = create('li', {}, create('time', {}, time), ' ', ...content);
  const log = byId(id);
  log.append(line);
  log.scrollTop = log.scrollHeight; // not scrollIntoView: on a phone that would scroll the page away from the widget
  return line;
}

/** A time that a request took. */
function formatMs(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** The fields of an event that fit a line. */
function factsOf(event: Event): string {
  switch (event.type) {
    case 'pay-invoice-status':
      return facts(event, 'previous', 'status', 'serviceStatus');
    case 'pay-invoice-action':
      return facts(event, 'action');
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
