import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { callAdmin, type Checkout, type CheckoutDetails, type Checkouts, type LinkedCheckout } from './admin-client.ts';
import { checkoutDetails, questionDialog, type Action } from './checkout-details.ts';
import { listScreen } from './list-screen.ts';
import { filtersOf, hashOf, isList, toQuery } from './list-address.ts';
import { faultsOfAnswer, newPaymentForm, readNewPayment, type Faults } from './new-payment.ts';
import { foreign, readForm, signInForm } from './page-parts.ts';
import { isPayable, paymentLink } from './payment-link.ts';
import { formStyles } from './form.styles.ts';
import { pageStyles, styles } from './styles.ts';
import { createTranslator } from './texts.ts';
import { loadUndelivered, nothingUndelivered, pathsToRedeliver } from './undelivered.ts';

/** A delivery that waits for another one, or for a retry that is due soon, begins within this time, in milliseconds. */
const lateDeliveryMs = 4000;
/** How often the page asks again by itself, in milliseconds: sooner while somebody waits for a payment. */
const refreshMs = 15_000;
const refreshLinkMs = 3000;
const tokenKey = 'admin-token';
const newPayment = '#new';

/** The page of whoever runs the shop: makes payments, finds them, shows what has happened to one, and acts on it (`GET /admin`). */
class OperatorPage extends LitElement {
  static override styles = [styles, formStyles];

