import { html, LitElement, nothing, type TemplateResult } from 'lit';
import {
  AdminError,
  callAdmin,
  type Checkout,
  type CheckoutDetails,
  type CheckoutPage,
  type Outcome,
} from './admin-client.ts';
import { checkoutDetails, statusBadge, type Action } from './checkout-details.ts';
import { pageStyles, styles } from './styles.ts';
import { checkoutStatuses, Translator } from './texts.ts';

const tokenKey = 'admin-token';
type AnyAction = Action | { readonly name: 'redeliverAll' };

/** The page of whoever runs the shop: finds checkouts, shows what has happened to one, and acts on it (`GET /admin`). */
class OperatorPage extends LitElement {
  static override styles = styles;

  #translator = new Translator(navigator.language.startsWith('ru') ? 'ru' : 'en');
  #token = sessionStorage.getItem(tokenKey);
  #filters: Readonly<Record<string, string>> = {};
  #undelivered: readonly Checkout[] = [];
  #checkouts: readonly Checkout[] = [];
  #nextCursor: string | null = null;
  /** The checkout that the address names; undefined while it loads, null when there is none. */
  #details: CheckoutDetails | null | undefined;
  #question: AnyAction | undefined;
  #isBusy = false;
  #problem = '';

  override connectedCallback(): void {
    super.connectedCallback();
    document.adoptedStyleSheets = pageStyles.styleSheet === undefined ? [] : [pageStyles.styleSheet];
    window.addEventListener('hashchange', this.#load);
    this.#load();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener('hashchange', this.#load);
  }

  get #checkoutId(): string {
    return location.hash.slice(1);
  }

  get #isFiltered(): boolean {
    return Object.values(this.#filters).some((value) => value !== '');
  }

