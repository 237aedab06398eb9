import { html, nothing, type TemplateResult } from 'lit';
import type { Translator } from './texts.ts';

/** The address of the form of a new payment. */
export const newPayment = '#new';

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
    ${isSignedIn && isStart ? html`<a class="button main" data-start href=${newPayment}>+ ${t('newPayment')}</a>` : nothing}
  </header>`;
}
