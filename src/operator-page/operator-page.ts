import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { callAdmin, type CheckoutDetails, type Checkouts, type LinkedCheckout } from './admin-client.ts';
import { checkoutDetails } from './checkout-details.ts';
import { copyText } from './copy-text.ts';
import { hashOf, hasSecret, isList } from './list-address.ts';
import { countOf, emptyList, loadList, loadMore } from './list-data.ts';
import { listScreen } from './list-screen.ts';
import { NewPayment } from './new-payment.ts';
import { focusFault, newPaymentForm } from './new-payment-form.ts';
import { newPaymentHash, pageHeader, titleOf } from './page-header.ts';
import { focusStart, keepFocus, readForm, signInForm } from './page-parts.ts';
import { isPayable, paymentLink } from './payment-link.ts';
import { performAction } from './perform-action.ts';
import { problemLine, problemOf, showProblem, type Problem } from './problem.ts';
import { questionDialog, type Action } from './question-dialog.ts';
import { Refresher } from './refresher.ts';
import { formStyles } from './form.styles.ts';
import { pageStyles, styles } from './styles.ts';
import { createTranslator } from './texts.ts';

const tokenKey = 'admin-token';

/** The page of whoever runs the shop: makes payments, finds them, shows what has happened to one, and acts on it (`GET /admin`). */
class OperatorPage extends LitElement {
  static override styles = [styles, formStyles];

