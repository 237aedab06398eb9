import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { CheckoutStatus } from '../checkout-api.ts';
import { callAdmin, type Checkout, type CheckoutDetails, type Checkouts, type Outcome } from './admin-client.ts';
import { checkoutDetails, foreign, statusBadge, type Action } from './checkout-details.ts';
import { styles } from './styles.ts';
import { createTranslator } from './texts.ts';

/** A delivery that waits for another one, or for a retry that is due soon, begins within this time, in milliseconds. */
const lateDeliveryMs = 4000;
const tokenKey = 'admin-token';
const statuses: readonly CheckoutStatus[] = ['open', 'pending', 'paid', 'failed', 'expired', 'closed'];

/** The page of whoever runs the shop: finds checkouts, shows what has happened to one, and acts on it (`GET /admin`). */
class OperatorPage extends LitElement {
  static override styles = styles;

  #translator = createTranslator(navigator.language.startsWith('ru') ? 'ru' : 'en-GB');
  #token = sessionStorage.getItem(tokenKey);
  #filters: Readonly<Record<string, string>> = {};
  #isFiltered = false;
  #undelivered: readonly Checkout[] = [];
  #checkouts: readonly Checkout[] = [];
  #nextCursor = '';
  /** The checkout that the address names; undefined while it loads, and when there is none. */
  #details: CheckoutDetails | undefined;
  #question: Action | undefined;
  #isBusy = false;
  #problem: TemplateResult | string = '';

