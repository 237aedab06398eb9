import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { CheckoutStatus } from '../checkout-api.ts';
import { checkoutList } from './checkout-list.ts';
import { filtersOf, hashOf, isFiltered as isFilteredBy } from './list-address.ts';
import { countOf, type ListData } from './list-data.ts';
import type { Translator } from './texts.ts';
import { undeliveredList } from './undelivered.ts';

const statuses: readonly CheckoutStatus[] = ['open', 'pending', 'paid', 'failed', 'expired', 'closed'];

interface View {
  readonly translator: Translator;
  readonly data: ListData;
  readonly isBusy: boolean;
  readonly find: (event: Event) => void;
  readonly redeliverAll: () => void;
  readonly loadMore: () => void;
}

/** The filters of which the list has one at a time, each a tab. */
const tabFilters = ['status', 'needs_decision', 'undelivered', 'kind'] as const;

/** What needs a person, then the list with its tabs and its search. */
export function listScreen(view: View): TemplateResult {
  const { translator, isBusy, find, redeliverAll, loadMore } = view;
  const { checkouts, undecided, undelivered, nextCursor } = view.data;
  const { text: t, statusText, kindText } = translator;
  const filters = filtersOf(location.hash);
  const isFiltered = isFilteredBy(location.hash);
  const hashOfTab = (name?: (typeof tabFilters)[number], value = '1'): string => {
    const none = Object.fromEntries(tabFilters.map((other) => [other, '']));
    return hashOf({ ...filters, ...none, ...(name && { [name]: value }) });
  };
  const tab = (label: string, ...filter: Parameters<typeof hashOfTab>): TemplateResult => {
    const hash = hashOfTab(...filter);
    return html`<a href=${hash} aria-current=${hash === hashOf(filters) ? 'true' : nothing}>${label}</a>`;
  };
  const counted = (name: 'undecided' | 'undelivered'): string => {
    const count = countOf(view.data[name]);
    return count === '' ? t(name) : `${t(name)} (${count})`;
  };
  const all = (name: 'needs_decision' | 'undelivered'): TemplateResult =>
    html`<a class="all" href=${hashOfTab(name)}>${t('allOfThem')}</a>`;
  const { kind = '' } = filters;
  return html`
    ${
      undecided.checkouts.length === 0 || filters['needs_decision'] === '1'
        ? nothing
        : html`<section class="alarm">
            <h2>${counted('undecided')}</h2>
            ${checkoutList(undecided.checkouts, translator)} ${undecided.hasMore ? all('needs_decision') : nothing}
          </section>`
    }
    ${
      undelivered.checkouts.length === 0
        ? nothing
        : html`<section>
            <header class="row">
              <h2 class="bad start">${counted('undelivered')}</h2>
              <button type="button" @click=${redeliverAll}>${t('redeliverAll')}</button>
            </header>
            ${undeliveredList(undelivered.checkouts, translator)} ${undelivered.hasMore ? all('undelivered') : nothing}
          </section>`
    }
    <nav class="tabs" aria-label=${t('statuses')}>
      ${tab(t('all'))} ${tab(counted('undecided'), 'needs_decision')}
      ${tab(t('paidAgain'), 'kind', 'duplicate_payment')}
      ${kind === '' || kind === 'duplicate_payment' ? nothing : tab(`${t('told')}: ${kindText(kind)}`, 'kind', kind)}
      ${filters['undelivered'] === '1' ? tab(t('undelivered'), 'undelivered') : nothing}
      ${statuses.map((status) => tab(statusText(status), 'status', status))}
    </nav>
    ${keyed(
      location.hash,
      html`<form class="filters" @submit=${find} @reset=${find}>
        ${tabFilters.map((name) => html`<input type="hidden" name=${name} value=${filters[name] ?? ''} />`)}
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
      nextCursor === ''
        ? nothing
        : html`<p><button type="button" ?disabled=${isBusy} @click=${loadMore}>${t('more')}</button></p>`
    }
  `;
}
