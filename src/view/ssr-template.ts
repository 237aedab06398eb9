import { html, nothing, type TemplateResult } from 'lit';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import { loadMessages, pickLanguage } from '../i18n.ts';
import type { Checkout } from '../protocol.ts';
import type { PayInvoiceOptions } from './pay-invoice-options.ts';

/** The element's options, as far as they can be written as markup. */
export interface ServerTemplateOptions extends Omit<PayInvoiceOptions, 'checkout' | 'messages' | 'transport'> {
  /** The checkout as the checkout API returns it. Nothing else of the order gets into the page. */
  readonly initial: Checkout;
  /** BCP 47. The server cannot see the page around the tag, so the language has to be given; the page should have the same. */
  readonly lang: string;
}

/** JSON that an HTML parser cannot take for markup. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

/**
 * The tag for a page that is rendered on a server, by `render` of `@lit-labs/ssr`. It contains the rendered options or
 * requisites as declarative shadow DOM, and the checkout as JSON, so that the browser needs no request to continue.
 */
export async function payInvoiceTemplate(options: ServerTemplateOptions): Promise<TemplateResult> {
  const { initial, endpoint, lang, theme, method, phoneUrl, pageTitle } = options;
  // Rendering is synchronous: the texts have to be loaded before.
  await loadMessages(pickLanguage([lang]));
  return html`<pay-invoice
    endpoint=${endpoint ?? nothing}
    checkout=${initial.id}
    lang=${lang}
    theme=${theme ?? nothing}
    method=${method ?? nothing}
    phone-url=${phoneUrl ?? nothing}
    ?page-title=${pageTitle}
    .initial=${initial}
    >${unsafeHTML(`<script type="application/json">${inScript(initial)}</script>`)}</pay-invoice
  >`;
}
