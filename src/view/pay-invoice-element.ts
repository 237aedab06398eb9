import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { browserPageLifecycle, browserClock, browserPorts, pageAddress, decodeInitialCheckout } from '../client.ts';
import { CheckoutError, createSession, isSafeLink } from '../core.ts';
import type { CheckoutSession, CheckoutState, CheckoutTransport } from '../core.ts';
import type { Messages } from '../i18n.ts';
import type { Checkout } from '../protocol.ts';
import { afterPaint } from './after-paint.ts';
import { Announcer } from './controllers/announcer.ts';
import { Countdown } from './controllers/countdown.ts';
import { FocusMover } from './controllers/focus.ts';
import { Language } from './controllers/language.ts';
import { PageTitle } from './controllers/page-title.ts';
import { Paying } from './controllers/payment.ts';
import type { Handlers } from './handlers.ts';
import { CheckoutErrorEvent, MethodSelectEvent, toDomEvent } from './pay-invoice.events.ts';
import { onServer } from './on-server.ts';
import { header, showTime } from './screens/header.ts';
import { skeleton } from './screens/opening.ts';
import { screen } from './screens/screen.ts';
import { styles } from './styles/pay-invoice.styles.ts';

/** What leads to another checkout or another way to it. */
const reopening = ['endpoint', 'checkout', 'transport'] as const;

/** Without a checkout nothing is known, and nothing is asked. */
const idle: CheckoutState = { status: 'loading', connection: { failures: 0, error: undefined } };

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
export class PayInvoiceElement extends LitElement {
  static override readonly styles = styles;

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