  #translator = createTranslator(navigator.language.startsWith('ru') ? 'ru' : 'en-GB');
  #token = sessionStorage.getItem(tokenKey);
  /** Whether the token was refused while somebody was at work. */
  #isInterrupted = false;
  #list = emptyList;
  /** The checkout that the address names; undefined while it loads, and when there is none. */
  #details: CheckoutDetails | undefined;
  /** The link that was handed out. It is in no address, and is gone with the tab. */
  #link: { readonly id: string; readonly url: string } | undefined;
  #copied = ''; // the last text
  #newPayment = new NewPayment();
  #question: Action | undefined;
  readonly #notes = new Map<string, string>(); // typed, and not sent yet
  #isBusy = false;
  /** What failed of what was pressed, and of following, which the next answer puts right; and whether a check was just answered. */
  #messages: { action?: Problem | undefined; load?: Problem | undefined; isChecked?: boolean } = {};
  /** Where somebody goes on who uses the keyboard: it gets the focus once. */
  #start: Element | null = null;
  #told = ''; // of a failure
  readonly #refresher = new Refresher(
    () => this.#follow(),
    () => this.#link !== undefined && this.#details !== undefined && isPayable(this.#details),
  );

  /** The document has this element alone, for as long as it is open. */
  constructor() {
    super();
    if (pageStyles.styleSheet !== undefined) document.adoptedStyleSheets.push(pageStyles.styleSheet);
    window.addEventListener('hashchange', this.#open);
    this.#open();
  }

  /** Runs work with the token, and shows its failure. */
  async #run(work: (token: string) => Promise<void>, token = this.#token): Promise<void> {
    this.#isBusy = token !== null;
    this.#messages = {};
    this.requestUpdate();
    if (token !== null) await this.#attempt(token, work);
    this.#isBusy = false;
    this.requestUpdate();
    this.#refresher.schedule();
  }

  async #attempt(token: string, work: (token: string) => Promise<void>): Promise<void> {
    const source = work === this.#loadPage ? 'load' : 'action';
    try {
      await work(token);
      this.#messages[source] = undefined;
    } catch (error) {
      if (source === 'load' && token !== this.#token) return; // whoever has signed in since is not told
      const problem = error instanceof Error ? error : new Error(String(error));
      const isRefused = problem.name === 'unauthorized' || problem.name === 'rate_limited';
      if (isRefused && token === this.#token) this.#forgetToken();
      this.#messages[source] = problemOf(problem, this.#translator);
    }
  }

  /** The page follows by itself, while somebody looks at it and is not about to answer a question. */
  async #follow(): Promise<void> {
    const isIdle = document.hidden || this.#isBusy || this.#question !== undefined || location.hash === newPaymentHash;
    if (this.#token === null || isIdle) return;
    await this.#attempt(this.#token, this.#loadPage);
    this.requestUpdate();
  }

  /** Shows what the address names. */
  readonly #open = (): void => {
    const { hash } = location;
    const isSecret = hasSecret(hash);
    if (isSecret) history.replaceState(null, '', '#');
    this.#details = undefined;
    this.#question = undefined;
    this.#newPayment.faults = {};
    this.#list = emptyList;
    if (hash.slice(1) !== this.#link?.id) this.#link = undefined;
    this.#load();
    if (isSecret) this.#messages.action = this.#translator.text('secret');
  };

  readonly #load = (): void => void this.#run(this.#loadPage);

  readonly #loadPage = async (token: string): Promise<void> => {
    const { hash } = location;
    if (hash === newPaymentHash) return;
    if (isList(hash)) {
      const list = await loadList(token, hash, this.#list.checkouts.length);
      if (hash === location.hash) this.#list = list;
      return;
    }
    const details = await callAdmin<CheckoutDetails>(token, ['checkouts', hash.slice(1)]);
    if (hash === location.hash) this.#details = details;
  };

  readonly #loadMore = (): void =>
    void this.#run(async (token) => {
      const { hash } = location;
      const list = await loadMore(token, hash, this.#list);
      if (hash === location.hash) this.#list = list;
    });

  readonly #signIn = (event: SubmitEvent): void => {
    const typed = readForm(event)['token']?.trim() ?? '';
    void this.#run(async (token) => {
      await callAdmin<Checkouts>(token, ['checkouts'], { limit: 1 });
      this.#token = token;
      sessionStorage.setItem(tokenKey, token);
    }, typed).then(() => (this.#token === typed ? this.#load() : undefined));
  };

  /** A token that is refused is asked for again. What is being typed waits for it, out of sight. */
  #forgetToken(): void {
    this.#token = null;
    this.#link = undefined;
    this.#isInterrupted = true;
    sessionStorage.removeItem(tokenKey);
  }

  readonly #signOut = (): void => {
    this.#forgetToken();
    this.#isInterrupted = false;
    this.#newPayment = new NewPayment();
    this.#notes.clear();
    this.#open();
  };

  /** Searches, or lists everything when the form is reset. The address says what is shown, so that "back" returns to it. */
  readonly #find = (event: Event): void => {
    const fields = event instanceof SubmitEvent ? readForm(event) : {};
    const hash = hashOf(fields);
    if (hasSecret(hash)) {
      this.#messages.action = this.#translator.text('secret');
      this.requestUpdate();
    } else if (location.hash === hash) this.#load();
    else location.hash = hash;
  };

  readonly #create = (event: SubmitEvent): void => {
    const payment = this.#newPayment;
    payment.type(readForm(event));
    void this.#run(async (token) => {
      const answer = await payment.create(token, this.#translator.language);
      if (answer !== undefined) this.#showLink(answer);
    }).then(() => focusFault(this));
  };

  #showLink({ id, url }: LinkedCheckout): void {
    this.#link = { id, url };
    this.#copied = '';
    location.hash = id;
  }

  async #copy(text: string): Promise<void> {
    const copying = copyText(this.renderRoot, text);
    this.#messages = {};
    this.requestUpdate();
    await this.updateComplete; // what fails once more is said once more
    this.#copied = (await copying) ? text : '';
    if (this.#copied === '') this.#messages.action = this.#translator.text('copyFailed');
    this.requestUpdate();
  }

  readonly #switchLanguage = (): void => {
    this.#translator = createTranslator(this.#translator.language === 'ru' ? 'en-GB' : 'ru');
    this.requestUpdate();
  };

  readonly #ask = (question: Action | undefined): void => {
    this.#question = question;
    this.#messages = {};
    this.requestUpdate();
  };

  readonly #answer = (event: Event): void => {
    const question = this.#question;
    if (question === undefined || !(event instanceof SubmitEvent)) {
      this.#ask(undefined);
      return;
    }
    const fields = readForm(event);
    void this.#run(async (token) => {
      const answer = await performAction(token, question, fields);
      if (answer !== undefined) this.#showLink(answer);
      this.#notes.delete(question.invoice?.external_id ?? '');
      if (question === this.#question) this.#ask(undefined);
      if (question.name.startsWith('redeliver')) await this.#refresher.followDelivery();
    }).then(async () => {
      if (this.#messages.action !== undefined) return;
      await this.#run(this.#loadPage);
      this.#messages.isChecked = question.name === 'check';
      this.requestUpdate();
      await this.updateComplete;
      keepFocus(this.renderRoot);
    });
  };

  protected override updated(): void {
    document.documentElement.lang = this.#translator.language;
    document.title = titleOf(countOf(this.#list.undecided), this.#details, this.#translator);
    const dialog = this.renderRoot.querySelector('dialog');
    if (this.#question === undefined || this.#token === null) dialog?.close();
    else if (dialog?.open === false) dialog.showModal();
    this.#start = focusStart(this.renderRoot, this.#start);
    this.#told = showProblem(this.renderRoot, this.#told);
  }

  protected override render(): TemplateResult {
    const isSignedIn = this.#token !== null;
    const problem = problemLine(this.#messages.action ?? this.#messages.load);
    const isAsking = isSignedIn && this.#question !== undefined;
    const isInLink = this.#link !== undefined && this.#details !== undefined;
    const isShown = isSignedIn || (this.#isInterrupted && location.hash === newPaymentHash);
    return html`
      ${pageHeader({
        translator: this.#translator,
        isTest: this.hasAttribute('test'),
        isSignedIn,
        isStart: !isSignedIn || isList(location.hash),
        isBusy: this.#isBusy,
        switchLanguage: this.#switchLanguage,
        refresh: this.#load,
        signOut: this.#signOut,
        startPayment: () => void (this.#newPayment = this.#newPayment.next()),
      })}
      <main aria-busy=${this.#isBusy}>
        ${isAsking || isInLink ? nothing : problem} ${isSignedIn ? nothing : signInForm(this.#translator, this.#signIn)}
        <div ?hidden=${!isSignedIn}>${isShown ? this.#screen(isAsking ? nothing : problem) : nothing}</div>
      </main>
      ${questionDialog({
        question: this.#question,
        checkout: this.#details,
        translator: this.#translator,
        isBusy: this.#isBusy,
        problem: isAsking ? problem : nothing,
        notes: this.#notes,
        ask: this.#ask,
        answer: this.#answer,
      })}
    `;
  }

  #screen(problem: unknown): TemplateResult {
    const translator = this.#translator;
    if (isList(location.hash))
      return listScreen({
        translator,
        data: this.#list,
        isBusy: this.#isBusy,
        find: this.#find,
        redeliverAll: () => this.#ask({ name: 'redeliverAll' }),
        loadMore: this.#loadMore,
      });
    if (location.hash === newPaymentHash)
      return newPaymentForm({
        translator,
        currencies: (this.getAttribute('currencies') ?? 'RUB').split(' '),
        payment: this.#newPayment,
        isBusy: this.#isBusy,
        type: (fields) => {
          this.#newPayment.type(fields);
          this.requestUpdate();
        },
        submit: this.#create,
      });
    const checkout = this.#details;
    if (checkout === undefined) return html`<p>${this.#isBusy ? translator.text('loading') : nothing}</p>`;
    const { url } = this.#link ?? {};
    const view = { checkout, translator, copied: this.#copied, copy: (text: string): void => void this.#copy(text) };
    const link =
      url === undefined ? nothing : paymentLink({ ...view, url, problem, hasQr: !this.hasAttribute('no-qr') });
    return checkoutDetails({ ...view, act: this.#ask, link, isChecked: this.#messages.isChecked === true });
  }
}

customElements.define('operator-page', OperatorPage);