  /** The document has this element alone, for as long as it is open. */
  constructor() {
    super();
    window.addEventListener('hashchange', this.#load);
    this.#load();
  }

  /** Runs work with the token, and shows its failure. A token that is refused signs the operator out. */
  async #run(work: (token: string) => Promise<void>): Promise<void> {
    const token = this.#token;
    this.#isBusy = token !== null;
    this.#problem = '';
    this.requestUpdate();
    if (token === null) return;
    try {
      await work(token);
      if (token === this.#token) sessionStorage.setItem(tokenKey, token);
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      if (name === 'unauthorized' || name === 'rate_limited') this.#signOut();
      const { text, textOr } = this.#translator;
      const known = textOr(name, '');
      this.#problem = known === '' ? html`${text('problem')}: ${foreign(name)}. ${foreign(message)}` : known;
    } finally {
      this.#isBusy = false;
      this.requestUpdate();
    }
  }

  readonly #load = (): void => {
    const { hash } = location;
    this.#details = undefined;
    void this.#run(async (token) => {
      if (hash === '') return this.#loadList(token);
      const details = await callAdmin<CheckoutDetails>(token, ['checkouts', hash.slice(1)]);
      if (hash === location.hash) this.#details = details;
    });
  };

  async #loadList(token: string): Promise<void> {
    await this.#loadPage(token);
    const query = { limit: 500, undelivered: 1 };
    this.#undelivered = this.#isFiltered ? [] : (await callAdmin<Checkouts>(token, ['checkouts'], query)).checkouts;
  }

  async #loadPage(token: string, cursor = ''): Promise<void> {
    const page = await callAdmin<Checkouts>(token, ['checkouts'], { limit: 50, ...this.#filters, cursor });
    this.#checkouts = [...(cursor === '' ? [] : this.#checkouts), ...page.checkouts];
    this.#nextCursor = page.next_cursor ?? '';
  }

  readonly #loadMore = (): void => void this.#run((token) => this.#loadPage(token, this.#nextCursor));

  readonly #signIn = (event: SubmitEvent): void => {
    this.#token = readForm(event)['token']?.trim() ?? '';
    this.#load();
  };

  readonly #signOut = (): void => {
    this.#token = null;
    sessionStorage.removeItem(tokenKey);
    this.#load();
  };

  /** Searches, or lists everything when the form is reset. */
  readonly #find = (event: Event): void => {
    const fields: Readonly<Record<string, string>> = event instanceof SubmitEvent ? readForm(event) : {};
    const { search = '', status = '', from = '', until = '' } = fields;
    const toTime = (date: string, time: string): string => date && new Date(`${date}T${time}`).toISOString();
    this.#filters = {
      search: search.trim(),
      status,
      created_after: toTime(from, '00:00'),
      created_before: toTime(until, '24:00'),
    };
    this.#isFiltered = Object.values(this.#filters).some((value) => value !== '');
    this.#undelivered = this.#checkouts = [];
    this.#load();
  };

  readonly #switchLanguage = (): void => {
    this.#translator = createTranslator(this.#translator.language === 'ru' ? 'en-GB' : 'ru');
    this.requestUpdate();
  };

  readonly #ask = (question: Action): void => {
    this.#question = question;
    this.requestUpdate();
  };

  readonly #answer = (event: Event): void => {
    const question = this.#question;
    this.#question = undefined;
    this.requestUpdate();
    if (question === undefined || !(event instanceof SubmitEvent)) return;
    const { name, path, body } = question;
    const fields = readForm(event);
    void this.#run(async (token) => {
      const paths = path === undefined ? await this.#pathsToRedeliver(token) : [path];
      for (const eachPath of paths) await callAdmin(token, eachPath, {}, { ...body, ...fields });
      if (!name.startsWith('redeliver')) return;
      // A delivery is sent within a second, or after the one that is under way.
      await new Promise((resolve) => setTimeout(resolve, 1200));
      setTimeout(this.#load, lateDeliveryMs);
    }).then(() => (this.#problem === '' ? this.#load() : undefined));
  };

  async #pathsToRedeliver(token: string): Promise<readonly (readonly string[])[]> {
    const outcomes: Outcome[] = [];
    for (const { id } of this.#undelivered)
      outcomes.push(...(await callAdmin<CheckoutDetails>(token, ['checkouts', id])).outcomes);
    return outcomes.filter((outcome) => outcome.delivered_at === null).map(({ id }) => ['outcomes', id, 'redeliver']);
  }

  protected override updated(): void {
    document.documentElement.lang = this.#translator.language;
    document.title = this.#translator.text('title');
    const dialog = this.renderRoot.querySelector('dialog');
    dialog?.[this.#question === undefined ? 'close' : 'showModal']();
  }

  protected override render(): TemplateResult {
    const t = this.#translator.text;
    const isSignedIn = this.#token !== null;
    const isOne = isSignedIn && location.hash !== '';
    return html`
      <header class="row">
        ${isOne ? html`<a class="start" href="#">← ${t('title')}</a>` : html`<h1 class="start">${t('title')}</h1>`}
        <button type="button" @click=${this.#switchLanguage}>${t('language')}</button>
        ${
          isSignedIn
            ? html`<button type="button" ?disabled=${this.#isBusy} @click=${this.#load}>${t('refresh')}</button>
                <button type="button" @click=${this.#signOut}>${t('signOut')}</button>`
            : nothing
        }
      </header>
      <main aria-busy=${this.#isBusy}>
        <p class="bad" role="alert">${this.#problem}</p>
        ${isOne ? this.#one() : isSignedIn ? this.#list() : this.#signInForm()}
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
    if (this.#details === undefined) return html`<p>${this.#isBusy ? this.#translator.text('loading') : nothing}</p>`;
    return checkoutDetails({ checkout: this.#details, translator: this.#translator, act: this.#ask });
  }

  #list(): TemplateResult {
    const { text: t, textOr } = this.#translator;
    return html`
      <form class="card filters" @submit=${this.#find} @reset=${this.#find}>
        <label>${t('search')}<input name="search" type="search" autocomplete="off" maxlength="200" /></label>
        <label
          >${t('status')}<select name="status">
            <option value="">${t('anyStatus')}</option>
            ${statuses.map((status) => html`<option value=${status}>${textOr(status)}</option>`)}
          </select></label
        >
        <label>${t('from')}<input name="from" type="date" /></label>
        <label>${t('until')}<input name="until" type="date" /></label>
        <button class="main" ?disabled=${this.#isBusy}>${t('find')}</button>
        <button type="reset" ?disabled=${this.#isBusy}>${t('reset')}</button>
      </form>
      ${
        this.#undelivered.length === 0
          ? nothing
          : html`<header class="row">
                <h2 class="bad start">${t('undelivered')}</h2>
                <button type="button" @click=${() => this.#ask({ name: 'redeliverAll' })}>${t('redeliverAll')}</button>
              </header>
              ${this.#checkoutList(this.#undelivered)}`
      }
      <h2>${t(this.#isFiltered ? 'results' : 'newest')}</h2>
      ${
        this.#checkouts.length > 0
          ? this.#checkoutList(this.#checkouts)
          : html`<p>${t(this.#isBusy ? 'loading' : 'nothing')}</p>`
      }
      ${
        this.#nextCursor === ''
          ? nothing
          : html`<p><button type="button" ?disabled=${this.#isBusy} @click=${this.#loadMore}>${t('more')}</button></p>`
      }
    `;
  }

  #checkoutList(checkouts: readonly Checkout[]): TemplateResult {
    const { money, time } = this.#translator;
    return html`<ul>
      ${checkouts.map(
        ({ id, order_id: orderId, amount, currency, created_at: createdAt, reference, status }) =>
          html`<li>
            <a href="#${id}">
              <strong>${foreign(orderId)}</strong> <strong class="end">${money(amount, currency)}</strong>
              <span class="muted">${time(createdAt)} ${foreign(reference ?? '')}</span>
              <span class="end">${statusBadge(status, this.#translator)}</span>
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
    return html`<dialog class="card" @cancel=${this.#answer} aria-labelledby="question">
      <form @submit=${this.#answer}>
        <h3 id="question">${t(question.name)}</h3>
        <p>${t(`${question.name}Question`)}</p>
        ${
          question.name === 'resolve'
            ? html`<p>
                  <label><input type="radio" name="as" value="paid" required /> ${t('asPaid')}</label>
                </p>
                <p>
                  <label><input type="radio" name="as" value="void" /> ${t('asVoid')}</label>
                </p>
                <label>${t('note')}<textarea name="note" rows="3" maxlength="1000" required></textarea></label>`
            : nothing
        }
        <p class="row">
          <button class="main">${t(question.name)}</button>
          <button type="button" @click=${this.#answer}>${t('cancel')}</button>
        </p>
      </form>
    </dialog>`;
  }
}

/** The fields of a submitted form. The form itself is not sent. */
function readForm(event: SubmitEvent): Readonly<Record<string, string>> {
  event.preventDefault();
  const form = event.currentTarget instanceof HTMLFormElement ? event.currentTarget : undefined;
  const fields = [...new FormData(form)];
  return Object.fromEntries(fields.map(([name, value]) => [name, typeof value === 'string' ? value : '']));
}

customElements.define('operator-page', OperatorPage);
