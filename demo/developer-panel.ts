import type { PayInvoiceElement } from '../src/element.ts';
import { button, byId, create } from './dom-helpers.ts';
import { faultGroups } from './fault-buttons.ts';
import { watchRequests, type RequestFacts, type Shop } from './shop-client.ts';
import { currentLanguage, text } from './page-texts.ts';
import { payableInvoice } from './things-to-try.ts';

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

/**
 * The folded panel beside the shop: the widget's state, events and requests and, where a sandbox runs, its controls.
 */
export class DeveloperPanel {
  readonly #sandbox: Shop['control'];
  #widget: PayInvoiceElement | undefined;

  constructor(shop: Shop) {
    this.#sandbox = shop.control;
    for (const name of events) document.addEventListener(name, (event) => this.#logEvent(event));
    watchRequests((request) => this.#logRequest(request));
    setInterval(() => this.#renderState(), 250); // Not every change of the state dispatches an event.
  }

  /** Shows the state and the events of another widget, or of none. */
  watch(widget: PayInvoiceElement | undefined): void {
    this.#widget = widget;
    for (const id of ['state', 'log'] as const)
      byId(id)
        .closest('section')
        ?.toggleAttribute('hidden', widget === undefined);
    byId('log').replaceChildren();
    byId('requests').replaceChildren();
    this.renderControls();
  }

  /** Renders the controls of the sandbox in the page's language. */
  renderControls(): void {
    byId('faults').hidden = this.#sandbox === null;
    byId('fault-actions').replaceChildren(
      ...faultGroups.flatMap(({ title, buttons }) => [
        create('h4', {}, text(title)),
        create(
          'p',
          { className: 'buttons' },
          ...buttons.map((fault) => button(text(fault.label), '', () => void this.#setFaults(fault))),
        ),
      ]),
      create(
        'p',
        { className: 'buttons' },
        button(text('repair'), '', () => void this.#repair()),
      ),
    );
    this.#renderBank();
  }

  /** The bank's buttons have their place before there is an invoice. */
  #renderBank(): void {
    byId('bank').hidden = this.#sandbox === null || this.#widget === undefined;
    const invoice = payableInvoice(this.#widget);
    const id = encodeURIComponent(invoice?.id ?? '');
    const refuseButton = button(text('fail'), '', () => void this.#control('POST', `invoices/${id}/fail`));
    refuseButton.disabled = invoice === undefined;
    const link = create('a', {}, text('open'));
    if (invoice?.payment_url !== undefined)
      Object.assign(link, { href: invoice.payment_url, target: '_blank', rel: 'noopener' });
    byId('bank-actions').replaceChildren(refuseButton, link);
    const statusForm = byId('bank-status');
    const formKey = `${id} ${currentLanguage()}`;
    if (statusForm.dataset['key'] === formKey) return; // Keeps the word that the developer is typing.
    statusForm.dataset['key'] = formKey;
    statusForm.replaceChildren(this.#statusForm(id));
  }

  /** A form with a text field for the status word, because the service may add words. */
  #statusForm(invoiceId: string): HTMLFormElement {
    const wordField = create('input', {
      name: 'word',
      required: true,
      maxLength: 200,
      value: 'ON_HOLD',
      autocomplete: 'off',
    });
    const submitButton = create('button', { type: 'submit', disabled: invoiceId === '' }, text('setStatus'));
    const form = create(
      'form',
      { className: 'buttons' },
      create('label', {}, text('statusWord'), ' ', wordField),
      submitButton,
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#control('POST', `invoices/${invoiceId}/status`, { status: wordField.value });
    });
    return form;
  }

  async #setFaults({ label, faults }: (typeof faultGroups)[number]['buttons'][number]): Promise<void> {
    const isSet = await this.#control('PUT', 'faults', faults);
    byId('fault-state').textContent = isSet ? text('faultSet', { fault: text(label) }) : text('offline');
  }

  async #repair(): Promise<void> {
    byId('fault-state').textContent = text((await this.#control('DELETE', 'faults')) ? 'repaired' : 'offline');
  }

  /** Sends a request to the sandbox's control API. Resolves with whether it succeeded. */
  async #control(method: string, path: string, body?: unknown): Promise<boolean> {
    return (await this.#sandbox?.(method, path, body)) === true;
  }

  #renderState(): void {
    const state = this.#widget?.state;
    const json = state === undefined ? '' : JSON.stringify(state, null, 2);
    if (byId('state').textContent === json) return;
    byId('state').textContent = json;
    byId('state-name').replaceChildren(create('code', {}, state?.status ?? '–'));
  }

  #logEvent(event: Event): void {
    const name = event.type.replace('pay-invoice-', '');
    addLine('log', performance.now(), create('b', {}, name), ` ${fieldsOf(event)}`);
    this.#renderBank();
  }

  #logRequest({ method, path, status, start, duration }: RequestFacts): void {
    const response = status === undefined ? '' : ` → ${status === 0 ? text('noAnswer') : status}`;
    const line = addLine('requests', start, create('b', {}, method), ` ${path}${response}, ${formatMs(duration)}`);
    line.classList.toggle('failed', status === 0 || (status ?? 200) >= 400);
  }
}

/** Adds a line to a log: its time `at`, in ms of `performance.now()`, and its content. */
function addLine(id: 'log' | 'requests', at: number, ...content: readonly (Node | string)[]): HTMLLIElement {
  const time = new Date(performance.timeOrigin + at).toLocaleTimeString(undefined, { hour12: false });
  const line = create('li', {}, create('time', {}, time), ' ', ...content);
  const log = byId(id);
  log.append(line);
  log.scrollTop = log.scrollHeight; // On a phone `scrollIntoView` would scroll the page away from the widget.
  return line;
}

/** A duration as text, which no line break divides. */
function formatMs(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)}\u00a0ms` : `${(ms / 1000).toFixed(1)}\u00a0s`;
}

/** The fields of an event that its line shows. */
function fieldsOf(event: Event): string {
  switch (event.type) {
    case 'pay-invoice-status':
      return joinFields(event, 'previous', 'status', 'serviceStatus');
    case 'pay-invoice-action':
      return joinFields(event, 'action');
    case 'pay-invoice-copied':
      return joinFields(event, 'field');
    case 'pay-invoice-error':
      return 'error' in event && event.error instanceof Error ? joinFields(event.error, 'code', 'field') : '';
    default:
      return '';
  }
}

function joinFields(source: object, ...names: readonly string[]): string {
  return names
    .map((name): unknown => Reflect.get(source, name))
    .filter((value) => typeof value === 'string')
    .join(' → ');
}