  #translator = createTranslator(navigator.language.startsWith('ru') ? 'ru' : 'en-GB');
  #token = sessionStorage.getItem(tokenKey);
  #undelivered = nothingUndelivered;
  #undecided: readonly Checkout[] = [];
  #checkouts: readonly Checkout[] = [];
  #nextCursor = '';
  /** The checkout that the address names; undefined while it loads, and when there is none. */
  #details: CheckoutDetails | undefined;
  /** The link that was handed out. It is in no address, and is gone with the tab. */
  #link: { readonly id: string; readonly url: string } | undefined;
  #isCopied = false;
  #faults: Faults = {};
  #isTyped = false;
  #question: Action | undefined;
  #choice: 'paid' | 'void' | undefined;
  #isBusy = false;
  #problem: TemplateResult | string = '';
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** The document has this element alone, for as long as it is open. */
  constructor() {
    super();
    if (pageStyles.styleSheet !== undefined) document.adoptedStyleSheets.push(pageStyles.styleSheet);
    window.addEventListener('hashchange', this.#open);
    document.addEventListener('visibilitychange', this.#refresh);
    this.#open();
  }

  /** Runs work with the token, and shows its failure. A token that is refused signs the operator out. */
  async #run(work: (token: string) => Promise<void>): Promise<void> {
    const token = this.#token;
    this.#isBusy = token !== null;
    this.#problem = '';
    this.requestUpdate();
    if (token !== null) await this.#attempt(token, work);
    this.#isBusy = false;
    this.requestUpdate();
    this.#schedule();
  }

  async #attempt(token: string, work: (token: string) => Promise<void>): Promise<void> {
    try {
      await work(token);
      if (token === this.#token) sessionStorage.setItem(tokenKey, token);
      this.#problem = '';
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      if (name === 'unauthorized' || name === 'rate_limited') this.#signOut();
      const { text, textOr } = this.#translator;
      const known = textOr(name, '');
      this.#problem = known === '' ? html`${text('problem')}: ${foreign(name)}. ${foreign(message)}` : known;
    }
  }

  /** The page follows by itself, while somebody looks at it and is not about to answer a question. */
  #schedule(): void {
    clearTimeout(this.#timer);
    const isWaiting = this.#link !== undefined && this.#details !== undefined && isPayable(this.#details);
    this.#timer = setTimeout(this.#refresh, isWaiting ? refreshLinkMs : refreshMs);
  }

  readonly #refresh = (): void => {
    const isIdle = document.hidden || this.#isBusy || this.#question !== undefined || location.hash === newPayment;
    if (this.#token === null || isIdle) {
      this.#schedule();
      return;
    }
    void this.#attempt(this.#token, this.#loadPage).then(() => {
      this.requestUpdate();
      this.#schedule();
    });
  };

  /** Shows what the address names. */
  readonly #open = (): void => {
    const { hash } = location;
    this.#details = undefined;
    this.#faults = {};
    this.#undecided = this.#checkouts = [];
    this.#undelivered = nothingUndelivered;
    this.#nextCursor = '';
    if (hash.slice(1) !== this.#link?.id) this.#link = undefined;
    this.#load();
  };

  readonly #load = (): void => void this.#run(this.#loadPage);

  readonly #loadPage = async (token: string): Promise<void> => {
    const { hash } = location;
    if (hash === newPayment) return;
    if (isList(hash)) return this.#loadList(token);
    const details = await callAdmin<CheckoutDetails>(token, ['checkouts', hash.slice(1)]);
    if (hash === location.hash) this.#details = details;
  };

  async #loadList(token: string): Promise<void> {
    const { hash } = location;
    const list = (query: Readonly<Record<string, string | number>>): Promise<Checkouts> =>
      callAdmin<Checkouts>(token, ['checkouts'], query);
    const limit = Math.min(500, Math.max(50, this.#checkouts.length));
    const page = await list({ limit, ...toQuery(filtersOf(hash)) });
    const { checkouts: undecided } = await list({ limit: 500, needs_decision: 1 });
    const undelivered = await loadUndelivered(token);
    if (hash !== location.hash) return;
    this.#checkouts = page.checkouts;
    this.#nextCursor = page.next_cursor ?? '';
    [this.#undecided, this.#undelivered] = [undecided, undelivered];
  }

  readonly #loadMore = (): void =>
    void this.#run(async (token) => {
      const query = { limit: 50, ...toQuery(filtersOf(location.hash)), cursor: this.#nextCursor };
      const page = await callAdmin<Checkouts>(token, ['checkouts'], query);
      this.#checkouts = [...this.#checkouts, ...page.checkouts];
      this.#nextCursor = page.next_cursor ?? '';
    });

  readonly #signIn = (event: SubmitEvent): void => {
    this.#token = readForm(event)['token']?.trim() ?? '';
    this.#load();
  };

  readonly #signOut = (): void => {
    this.#token = null;
    this.#link = undefined;
    sessionStorage.removeItem(tokenKey);
    this.#load();
  };

  /** Searches, or lists everything when the form is reset. The address says what is shown, so that "back" returns to it. */
  readonly #find = (event: Event): void => {
    const fields = event instanceof SubmitEvent ? readForm(event) : {};
    const hash = hashOf(fields);
    if (location.hash === hash) this.#load();
    else location.hash = hash;
  };

  readonly #create = (event: SubmitEvent): void => {
    const { order, faults } = readNewPayment(readForm(event), new Date());
    this.#setFaults(faults);
    if (order === undefined) return;
    void this.#run(async (token) => {
      try {
        const { checkouts } = await callAdmin<Checkouts>(token, ['checkouts'], { order_id: order.order_id });
        // The shop's own orders have numbers too. A create would answer with the checkout that the order has.
        if (checkouts.length > 0) this.#setFaults({ order_id: 'order_taken' });
        else this.#showLink(await callAdmin<LinkedCheckout>(token, ['checkouts'], {}, order));
      } catch (error) {
        const answered = error instanceof Error ? faultsOfAnswer(error.name, error.message) : undefined;
        if (answered === undefined) throw error;
        this.#setFaults(answered);
      }
    });
  };

  #setFaults(faults: Faults): void {
    this.#faults = faults;
    this.requestUpdate();
    void this.updateComplete.then(() => {
      const field = this.renderRoot.querySelector('[aria-invalid=true]');
      if (field instanceof HTMLElement) field.focus();
    });
  }

  #showLink({ id, url }: LinkedCheckout): void {
    this.#link = { id, url };
    this.#isCopied = false;
    location.hash = id;
  }

  async #copy(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.#isCopied = true;
    } catch {
      // Only a page with TLS, or of this machine, may write to the clipboard.
      const field = this.renderRoot.querySelector('input[readonly]');
      if (field instanceof HTMLInputElement) field.select();
      this.#problem = this.#translator.text('copyFailed');
    }
    this.requestUpdate();
  }

  readonly #switchLanguage = (): void => {
    this.#translator = createTranslator(this.#translator.language === 'ru' ? 'en-GB' : 'ru');
    this.requestUpdate();
  };

  readonly #ask = (question: Action): void => {
    this.#question = question;
    this.#choice = undefined;
    this.requestUpdate();
  };

  readonly #answer = (event: Event): void => {
    const question = this.#question;
    this.#question = undefined;
    this.requestUpdate();
    if (question === undefined || !(event instanceof SubmitEvent)) return;
    const { name, path, invoice } = question;
    const fields = readForm(event);
    void this.#run(async (token) => {
      const paths = path === undefined ? await pathsToRedeliver(token) : [path];
      const body = { ...fields, ...(invoice !== undefined && { invoice_id: invoice.external_id }) };
      for (const eachPath of paths) {
        const answer = await callAdmin<LinkedCheckout>(token, eachPath, {}, body);
        if (name === 'link') this.#showLink(answer);
      }
      if (!name.startsWith('redeliver')) return;
      // A delivery is sent within a second, or after the one that is under way.
      await new Promise((resolve) => setTimeout(resolve, 1200));
      setTimeout(this.#load, lateDeliveryMs);
    }).then(() => (this.#problem === '' ? this.#load() : undefined));
  };

  protected override updated(): void {
    const count = this.#undecided.length;
    document.documentElement.lang = this.#translator.language;
    document.title = `${count === 0 ? '' : `(${count}) `}${this.#details?.status === 'paid' ? '✓ ' : ''}${this.#translator.text('title')}`;
    const dialog = this.renderRoot.querySelector('dialog');
    if (this.#question === undefined) dialog?.close();
    else if (dialog?.open === false) dialog.showModal();
  }

  protected override render(): TemplateResult {
    const t = this.#translator.text;
    const isSignedIn = this.#token !== null;
    const isStart = !isSignedIn || isList(location.hash);
    return html`
      <header class="row">
        ${isStart ? html`<h1 class="start">${t('title')}</h1>` : html`<a class="start" href="#">← ${t('title')}</a>`}
        ${this.hasAttribute('test') ? html`<span class="chip wait">TEST</span>` : nothing}
        <button type="button" class="quiet" @click=${this.#switchLanguage}>${t('language')}</button>
        ${
          isSignedIn
            ? html`<button type="button" class="quiet" ?disabled=${this.#isBusy} @click=${this.#load}>
                  ${t('refresh')}
                </button>
                <button type="button" class="quiet" @click=${this.#signOut}>${t('signOut')}</button>
                ${isStart ? html`<a class="button main" href=${newPayment}>+ ${t('newPayment')}</a>` : nothing}`
            : nothing
        }
      </header>
      <main aria-busy=${this.#isBusy}>
        <p class="bad" role="alert">${this.#problem}</p>
        ${isSignedIn ? this.#screen() : signInForm(this.#translator, this.#signIn)}
      </main>
      ${questionDialog({
        question: this.#question,
        checkout: this.#details,
        translator: this.#translator,
        choice: this.#choice,
        choose: (choice) => {
          this.#choice = choice;
          this.requestUpdate();
        },
        answer: this.#answer,
      })}
    `;
  }

  #screen(): TemplateResult {
    const translator = this.#translator;
    if (isList(location.hash))
      return listScreen({
        translator,
        undecided: this.#undecided,
        undelivered: this.#undelivered,
        checkouts: this.#checkouts,
        isBusy: this.#isBusy,
        find: this.#find,
        redeliverAll: () => this.#ask({ name: 'redeliverAll' }),
        loadMore: this.#nextCursor === '' ? undefined : this.#loadMore,
      });
    if (location.hash === newPayment)
      return html`<h1>${translator.text('newPayment')}</h1>
        ${newPaymentForm({
          translator,
          currencies: (this.getAttribute('currencies') ?? 'RUB').split(' '),
          faults: this.#faults,
          isTyped: this.#isTyped,
          isBusy: this.#isBusy,
          chooseTyped: (isTyped) => {
            this.#isTyped = isTyped;
            this.requestUpdate();
          },
          submit: this.#create,
        })}`;
    const checkout = this.#details;
    if (checkout === undefined) return html`<p>${this.#isBusy ? translator.text('loading') : nothing}</p>`;
    const { url } = this.#link ?? {};
    const copy = (text: string): void => void this.#copy(text);
    const link =
      url === undefined
        ? nothing
        : paymentLink({
            checkout,
            url,
            hasQr: !this.hasAttribute('no-qr'),
            translator,
            isCopied: this.#isCopied,
            copy: () => copy(url),
          });
    return checkoutDetails({ checkout, translator, act: this.#ask, link, copy });
  }
}

customElements.define('operator-page', OperatorPage);
