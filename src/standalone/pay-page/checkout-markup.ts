import { randomUUID } from 'node:crypto';
import { html, raw } from 'hono/html';
import { z } from 'zod';
import type { Checkout } from '../../checkout-api.ts';
import { isUsable } from '../../core.ts';
import { validateCheckout } from '../../core/validate-checkout.ts';
import { checkOptions, strictObject } from '../../server/domain/strict-object.ts';
import { completeTranslator, createFirstFileTranslator, loadMessages, pickLanguage } from '../../i18n.ts';
import type { MessageOverrides, Translator } from '../../i18n.ts';
import { choosingScreen } from './choosing-screen.ts';
import { exact, foreignText, heading, type CheckoutView, type Html } from './page-parts.ts';
import { markupStyle } from './page-style.ts';
import { creatingScreen, factBeingChecked, outcomeScreen, waitingScreen } from './pay-page-screens.ts';
import { supportLink } from './shop-footer.ts';

export interface CheckoutMarkupOptions {
  /** The address of the checkout's page by `createPayPage`, to which the form and the links lead. */
  readonly payPage: string;
  /** The language of texts and numbers (BCP 47): that of the tag's place in the page. */
  readonly lang: string;
}

const optionsSchema = strictObject({
  payPage: z.string('must be an address'),
  lang: z.string('must be a language such as en'),
} satisfies Record<keyof CheckoutMarkupOptions, z.ZodType>);

/**
 * What a server writes into the tag of a checkout: its screen, which the payer sees and can use before the widget's script runs, or
 * without one, and the checkout as JSON, from which the widget continues without a request. It is HTML in which every value of the
 * shop and of the service is escaped.
 * @throws CheckoutOptionsError for wrong or unknown options
 * @example
 * ```ts
 * import { checkoutMarkup } from 'pay-invoice/standalone';
 *
 * const { capability } = await checkouts.create({ orderId: '1001', amount: '1500.00', currency: 'RUB' });
 * const view = await checkouts.view(capability);
 * if ('checkout' in view) {
 *   const markup = await checkoutMarkup(view.checkout, { payPage: `/pay/${capability}`, lang: 'en' });
 *   console.log(`<pay-invoice checkout="${capability}">${markup}</pay-invoice>`);
 * }
 * ```
 */
export async function checkoutMarkup(initial: Checkout, options: CheckoutMarkupOptions): Promise<string> {
  const { payPage, lang } = checkOptions(optionsSchema, options);
  const { checkout } = validateCheckout(initial, initial.amount ?? undefined, payPage);
  const content = tagContent({
    t: await createPageTranslator([lang]),
    initial,
    checkout,
    headingLevel: 2,
    isChoosing: false,
    isChecked: false,
    problem: undefined,
    typedAmount: '',
    methodId: '',
    key: randomUUID(),
    path: payPage,
  });
  return trimLines(await html`${raw(`<style>${markupStyle}</style>`)}${content}`);
}

/** HTML without the indentation of its templates. */
export function trimLines(text: unknown): string {
  const lines = String(text).split('\n');
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** The texts of the first of the languages (BCP 47) that has a catalogue; `own` are texts that replace them. */
export async function createPageTranslator(
  languages: readonly string[],
  own: Readonly<Record<string, MessageOverrides>> = {},
): Promise<Translator> {
  const language = pickLanguage(languages);
  const messages = await loadMessages(language);
  return completeTranslator(createFirstFileTranslator(language, messages, own[language.slice(0, 2)]));
}

/** JSON without `<`, so that it cannot end the script tag around it. */
export const scriptJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

/** The content of the tag. The widget shows the element with the slot `markup` until it can show all of the same itself. */
export const tagContent = (view: CheckoutView): Html =>
  html`<div slot="markup" lang="${view.t.language}" dir="${view.t.direction}">
      <div class="card">
        ${summary(view)}
        <div class="screen">
          ${screenOf(view)} ${offersSupport(view) ? supportLink(view, view.checkout.reference) : ''}
        </div>
      </div>
    </div>
    ${raw(`<script type="application/json">${scriptJson(view.initial)}</script>`)}`;

/** Whether a payer may need a person: not all goes as it should. The widget has the same rule, but it knows how long a create takes. */
function offersSupport({ checkout, isChoosing, problem }: CheckoutView): boolean {
  const { status, invoice, options, amount, stale } = checkout;
  if (status === 'open' || isChoosing)
    return problem !== undefined || !options.some((option) => isUsable(option, amount ?? undefined));
  return status === 'pending'
    ? stale || invoice === null || factBeingChecked(checkout) !== undefined
    : status !== 'paid';
}

function summary(view: CheckoutView): Html {
  const { checkout, t, isChoosing } = view;
  const { m } = t;
  const { status, invoice, description, reference, test } = checkout;
  const amount = (isChoosing ? undefined : invoice?.amount) ?? checkout.amount ?? invoice?.amount;
  const isPayable =
    isChoosing || status === 'open' || (status === 'pending' && factBeingChecked(checkout) === undefined);
  const money = amount == null ? undefined : t.money(amount, checkout.currency);
  const label = status === 'paid' ? m('header.paid') : m(isPayable ? 'header.due' : 'header.amount');
  const badge = test ? html` <span class="badge">${m('header.test')}</span>` : '';
  return html`<div class="head ${money === undefined ? 'bare' : ''}">
    ${heading(
      view,
      'amount',
      money === undefined
        ? html`${m('widget.name')}${badge}`
        : html`<span class="due ${status === 'paid' ? 'paid' : ''}">${label}${badge}</span>
            ${exact(html`${money.major}<small>${money.minor}</small>`)}`,
    )}
    ${description ? html`<p class="order">${foreignText(description, t)}</p>` : ''}
    ${reference && !description?.includes(reference) && isPayable ? html`<p class="order wide">${m('header.order')}: ${exact(reference)}</p>` : ''}
    ${isPayable && status === 'pending' && !isChoosing && invoice?.qr && invoice.nspk_url ? stepsOfQr(m('qr.steps')) : ''}
  </div>`;
}

/** What the payer does with a QR code, beside it on a wide screen. */
const stepsOfQr = (steps: string): Html =>
  html`<ol class="wide mouse">
    ${steps.split('\n').map((step) => html`<li>${step}</li>`)}
  </ol>`;

function screenOf(view: CheckoutView): Html {
  const { status, invoice } = view.checkout;
  if (status === 'open' || view.isChoosing) return choosingScreen(view);
  if (status !== 'pending') return outcomeScreen(view, status);
  return invoice === null ? creatingScreen(view) : waitingScreen(view, invoice);
}