  /** Runs one piece of work at a time, and shows its failure. A token that is refused signs the operator out. */
  async #run(work: (token: string) => Promise<void>): Promise<void> {
    const token = this.#token;
    if (token === null) return;
    this.#isBusy = true;
    this.#problem = '';
    this.requestUpdate();
    try {
      await work(token);
    } catch (error) {
      const { code, detail } = error instanceof AdminError ? error : new AdminError('internal', String(error));
      if (code === 'unauthorized') this.#signOut();
      const isKnown = code === 'unauthorized' || code === 'rate_limited' || code === 'network';
      this.#problem = isKnown ? this.#translator.text(code) : `${this.#translator.text('failed')}: ${code}. ${detail}`;
    } finally {
      this.#isBusy = false;
      this.requestUpdate();
    }
  }

  readonly #load = (): void => {
    const id = this.#checkoutId;
    this.#details = undefined;
    void this.#run(async (token) => {
      if (id !== '') {
        const details = await callAdmin<CheckoutDetails>(token, `checkouts/${id}`).catch((error: unknown) => {
          if (error instanceof AdminError && error.code === 'not_found') return null;
          throw error;
        });
        if (id === this.#checkoutId) this.#details = details;
        return;
      }
      const [page, undelivered] = await Promise.all([
        callAdmin<CheckoutPage>(token, 'checkouts', { query: { limit: '50', ...this.#filters } }),
        this.#isFiltered
          ? undefined
          : callAdmin<CheckoutPage>(token, 'checkouts', { query: { limit: '500', undelivered: '1' } }),
      ]);
      this.#checkouts = page.checkouts;
      this.#nextCursor = page.next_cursor;
      this.#undelivered = undelivered?.checkouts ?? [];
      sessionStorage.setItem(tokenKey, token);
    });
  };

  readonly #loadMore = (): void => {
    void this.#run(async (token) => {
      const query = { limit: '50', ...this.#filters, cursor: this.#nextCursor ?? '' };
      const page = await callAdmin<CheckoutPage>(token, 'checkouts', { query });
      this.#checkouts = [...this.#checkouts, ...page.checkouts];
      this.#nextCursor = page.next_cursor;
    });
  };

  readonly #signIn = (event: SubmitEvent): void => {
    this.#token = readForm(event)['token']?.trim() ?? '';
    this.#load();
  };

  readonly #signOut = (): void => {
    this.#token = null;
    this.#problem = '';
    sessionStorage.removeItem(tokenKey);
    this.requestUpdate();
  };

  readonly #find = (event: SubmitEvent): void => {
    const { search = '', status = '', from = '', until = '' } = readForm(event);
    const dayMs = 24 * 3_600_000;
    this.#filters = {
      search: search.trim(),
      status,
      created_after: from === '' ? '' : new Date(`${from}T00:00`).toISOString(),
      created_before: until === '' ? '' : new Date(Date.parse(`${until}T00:00`) + dayMs).toISOString(),
    };
    this.#load();
  };

  readonly #reset = (): void => {
    this.#filters = {};
    this.#load();
  };

  readonly #switchLanguage = (): void => {
    this.#translator = new Translator(this.#translator.language === 'en' ? 'ru' : 'en');
    this.requestUpdate();
  };

  readonly #ask = (question: AnyAction): void => {
    this.#question = question;
    this.requestUpdate();
  };

  readonly #answer = (event: Event): void => {
    const question = this.#question;
    this.#question = undefined;
    this.requestUpdate();
    if (question === undefined || !(event instanceof SubmitEvent)) return;
    const { as, note } = readForm(event);
    const id = this.#checkoutId;
    void this.#run(async (token) => {
      const post = (path: string, body: object = {}): Promise<unknown> =>
        callAdmin(token, path, { method: 'POST', body });
      const redeliver = ({ id: outcomeId }: Outcome): Promise<unknown> => post(`outcomes/${outcomeId}/redeliver`);
      switch (question.name) {
        case 'check':
        case 'close':
          await post(`checkouts/${id}/${question.name}`);
          break;
        case 'resolve':
          await post(`checkouts/${id}/resolve`, { invoice_id: question.invoice.external_id, as, note });
          break;
        case 'redeliver':
          await redeliver(question.outcome);
          break;
        case 'redeliverAll':
          for (const checkout of this.#undelivered) {
            const { outcomes } = await callAdmin<CheckoutDetails>(token, `checkouts/${checkout.id}`);
            for (const outcome of outcomes) if (outcome.delivered_at === null) await redeliver(outcome);
          }
      }
      // A delivery is sent within a second.
      if (question.name.startsWith('redeliver')) await new Promise((resolve) => setTimeout(resolve, 1200));
    }).then(() => (this.#problem === '' ? this.#load() : undefined));
  };

  protected override updated(): void {
    document.documentElement.lang = this.#translator.language;
    document.title = this.#translator.text('title');
    const dialog = this.renderRoot.querySelector('dialog');
    if (this.#question !== undefined && dialog?.open === false) dialog.showModal();
    if (this.#question === undefined && dialog?.open === true) dialog.close();
  }

  protected override render(): TemplateResult {
    const t = this.#translator.text;
    const isSignedIn = this.#token !== null;
    return html`
      <header>
        ${this.#checkoutId === '' || !isSignedIn ? html`<h1>${t('title')}</h1>` : html`<a href="#">← ${t('back')}</a>`}
        <span class="row">
          <button class="link" type="button" @click=${this.#switchLanguage}>${t('language')}</button>
          ${
            isSignedIn
              ? html`<button type="button" ?disabled=${this.#isBusy} @click=${this.#load}>${t('refresh')}</button>
                  <button type="button" @click=${this.#signOut}>${t('signOut')}</button>`
              : nothing
          }
        </span>
      </header>
      <main aria-busy=${this.#isBusy}>
        <p class="bad" role="alert">${this.#problem}</p>
        ${isSignedIn ? (this.#checkoutId === '' ? this.#list() : this.#one()) : this.#signInForm()}
      </main>
      ${this.#dialog()}
    `;
  }

  #signInForm(): TemplateResult {
    const t = this.#translator.text;
    return html`<form class="card narrow" @submit=${this.#signIn}>
      <label for="token">${t('token')}</label>
      <input id="token" name="token" type="password" autocomplete="off" required aria-describedby="hint" />
      <p class="muted" id="hint">${t('tokenHint')}</p>
      <button class="main">${t('signIn')}</button>
    </form>`;
  }

  #one(): TemplateResult {
    const details = this.#details;
    if (details === undefined) return html`<p>${this.#isBusy ? this.#translator.text('loading') : nothing}</p>`;
    if (details === null) return html`<p>${this.#translator.text('notFound')}</p>`;
    return checkoutDetails(details, this.#translator, this.#ask);
  }

  #list(): TemplateResult {
    const t = this.#translator.text;
    return html`
      <form class="card filters" @submit=${this.#find} @reset=${this.#reset}>
        <label>${t('search')}<input name="search" type="search" autocomplete="off" maxlength="200" /></label>
        <label
          >${t('status')}<select name="status">
            <option value="">${t('anyStatus')}</option>
            ${checkoutStatuses.map((status) => html`<option value=${status}>${this.#translator.status(status)}</option>`)}
          </select></label
        >
        <label>${t('from')}<input name="from" type="date" /></label>
        <label>${t('until')}<input name="until" type="date" /></label>
        <button class="main">${t('find')}</button>
        <button type="reset">${t('reset')}</button>
      </form>
      ${
        this.#undelivered.length === 0 || this.#isFiltered
          ? nothing
          : html`<div class="row">
                <h2 class="bad">${t('undelivered')}</h2>
                <button type="button" @click=${() => this.#ask({ name: 'redeliverAll' })}>${t('redeliverAll')}</button>
              </div>
              ${this.#checkoutList(this.#undelivered)}`
      }
      <h2>${t(this.#isFiltered ? 'results' : 'newest')}</h2>
      ${
        this.#checkouts.length > 0
          ? this.#checkoutList(this.#checkouts)
          : html`<p>${t(this.#isBusy ? 'loading' : 'nothing')}</p>`
      }
      ${
        this.#nextCursor === null
          ? nothing
          : html`<p><button type="button" ?disabled=${this.#isBusy} @click=${this.#loadMore}>${t('more')}</button></p>`
      }
    `;
  }

  #checkoutList(checkouts: readonly Checkout[]): TemplateResult {
    const translator = this.#translator;
    return html`<ul class="list">
      ${checkouts.map(
        (checkout) =>
          html`<li>
            <a href="#${checkout.id}">
              <strong>${checkout.order_id}</strong>
              <span class="end money">${translator.money(checkout.amount, checkout.currency)}</span>
              <span class="muted">${translator.time(checkout.created_at)} ${checkout.reference ?? nothing}</span>
              <span class="end">${statusBadge(checkout.status, translator)}</span>
            </a>
          </li>`,
      )}
    </ul>`;
  }

  /** Asks once more before anything is done. */
  #dialog(): TemplateResult {
    const t = this.#translator.text;
    const question = this.#question;
    if (question === undefined) return html`<dialog></dialog>`;
    const confirmations = {
      check: 'confirmCheck',
      close: 'confirmClose',
      resolve: 'confirmResolve',
      redeliver: 'confirmRedeliver',
      redeliverAll: 'confirmRedeliverAll',
    } as const;
    return html`<dialog @cancel=${this.#answer} aria-labelledby="question">
      <form @submit=${this.#answer}>
        <h3 id="question">${t(question.name)}</h3>
        <p>${t(confirmations[question.name])}</p>
        ${
          question.name === 'resolve'
            ? html`<label><input type="radio" name="as" value="paid" required />${t('asPaid')}</label>
                <label><input type="radio" name="as" value="void" />${t('asVoid')}</label>
                <label>${t('note')}<textarea name="note" rows="3" maxlength="1000" required></textarea></label>`
            : nothing
        }
        <div class="row">
          <button type="button" @click=${this.#answer}>${t('cancel')}</button>
          <button class="main">${t(question.name)}</button>
        </div>
      </form>
    </dialog>`;
  }
}

/** The fields of a submitted form. The form itself is not sent. */
function readForm(event: SubmitEvent): Readonly<Record<string, string | undefined>> {
  event.preventDefault();
  const form = event.currentTarget instanceof HTMLFormElement ? event.currentTarget : undefined;
  return Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value : '']),
  );
}

customElements.define('operator-page', OperatorPage);
