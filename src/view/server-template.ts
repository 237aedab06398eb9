import { html, nothing, type TemplateResult } from 'lit';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import { loadMessages, pickLanguage } from '../i18n.ts';
import type { Checkout } from '../protocol.ts';

export interface ServerTemplateOptions {
  /** The checkout as the backend's own API answers it; what it may show is all that gets into the page. */
  readonly initial: Checkout;
  /** Where the backend serves the checkout API, as the browser reaches it; `/checkout` by default. */
  readonly endpoint?: string | undefined;
  /** BCP 47; the page has to be in it too. The server cannot see the page around the tag, so it is asked here. */
  readonly lang: string;
  readonly theme?: 'auto' | 'light' | 'dark' | undefined;
  /** The id or the type of the payment method that is preselected when it is available. */
  readonly method?: string | undefined;
  /** Where this checkout opens on another device. */
  readonly phoneUrl?: string | undefined;
  /** The outcome is told in the page's title while nobody sees the page. */
  readonly pageTitle?: boolean | undefined;
}

/** JSON that no HTML parser takes for markup. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

/**
 * The tag for a page that is rendered on a server, by `render` of `@lit-labs/ssr`: the options or requisites stand in it
 * as declarative shadow DOM, and the checkout as JSON, from which the browser goes on without a request.
 */
export async function payInvoiceTemplate(options: ServerTemplateOptions): Promise<TemplateResult> {
  const { initial, endpoint, lang, theme, method, phoneUrl, pageTitle } = options;
  // Rendering does not wait; the texts have to be there before.
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
