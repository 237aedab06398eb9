import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { CheckoutStatus } from '../checkout-api.ts';
import type { Checkout } from './admin-client.ts';
import { checkoutList } from './checkout-list.ts';
import { filtersOf, hashOf } from './list-address.ts';
import type { Translator } from './texts.ts';
import { undeliveredList, type Undelivered } from './undelivered.ts';

const statuses: readonly CheckoutStatus[] = ['open', 'pending', 'paid', 'failed', 'expired', 'closed'];

interface View {
  readonly translator: Translator;
  readonly undecided: readonly Checkout[];
  readonly undelivered: Undelivered;
  readonly checkouts: readonly Checkout[];
  readonly isBusy: boolean;
  readonly find: (event: Event) => void;
  readonly redeliverAll: () => void;
  /** Undefined: there are no more. */
  readonly loadMore: (() => void) | undefined;
}

/** What needs a person, then the list with its tabs and its search. */
export function listScreen(view: View): TemplateResult {
  const { translator, undecided, undelivered, checkouts, isBusy, find, redeliverAll, loadMore } = view;
  const { text: t, statusText } = translator;
  const filters = filtersOf(location.hash);
  const isFiltered = Object.values(filters).some((value) => value !== '');
  const tab = (label: string, change: Readonly<Record<string, string>>, isChosen: boolean): TemplateResult =>
    html`<a
      href=${hashOf({ ...filters, status: '', needs_decision: '', ...change })}
      aria-current=${isChosen ? 'true' : nothing}
      >${label}</a
    >`;
  const isUndecidedAlone = filters['needs_decision'] === '1';
  return html`
    ${
      undecided.length === 0 || isUndecidedAlone
        ? nothing
        : html`<section class="alarm">
            <h2>${t('undecided')} (${undecided.length})</h2>
            ${checkoutList(undecided, translator)}
          </section>`
    }
    ${
      undelivered.checkouts.length === 0 || isFiltered
        ? nothing
        : html`<section>
            <header class="row">
              <h2 class="bad start">
                ${t('undelivered')} (${undelivered.checkouts.length}${undelivered.hasMore ? '+' : ''})
              </h2>
              <button type="button" @click=${redeliverAll}>${t('redeliverAll')}</button>
            </header>
            ${undeliveredList(undelivered, translator)}
          </section>`
    }
    <nav class="tabs" aria-label=${t('statuses')}>
      ${tab(t('all'), {}, filters['status'] === '' && !isUndecidedAlone)}
      ${tab(`${t('undecided')} (${undecided.length})`, { needs_decision: '1' }, isUndecidedAlone)}
      ${statuses.map((status) => tab(statusText(status), { status }, filters['status'] === status))}
    </nav>
    ${keyed(
      location.hash,
      html`<form class="filters" @submit=${find} @reset=${find}>
        ${['status', 'needs_decision'].map((name) => html`<input type="hidden" name=${name} value=${filters[name] ?? ''} />`)}
        <label
          >${t('search')}<input
            name="search"
            type="search"
            autocomplete="off"
            maxlength="200"
            value=${filters['search'] ?? ''}
        /></label>
        <label>${t('from')}<input name="from" type="date" value=${filters['from'] ?? ''} /></label>
        <label>${t('until')}<input name="until" type="date" value=${filters['until'] ?? ''} /></label>
        <button ?disabled=${isBusy}>${t('find')}</button>
        ${isFiltered ? html`<button type="reset" ?disabled=${isBusy}>${t('reset')}</button>` : nothing}
      </form>`,
    )}
    <h2>${t(isFiltered ? 'results' : 'newest')}</h2>
    ${checkouts.length > 0 ? checkoutList(checkouts, translator) : html`<p>${t(isBusy ? 'loading' : 'nothing')}</p>`}
    ${
      loadMore === undefined
        ? nothing
        : html`<p><button type="button" ?disabled=${isBusy} @click=${loadMore}>${t('more')}</button></p>`
    }
  `;
}
