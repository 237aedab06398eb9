import { html, nothing, type TemplateResult } from 'lit';
import { printable } from '../base/printable.ts';
import type { Checkout, Invoice } from './admin-client.ts';
import { methodName } from '../view/screens/method-texts.ts';
import type { TextName, Translator } from './texts.ts';

/**
 * A text of the shop, of its payers or of the service, isolated from the line around it. A sign in it that turns the direction of a
 * text, which could end the isolation or make the page say something else, is shown as `\u202e`.
 */
export const foreign = (text: string): TemplateResult => html`<bdi>${printable(text)}</bdi>`;

/** The colours of a status; the others are grey. */
export const tones: Readonly<Record<string, string>> = {
  open: 'info',
  pending: 'wait',
  creating: 'wait',
  paid: 'good',
  failed: 'bad',
  expired: 'bad',
  amount_mismatch: 'bad',
  unresolved: 'bad',
  undecided: 'bad',
};

export const statusChip = (status: string, { statusText }: Translator): TemplateResult =>
  html`<span class="chip ${tones[status] ?? ''}">${foreign(statusText(status))}</span>`;

export const isUndecided = ({ invoices }: Pick<Checkout, 'invoices'>): boolean =>
  invoices.some((invoice) => invoice.needs_decision);

/** The status of a checkout; one that waits for a person is not waiting for its payer. */
export const checkoutChip = (checkout: Pick<Checkout, 'status' | 'invoices'>, t: Translator): TemplateResult =>
  statusChip(isUndecided(checkout) ? 'undecided' : checkout.status, t);

export const invoiceName = (index: number, { text: t }: Translator): string => `${t('invoice')} ${index + 1}`;

/** A method as the payer's page calls it, in English “Transfer to a card (Карта)”; one without any name by its type. */
export const methodText = (
  method: { readonly type: string; readonly name?: string },
  { message }: Translator,
): string => methodName({ ...method, code: method.type }, { methodName: () => undefined }, { m: message }, false);

/** What an invoice is paid with. */
export const methodOf = ({ method }: Pick<Invoice, 'method'>, translator: Translator): TemplateResult =>
  foreign(method === null ? '–' : methodText(method, translator));

/** What a person has decided, or is about to. */
export const decisionName = (as: 'paid' | 'void'): TextName => (as === 'paid' ? 'doPaid' : 'doVoid');

/** Facts by their names; those without a value are left out. */
export const factList = (facts: Readonly<Record<string, unknown>>): TemplateResult =>
  html`<dl>
    ${Object.entries(facts).map(([name, value]) =>
      value === null
        ? nothing
        : html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
    )}
  </dl>`;

export function fieldsOf(form: HTMLFormElement): Readonly<Record<string, string>> {
  const fields = [...new FormData(form)];
  return Object.fromEntries(fields.map(([name, value]) => [name, typeof value === 'string' ? value : '']));
}

/** The fields of a submitted form. The form itself is not sent. */
export function readForm(event: SubmitEvent): Readonly<Record<string, string>> {
  event.preventDefault();
  return event.currentTarget instanceof HTMLFormElement ? fieldsOf(event.currentTarget) : {};
}

export const signInForm = ({ text: t }: Translator, submit: (event: SubmitEvent) => void): TemplateResult =>
  html`<form class="card narrow" @submit=${submit}>
    <label for="token">${t('token')}</label>
    <input id="token" name="token" type="password" autocomplete="off" data-start required aria-describedby="hint" />
    <p class="muted" id="hint">${t('tokenHint')}</p>
    <button class="main">${t('signIn')}</button>
  </form>`;

/**
 * Gives the focus, once, to where somebody goes on who uses the keyboard, `before` being where that was. Returns where it is now.
 */
export function focusStart(page: ParentNode, before: Element | null): Element | null {
  const start = page.querySelector('[data-start]');
  if (start instanceof HTMLElement && start !== before) {
    start.focus({ preventScroll: true }); // the QR code above it is what a customer waits for
    page.querySelector('.link')?.scrollIntoView({ block: 'nearest' });
  }
  return start;
}

/** Gives the focus to the first heading where what had it is gone from the page. */
export function keepFocus(page: HTMLElement | DocumentFragment): void {
  if (!(page instanceof ShadowRoot) || page.activeElement !== null) return;
  const heading = page.querySelector('main :is(h1, h2)');
  if (!(heading instanceof HTMLElement)) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
