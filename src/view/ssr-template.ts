import { css, html, nothing, type TemplateResult } from 'lit';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import { loadMessages, pickLanguage } from '../i18n.ts';
import type { Checkout } from '../checkout-api.ts';
import type { PayInvoiceOptions } from './pay-invoice-options.ts';
import { PayInvoiceElement } from './pay-invoice-element.ts';
import { loadPaymentScreens } from './controllers/payment-screens-loader.ts';
import { loadQrEncoder } from './controllers/qr.ts';

/** The element's options, as far as they can be written as markup. */
export interface ServerTemplateOptions extends Omit<
  PayInvoiceOptions,
  'checkout' | 'messages' | 'methodName' | 'transport'
> {
  /** The checkout as the checkout API returns it. It is written into the page as JSON. */
  readonly initial: Checkout;
  /** The language of texts and numbers (BCP 47). Required, because a server has no page to read it from. Use the page's own. */
  readonly lang: string;
  /**
   * Whether the request came from a phone (its header `Sec-CH-UA-Mobile` is `?1`). The link to the bank's app is then rendered
   * before the QR from the start.
   */
  readonly touch?: boolean;
}

/** What the payer reads where there is no JavaScript. */
const withoutScript = {
  ru: {
    pay: 'В браузере выключен JavaScript, поэтому страница не обновляется сама. Оплатите любым из показанных способов, затем обновите страницу, чтобы проверить оплату.',
    choose: 'Чтобы выбрать способ оплаты, включите JavaScript в браузере и обновите страницу.',
    over: 'В браузере выключен JavaScript, поэтому страница не обновляется сама.',
    reload: 'Обновить страницу',
  },
  en: {
    pay: 'JavaScript is off in your browser, so this page does not update by itself. Pay in any of the ways shown, then reload the page to check the payment.',
    choose: 'To choose a payment method, turn on JavaScript in your browser and reload the page.',
    over: 'JavaScript is off in your browser, so this page does not update by itself.',
    reload: 'Reload the page',
  },
} as const;

/** Hides what works or stays correct only with a script. */
const withoutScriptStyles = css`
  @media (scripting: none) {
    button,
    .sr,
    .tail,
    .time,
    progress,
    .status {
      display: none !important;
    }
  }
`;

/** Returns a string, because the renderer treats the content of `<noscript>` as text. No value of the checkout is in it. */
function renderNoScript({ status }: Checkout, language: string): string {
  const [lang, texts] = language.startsWith('ru')
    ? (['ru', withoutScript.ru] as const)
    : (['en', withoutScript.en] as const);
  const text = status === 'open' ? texts.choose : status === 'pending' ? texts.pay : texts.over;
  return `<noscript slot="footer" lang="${lang}">${text} <a href="">${texts.reload}</a></noscript>`;
}

/** JSON without `<`, so that it cannot end the script tag around it. */
const toScriptJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

/**
 * The tag for a page that is rendered on a server, by `render` of `@lit-labs/ssr`. It contains the rendered checkout as
 * declarative shadow DOM, with the QR and the time left, and the checkout as JSON, so that the browser needs no request
 * to continue.
 */
export async function payInvoiceTemplate(options: ServerTemplateOptions): Promise<TemplateResult> {
  const { initial, endpoint, lang, theme, method, phoneUrl, pageTitle, autoContinue, returnAfter, touch } = options;
  const language = pickLanguage([lang]);
  // Rendering is synchronous, so everything that it needs is loaded before.
  const [{ paymentStyles }] = await Promise.all([loadPaymentScreens(), loadMessages(language), loadQrEncoder()]);
  // Only a server's markup is seen without JavaScript: the script does not need those styles. Lit has the list of styles once
  // the tag is registered.
  const { elementStyles } = PayInvoiceElement;
  for (const sheet of [paymentStyles, withoutScriptStyles])
    if (!elementStyles.includes(sheet)) elementStyles.push(sheet);
  return html`<pay-invoice
    endpoint=${endpoint ?? nothing}
    checkout=${initial.id}
    lang=${lang}
    theme=${theme ?? nothing}
    method=${method ?? nothing}
    phone-url=${phoneUrl ?? nothing}
    ?page-title=${pageTitle}
    ?auto-continue=${autoContinue}
    return-after=${returnAfter ?? nothing}
    ?data-touch=${touch}
    .initial=${initial}
    >${unsafeHTML(`<script type="application/json">${toScriptJson(initial)}</script>${renderNoScript(initial, language)}`)}</pay-invoice
  >`;
}
