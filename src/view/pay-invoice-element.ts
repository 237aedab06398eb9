import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { browserClock, browserPageLifecycle, pageAddress } from '../client.ts';
import { CheckoutError, isSafeLink, type CheckoutState, type CheckoutTransport, type WaitingState } from '../core.ts';
import type { Messages } from '../i18n.ts';
import type { Checkout } from '../protocol.ts';
import { AnnouncerController } from './controllers/announcer.ts';
import { CheckoutSessionController, onServer } from './controllers/checkout-session.ts';
import { CountdownController } from './controllers/countdown.ts';
import { FocusController } from './controllers/focus.ts';
import { LanguageController } from './controllers/language.ts';
import { PageTitleController } from './controllers/page-title.ts';
import { PaymentController } from './controllers/payment.ts';
import type { PayInvoiceOptions } from './options.ts';
import { CheckoutErrorEvent, MethodSelectEvent } from './pay-invoice.events.ts';
import { header, showTime } from './screens/header.ts';
import type { Handlers } from './screens/screen-props.ts';
import { screen, skeleton } from './screens/screen.ts';
import { choosing } from './styles/choosing.styles.ts';
import { controls } from './styles/controls.styles.ts';
import { frame } from './styles/frame.styles.ts';
import { payment } from './styles/payment.styles.ts';
import { tokens } from './styles/tokens.styles.ts';

/** Runs work after the current render has been painted. */
const afterPaint = (work: () => void): void => void requestAnimationFrame(() => void setTimeout(work));

/**
 * A checkout in one tag: the payer chooses a method, gets requisites or a QR, pays, and sees that it was paid.
 *
 * @summary Shows the invoice of an order and follows it until it is paid.
 *
 * @attr {string} lang - Language of texts and numbers (BCP 47); else of the nearest ancestor that has one, else of the browser.
 *
 * @fires {CheckoutOutcomeEvent} pay-invoice-ready - Options or an invoice are on the screen for the first time.
 * @fires {MethodSelectEvent} pay-invoice-method-select - The payer chose a method; cancelable.
 * @fires {InvoiceEvent} pay-invoice-created - Requisites arrived.
 * @fires {InvoiceEvent} pay-invoice-qr-shown - The QR is painted.
 * @fires {CopiedEvent} pay-invoice-copied - A value was copied.
 * @fires {StatusEvent} pay-invoice-status - The status changed.
 * @fires {CheckoutOutcomeEvent} pay-invoice-paid - It is paid; once for ever.
 * @fires {CheckoutOutcomeEvent} pay-invoice-failed - It failed; once for each time.
 * @fires {CheckoutOutcomeEvent} pay-invoice-expired - Its time is over; once for each time.
 * @fires {CheckoutErrorEvent} pay-invoice-error - Something needs the merchant's attention.
 *
 * @slot header - Above the description and the amount.
 * @slot footer - Below everything.
 * @slot paid - Under the heading, once it is paid.
 * @slot failed - Under the heading, when it failed.
 * @slot expired - Under the heading, when its time is over.
 * @slot fallback - Shown without JavaScript, or until the element is defined.
 *
 * @csspart base - The frame around everything.
 * @csspart header - Description, amount, test mark and time.
 * @csspart amount - The heading with the amount.
 * @csspart badge - The mark of a test.
 * @csspart timer - The time that is left.
 * @csspart progress - Its bar.
 * @csspart methods - The payment methods.
 * @csspart method - One of them.
 * @csspart banks - The banks of the chosen method.
 * @csspart continue - The button that asks for requisites.
 * @csspart requisites - The labelled values, a list for each kind.
 * @csspart requisite - One of them.
 * @csspart label - Its label.
 * @csspart value - Its value.
 * @csspart copy - Its copy button.
 * @csspart qr - The QR code.
 * @csspart qr-link - The link to the same address.
 * @csspart outcome - The statement of a screen that is one: paid, failed, expired and others.
 * @csspart actions - The links and buttons under it.
 * @csspart error - What went wrong.
 * @csspart footer - Around the footer's slot.
 *
 * @cssprop [--pay-invoice-accent] - Buttons, links and what is chosen.
 * @cssprop [--pay-invoice-accent-text] - Text on the accent.
 * @cssprop [--pay-invoice-text] - Text.
 * @cssprop [--pay-invoice-muted] - Text that matters less.
 * @cssprop [--pay-invoice-surface] - The background.
 * @cssprop [--pay-invoice-border] - Lines.
 * @cssprop [--pay-invoice-danger] - What went wrong.
 * @cssprop [--pay-invoice-success] - What went well.
 * @cssprop [--pay-invoice-radius=1rem] - The corners.
 * @cssprop [--pay-invoice-space=1rem] - The measure of all distances.
 * @cssprop [--pay-invoice-font=inherit] - The font family.
 * @cssprop [--pay-invoice-font-size=1rem] - The size of its text.
 */
