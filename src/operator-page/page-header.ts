import { html, nothing, type TemplateResult } from 'lit';
import type { Checkout } from './admin-client.ts';
import type { Translator } from './texts.ts';

/** The address of the form of a new payment. */
export const newPaymentHash = '#new';

interface View {
  readonly translator: Translator;
  readonly isTest: boolean;
  readonly isSignedIn: boolean;
  /** Whether the list, or the form for the token, is below; else there is a way back to the list. */
  readonly isStart: boolean;
  readonly isBusy: boolean;
  readonly switchLanguage: () => void;
  readonly refresh: () => void;
  readonly signOut: () => void;
  /** “New payment” was pressed. */
  readonly startPayment: () => void;
}

export function pageHeader(view: View): TemplateResult {
  const { isSignedIn, isStart } = view;
  const { text: t } = view.translator;
  return html`<header class="row top">
    ${isStart ? html`<h1 class="start">${t('title')}</h1>` : html`<a class="start" href="#">← ${t('title')}</a>`}
    <div class="row">
      ${view.isTest ? html`<span class="chip wait">TEST</span>` : nothing}
      <button type="button" class="quiet" @click=${view.switchLanguage}>${t('language')}</button>
      ${
        isSignedIn
          ? html`<button
                type="button"
                class="quiet"
                aria-label=${t('refresh')}
                title=${t('refresh')}
                ?disabled=${view.isBusy}
                @click=${view.refresh}
              >
                ↻
              </button>
              <button type="button" class="quiet" @click=${view.signOut}>${t('signOut')}</button>`
          : nothing
      }
    </div>
    ${isSignedIn && isStart ? html`<a class="button main" data-start href=${newPaymentHash} @click=${view.startPayment}>+ ${t('newPayment')}</a>` : nothing}
  </header>`;
}

/** The title of the tab: how many payments need a person, and whether the one that is shown is paid. */
export const titleOf = (count: string, checkout: Pick<Checkout, 'status'> | undefined, { text }: Translator): string =>
  `${count === '' ? '' : `(${count}) `}${checkout?.status === 'paid' ? '✓ ' : ''}${text('title')}`;