  readonly #language = new Language(this);
  readonly #countdown = new Countdown(this, browserClock, () => this.#tick());
  readonly #paying = new Paying(this, {
    clock: browserClock,
    attention: browserPageLifecycle,
    tell: (event) => this.#tell(event),
    sayCopied: (ok) => this.#sayCopied(ok),
  });
  readonly #title = new PageTitle(this);
  readonly #announcer = new Announcer();
  readonly #focus = new FocusMover(this);
  #session: CheckoutSession | undefined;
  #phoneLink: string | undefined;
  #named: string | null = null;
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

  static override get observedAttributes(): string[] {
    return [...super.observedAttributes, 'lang'];
  }

  /** What the widget knows now. */
  get state(): CheckoutState {
    return this.#session?.getState() ?? idle;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.requestUpdate();
    this.#session?.start();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#session?.stop();
  }

  override attributeChangedCallback(name: string, old: string | null, value: string | null): void {
    super.attributeChangedCallback(name, old, value);
    if (name === 'lang') this.requestUpdate();
  }

  /** Asks the backend now; resolves when an answer came or the ask failed. */
  async refresh(): Promise<void> {
    await this.#session?.refresh();
  }

  /** Goes to the first control of the current view. */
  override focus(options?: FocusOptions): void {
    this.#focus.first()?.focus(options);
  }

  protected override createRenderRoot(): HTMLElement | DocumentFragment {
    // Where the page cannot take over what a server has rendered, it is replaced.
    if (!('litElementHydrateSupport' in globalThis)) this.shadowRoot?.replaceChildren();
    return super.createRenderRoot();
  }

  /** What a server has rendered is taken over as it is: in its language, and as if the device were not known. */
  protected override async scheduleUpdate(): Promise<void> {
    this.#hydrating = !this.hasUpdated && this.renderRoot.hasChildNodes();
    if (this.#hydrating) {
      this.#language.follow(this.messages);
      await this.#language.loaded;
    }
    await super.scheduleUpdate();
    if (this.#hydrating) this.requestUpdate();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!this.hasUpdated || reopening.some((name) => changed.has(name))) this.#open();
    else {
      const picture = changed.has('initial') && this.#newPicture();
      if (picture) this.#session?.hydrate(picture);
      if (changed.has('method')) this.#session?.prefer(this.method);
    }
    if (changed.has('phoneUrl')) this.#phoneLink = this.#vetPhoneUrl();
    this.#language.follow(this.messages);
    this.#focus.before();

    const { state } = this;
    const waiting = state.status === 'waiting' ? state : undefined;
    this.#countdown.follow(waiting?.verifyingExpiry ? undefined : waiting?.deadline);
    this.#paying.follow(waiting, this.#phoneLink);
    if (this.#language.texts) this.#announcer.look(state, this.#countdown.left, this.#language.texts);
  }

  protected override updated(): void {
    const { state } = this;
    this.#name();
    const texts = this.#language.texts;
    this.#title.show(
      this.pageTitle && texts && (state.status === 'paid' || state.status === 'failed' || state.status === 'expired')
        ? texts.m[state.status]
        : '',
    );
    this.#focus.after(state.status === 'waiting' ? `waiting ${String(state.verifyingExpiry)}` : state.status);
    // While the payer chooses, the encoder comes; while the first answer does, the first number is written, which is slow.
    if (state.status === 'choosing') afterPaint(() => this.#paying.preload());
    else if (state.status === 'loading') afterPaint(() => texts?.money('0', null));
    if (texts) showTime(this.renderRoot, this.#countdown, texts);
  }

  /** A second that passes changes the time and little else. */
  #tick(): void {
    const { texts } = this.#language;
    if (!texts) return;
    this.#session?.checkSleep();
    showTime(this.renderRoot, this.#countdown, texts);
    if (this.#announcer.look(this.state, this.#countdown.left, texts)) this.requestUpdate();
  }

  #vetPhoneUrl(): string | undefined {
    const page = pageAddress();
    if (this.phoneUrl === '') return undefined;
    if (isSafeLink(this.phoneUrl, page, page)) return new URL(this.phoneUrl, page).href;
    this.#tell(new CheckoutErrorEvent(new CheckoutError('unsafe_link', 'phone-url', { field: 'phone-url' })));
    return undefined;
  }

  /** Begins anew with another checkout, or with another way to it. */
  #open(): void {
    this.#session?.stop();
    this.#session = undefined;
    const { endpoint, checkout, transport, method } = this;
    if (checkout === '' && transport === undefined) {
      // eslint-disable-next-line no-console -- a mistake in the page's markup, which its developer has to hear of
      console.error('<pay-invoice> needs a checkout attribute');
      return;
    }
    const ports = browserPorts({ endpoint, checkout }, transport && { transport });
    const session = createSession(ports, { initial: this.#newPicture(), preferred: method });
    session.subscribe(() => this.requestUpdate());
    session.onEvent((event) => {
      if (session === this.#session) this.#tell(toDomEvent(event));
    });
    this.#session = session;
    if (this.isConnected) session.start();
  }

  /** `initial`, or the JSON inside the tag, when it is of this checkout and newer than what is known. */
  #newPicture(): Checkout | undefined {
    const known = 'checkout' in this.state ? this.state.checkout : undefined;
    const json = onServer ? undefined : this.querySelector(':scope > script[type="application/json"]')?.textContent;
    if (this.initial === undefined && json == null) return undefined;
    try {
      const picture = decodeInitialCheckout(this.initial ?? json);
      if (picture.id !== (this.checkout || (known?.id ?? picture.id))) return undefined;
      return known && Date.parse(picture.server_time) <= Date.parse(known.server_time) ? undefined : picture;
    } catch (thrown) {
      this.#tell(new CheckoutErrorEvent(CheckoutError.from(thrown)));
      return undefined;
    }
  }

  /** Tells the page once what it is told of is on the screen. */
  #tell(event: Event): void {
    void Promise.all([this.updateComplete, this.#language.loaded]).then(() => this.dispatchEvent(event));
  }

  /** The host is a region with a name, unless the page gave it another role or name. */
  #name(): void {
    const { texts } = this.#language;
    if (!this.hasAttribute('role')) this.setAttribute('role', 'region');
    if (texts === undefined || this.getAttribute('aria-label') !== this.#named) return;
    this.#named = texts.m.region;
    this.setAttribute('aria-label', this.#named);
  }

  readonly #on: Handlers = {
    select: (option) => {
      const allowed = this.dispatchEvent(new MethodSelectEvent(option));
      if (allowed) this.#session?.select(option.id);
      return allowed;
    },
    type: (text) => this.#session?.setAmount(text),
    proceed: (event) => {
      event.preventDefault();
      this.#act('createInvoice');
    },
    leave: () => this.#act('dismissInvoice'),
    resume: () => this.#act('resumeInvoice'),
    retry: () => this.#act('retry'),
    refresh: () => void this.refresh(),
    print: () => print(),
    ...this.#paying.on,
  };

  #act(command: 'createInvoice' | 'dismissInvoice' | 'resumeInvoice' | 'retry'): void {
    this.#focus.acted();
    this.#session?.[command]();
  }

  #sayCopied(ok: boolean): void {
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
    return html`${header(state, this.#countdown.left !== undefined, texts)}
      <div class="screen">${screen(state, this.#paying.model(this.#hydrating), this.#on, texts)}</div>`;
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.#session === undefined) return nothing;
    const { texts } = this.#language;
    return html`<div part="base" lang=${texts?.language ?? nothing}>
      ${this.#screen()}
      <div part="footer"><slot name="footer"></slot></div>
      <p class="sr" role="status">${this.#announcer.text}</p>
    </div>`;
  }
}