export class PayInvoiceElement extends LitElement implements PayInvoiceOptions {
  static override readonly styles = [tokens, frame, controls, choosing, payment];

  // Without decorators, which would cost half a kilobyte.
  static override readonly properties = {
    endpoint: {},
    checkout: {},
    theme: { reflect: true, useDefault: true },
    method: {},
    phoneUrl: { attribute: 'phone-url' },
    pageTitle: { attribute: 'page-title', type: Boolean },
    initial: { attribute: false },
    messages: { attribute: false },
    transport: { attribute: false },
  };

  // Lit calls the controllers in this order: each reads what those above it have updated.
  readonly #session = new CheckoutSessionController(this, (event) => this.#emit(event));
  readonly #language = new LanguageController(this);
  readonly #countdown = new CountdownController(this, browserClock, {
    deadline: () => (this.#waiting?.verifyingExpiry ? undefined : this.#waiting?.deadline),
    onTick: () => this.#onTick(),
  });
  readonly #payment = new PaymentController(this, {
    clock: browserClock,
    pageLifecycle: browserPageLifecycle,
    waiting: () => this.#waiting,
    phoneUrl: () => this.#safePhoneUrl,
    emit: (event) => this.#emit(event),
    announceCopy: (ok) => this.#announceCopy(ok),
  });
  readonly #announcer = new AnnouncerController(this, () => ({
    state: this.state,
    remainingMs: this.#countdown.remainingMs,
    texts: this.#language.texts,
  }));
  readonly #focus = new FocusController(this, () => `${this.state.status} ${String(this.#waiting?.verifyingExpiry)}`);
  readonly #internals = this.attachInternals();
  #safePhoneUrl: string | undefined;
  #hydrating = false;

  /** Where the merchant's backend serves the checkout API. */
  endpoint = '/checkout';
  /** The capability that the merchant's server minted for the order. */
  checkout = '';
  /** `auto` follows the page's `color-scheme`. */
  theme: 'auto' | 'light' | 'dark' = 'auto';
  /** The id or the type of the payment method that is preselected when it is available. */
  method = '';
  /** The address at which this checkout opens on another device: a desktop offers it as a QR. Its query must not have the capability. */
  phoneUrl = '';
  /** While the page is in the background its title begins with the outcome. */
  pageTitle = false;
  /** The checkout as the page already has it: the first picture without a request. */
  initial: Checkout | undefined;
  /** The merchant's own wording. */
  messages: Partial<Messages> | undefined;
  /** Another way to reach the backend. */
  transport: CheckoutTransport | undefined;

  constructor() {
    super();
    new PageTitleController(this, () => this.#outcome);
  }

  static override get observedAttributes(): string[] {
    return [...super.observedAttributes, 'lang'];
  }

  /** What the widget knows now. */
  get state(): CheckoutState {
    return this.#session.state;
  }

  override attributeChangedCallback(name: string, old: string | null, value: string | null): void {
    super.attributeChangedCallback(name, old, value);
    if (name === 'lang') this.requestUpdate();
  }

  /** Asks the backend now; resolves when an answer came or the ask failed. */
  async refresh(): Promise<void> {
    await this.#session.session?.refresh();
  }

  /** Goes to the first control of the current view. */
  override focus(options?: FocusOptions): void {
    this.#focus.focusFirst(options);
  }

  protected override createRenderRoot(): HTMLElement | DocumentFragment {
    // Where the page does not hydrate, the server's markup is replaced.
    if (!('litElementHydrateSupport' in globalThis)) this.shadowRoot?.replaceChildren();
    return super.createRenderRoot();
  }

  /** Hydrates the server's markup as it is: in its language, and without knowledge of the device. */
  protected override async scheduleUpdate(): Promise<void> {
    this.#hydrating = !this.hasUpdated && this.renderRoot.hasChildNodes();
    if (this.#hydrating) {
      this.#language.hostUpdate();
      await this.#language.loaded;
    }
    await super.scheduleUpdate();
    if (this.#hydrating) this.requestUpdate();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    this.#session.apply(changed);
    if (changed.has('phoneUrl')) this.#safePhoneUrl = this.#checkPhoneUrl();
    if (!onServer) return;
    // The renderer of a server calls no controllers.
    this.#language.select([this.getAttribute('lang') ?? '']);
    this.#announcer.hostUpdate();
  }

  protected override updated(): void {
    const { texts } = this.#language;
    // An attribute that the page sets overrides these.
    this.#internals.role = 'region';
    this.#internals.ariaLabel = texts?.m.region ?? null;
    // Ahead of time: the QR encoder while the payer chooses, and Intl's slow first number during the first request.
    if (this.state.status === 'choosing') afterPaint(() => this.#payment.preload());
    else if (this.state.status === 'loading') afterPaint(() => texts?.money('0', null));
    if (texts) showTime(this.renderRoot, this.#countdown, texts);
  }

  get #waiting(): WaitingState | undefined {
    const { state } = this;
    return state.status === 'waiting' ? state : undefined;
  }

  /** The text of the outcome for the page's title. */
  get #outcome(): string {
    const { status } = this.state;
    const { texts } = this.#language;
    const isOutcome = status === 'paid' || status === 'failed' || status === 'expired';
    return this.pageTitle && texts && isOutcome ? texts.m[status] : '';
  }

  /** A tick of the countdown changes the displayed time and seldom anything else, so the widget is not rendered. */
  #onTick(): void {
    const { texts } = this.#language;
    if (!texts) return;
    this.#session.session?.checkSleep();
    showTime(this.renderRoot, this.#countdown, texts);
    const { text } = this.#announcer;
    this.#announcer.hostUpdate();
    if (text !== this.#announcer.text) this.requestUpdate();
  }

  #checkPhoneUrl(): string | undefined {
    const page = pageAddress();
    if (this.phoneUrl === '') return undefined;
    if (isSafeLink(this.phoneUrl, page, page)) return new URL(this.phoneUrl, page).href;
    this.#emit(new CheckoutErrorEvent(new CheckoutError('unsafe_link', 'phone-url', { field: 'phone-url' })));
    return undefined;
  }

  /** Dispatches an event once the change that it reports is rendered. */
  #emit(event: Event): void {
    void Promise.all([this.updateComplete, this.#language.loaded]).then(() => this.dispatchEvent(event));
  }

  readonly #handlers: Handlers = {
    select: (option) => {
      const allowed = this.dispatchEvent(new MethodSelectEvent(option));
      if (allowed) this.#session.session?.select(option.id);
      return allowed;
    },
    setAmount: (text) => this.#session.session?.setAmount(text),
    createInvoice: (event) => {
      event.preventDefault();
      this.#changeScreen('createInvoice');
    },
    dismissInvoice: () => this.#changeScreen('dismissInvoice'),
    resumeInvoice: () => this.#changeScreen('resumeInvoice'),
    retry: () => this.#changeScreen('retry'),
    refresh: () => void this.refresh(),
    print: () => print(),
    ...this.#payment.handlers,
  };

  #changeScreen(command: 'createInvoice' | 'dismissInvoice' | 'resumeInvoice' | 'retry'): void {
    this.#focus.expectChange();
    this.#session.session?.[command]();
  }

  #announceCopy(ok: boolean): void {
    const m = this.#language.texts?.m;
    if (m) this.#announcer.say(ok ? m.copied : m.copyFailed);
    this.requestUpdate();
  }

  #screen(): TemplateResult {
    const { state } = this;
    const { texts } = this.#language;
    if (texts === undefined)
      return html`<div part="header"></div>
        <div class="screen">${skeleton()}</div>`;
    return html`${header(state, this.#countdown.remainingMs !== undefined, texts)}
      <div class="screen">${screen(state, this.#payment.model(this.#hydrating), this.#handlers, texts)}</div>`;
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.#session.session === undefined) return nothing;
    const { texts } = this.#language;
    return html`<div part="base" lang=${texts?.language ?? nothing}>
      ${this.#screen()}
      <div part="footer"><slot name="footer"></slot></div>
      <p class="sr" role="status">${this.#announcer.text}</p>
    </div>`;
  }
}
