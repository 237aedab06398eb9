import { html, LitElement, nothing, type PropertyDeclaration, type PropertyValues, type TemplateResult } from 'lit';
import type { BankLinks } from '../base/bank-links.ts';
import { CheckoutError, type CheckoutState, type CheckoutTransport, type WaitingState } from '../core.ts';
import type { FirstFileTranslator, MessageOverrides } from '../i18n.ts';
import type { Checkout, CheckoutStatus } from '../checkout-api.ts';
import { LanguageController } from './controllers/language.ts';
import { SessionController } from './controllers/session-controller.ts';
import { browserClock } from '../client.ts';
import { PaymentScreensLoader } from './controllers/payment-screens-loader.ts';
import { QrController } from './controllers/qr.ts';
import type { PayInvoiceOptions } from './pay-invoice-options.ts';
import { ActionEvent, CheckoutErrorEvent, MethodSelectEvent } from './pay-invoice.events.ts';
import { CountdownController, header, timeLeft } from './screens/header.ts';
import { lateNote, optionsScreen, skeleton } from './screens/screens-before-invoice.ts';
import type { FirstFileHandlers, NamedMethod } from './screens/screen-props.ts';
import { findFirstControl } from './screens/shared-templates.ts';
import { waitingScreen } from './screens/waiting-screen.ts';
import { choosingStyles } from './styles/choosing-screen.styles.ts';
import { controlStyles } from './styles/controls.styles.ts';
import { customPropertyStyles } from './styles/custom-properties.styles.ts';
import { layoutStyles } from './styles/layout.styles.ts';
import { waitingStyles } from './styles/waiting-screen.styles.ts';

/** The defaults of the properties, as the constructor sets them. */
const defaults: Record<string, unknown> = {};

/** What a page sets where it has no value. */
const absent: readonly unknown[] = [undefined, null, '', NaN];

/** The functions without which a value of the page cannot be used: an endpoint is a text. */
const neededFunctions: Readonly<Record<string, readonly string[]>> = {
  endpoint: ['trim'],
  transport: ['read', 'createInvoice'] satisfies (keyof CheckoutTransport)[],
};

/**
 * A checkout in one tag: the payer chooses a method, gets requisites or a QR code, pays, and sees the result.
 *
 * @summary Shows the checkout of an order and follows its invoice until it is paid, failed or expired.
 *
 * @example
 * ```html
 * <script type="module" src="/pay-invoice.js"></script>
 * <pay-invoice endpoint="/checkout" checkout="chk_of_the_order" theme="auto"></pay-invoice>
 * ```
 *
 * @attr {string} status - Status of the checkout, for the page's styles: `pay-invoice[status=paid]`. The element sets it; a page only reads it.
 * @attr {number} heading-level - Level of the heading with the amount, from 1 to 6; those below it follow. Default: 2.
 * @attr {string} lang - Language of texts and numbers (BCP 47). Default, also for a value that is empty or no language: `lang` of the nearest ancestor, else the browser's language.
 *
 * @fires {CheckoutOutcomeEvent} pay-invoice-ready - Payment options or an invoice are shown for the first time.
 * @fires {MethodSelectEvent} pay-invoice-method-select - The payer chose a method. Cancelable: `preventDefault()` keeps the previous choice.
 * @fires {InvoiceEvent} pay-invoice-created - A new invoice arrived.
 * @fires {InvoiceEvent} pay-invoice-qr-shown - The QR code is painted. On a phone it is folded until the payer unfolds it.
 * @fires {CopiedEvent} pay-invoice-copied - A value was copied.
 * @fires {StatusEvent} pay-invoice-status - The status of the checkout changed.
 * @fires {CheckoutOutcomeEvent} pay-invoice-paid - The checkout is paid. Fires once each time the element loads a checkout, also one that was paid before.
 * @fires {CheckoutOutcomeEvent} pay-invoice-failed - The invoice failed. Fires again for each further invoice that fails.
 * @fires {CheckoutOutcomeEvent} pay-invoice-expired - The invoice expired. Fires again for each further invoice that expires.
 * @fires {ActionEvent} pay-invoice-action - The payer opened a link, saved the QR code, was shown help, copied a link, printed, or asked to check the payment.
 * @fires {CheckoutErrorEvent} pay-invoice-error - An error that the merchant should see, also for malformed data of the service.
 *
 * @slot logo - The shop's logo or name, above the amount.
 * @slot method-sbp - The logo of a payment method, in place of the icon. There is a slot for each type: `method-card`, `method-bank-transfer`.
 * @slot header - Above the description and the amount.
 * @slot order - The lines of the order, beside the screen where the element is wide; not shown where it is narrow.
 * @slot terms - Directly above the button that asks for requisites: an offer, a consent.
 * @slot footer - At the bottom.
 * @slot paid - Under the heading when the checkout is paid.
 * @slot receipt - Below the receipt of a paid checkout, such as who sells.
 * @slot failed - Under the heading when the invoice failed.
 * @slot closed - Inside the screen of a checkout that the shop has closed.
 * @slot expired - Under the heading when the invoice expired.
 * @slot support - How to reach the shop: on each screen where not all goes as it should.
 * @slot markup - What a server has rendered by `checkoutMarkup`. It is shown until the element can show all of it.
 * @slot fallback - Shown without JavaScript, or until the element is defined.
 *
 * @csspart base - The frame around the checkout.
 * @csspart header - Description, amount, test badge and remaining time.
 * @csspart amount - The heading with the amount.
 * @csspart badge - The badge of a test checkout.
 * @csspart timer - The remaining time.
 * @csspart progress - The bar of the remaining time.
 * @csspart methods - The payment methods.
 * @csspart method - One payment method.
 * @csspart banks - The banks of a payment method.
 * @csspart continue - The button that asks for requisites.
 * @csspart requisites - A list of labelled values, one for each kind of requisites.
 * @csspart requisite - One labelled value.
 * @csspart label - The label of a value.
 * @csspart value - The value.
 * @csspart copy - The copy button of a value.
 * @csspart qr - The QR code.
 * @csspart qr-link - The link to the address in the QR code.
 * @csspart outcome - The heading and text of a screen that shows a result: paid, failed, expired and others.
 * @csspart actions - The links and buttons under the outcome.
 * @csspart error - An error message.
 * @csspart title - The heading of a screen.
 * @csspart description - The description of the order.
 * @csspart note - A note inside a screen.
 * @csspart input - The field for an amount that the payer types.
 * @csspart button - Every secondary button.
 * @csspart footer - The container of the footer slot.
 *
 * @cssprop [--pay-invoice-accent] - Colour of buttons, as it is, and of links and the selected method, darker or lighter where it could not be read.
 * @cssprop [--pay-invoice-accent-text] - Colour of text on the accent. Default: white or black, whichever can be read.
 * @cssprop [--pay-invoice-text] - Colour of text.
 * @cssprop [--pay-invoice-muted] - Colour of secondary text.
 * @cssprop [--pay-invoice-surface] - Background colour.
 * @cssprop [--pay-invoice-border] - Colour of borders.
 * @cssprop [--pay-invoice-danger] - Colour of errors.
 * @cssprop [--pay-invoice-success] - Colour of success.
 * @cssprop [--pay-invoice-warning] - Colour of a lost connection, of the last minutes and of the test badge.
 * @cssprop [--pay-invoice-radius=1em] - Corner radius.
 * @cssprop [--pay-invoice-space=1em] - Base of all distances.
 * @cssprop [--pay-invoice-font=inherit] - Font family.
 * @cssprop [--pay-invoice-font-size=medium] - Font size. All measures follow it.
 */
export class PayInvoiceElement extends LitElement implements PayInvoiceOptions {
  static override readonly styles = [customPropertyStyles, layoutStyles, controlStyles, choosingStyles, waitingStyles];

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
    methodName: { attribute: false },
    bankLinks: { attribute: false },
    autoContinue: { attribute: 'auto-continue', type: Boolean },
    returnAfter: { attribute: 'return-after', type: Number },
    transport: { attribute: false },
  };

  readonly #emit = (event: Event): void => void this.#dispatchWhenRendered(event);
  readonly #onFileError = (cause: unknown): void =>
    this.#report('file', undefined, new CheckoutError('network', 'a file could not be loaded', { cause }));

  /** What has failed and has been reported: values of the page by their properties, and a file. */
  readonly #failed = new Map<string, unknown>();
  // Lit calls the controllers in this order. Each controller reads values that the controllers above it have updated.
  readonly #session = new SessionController(this, this.#emit);
  readonly #language = new LanguageController(
    this,
    browserClock,
    () => this.#callPage('messages', () => ({ ...this.messages })),
    this.#onFileError,
  );
  readonly #countdown = new CountdownController(this, browserClock, {
    deadline: () => (this.#waiting?.verifyingExpiry ? undefined : this.#waiting?.deadline),
    onTick: () => this.#onTick(),
  });
  readonly #qr = new QrController(this, {
    waiting: () => this.#waiting,
    isLate: () => this.#loader.isLate,
    emit: this.#emit,
  });
  readonly #handlers: FirstFileHandlers = {
    methodName: (method) => this.#callPage('methodName', () => this.#callMethodName(method)),
    select: (option) => {
      const isAllowed = this.dispatchEvent(new MethodSelectEvent(option));
      if (isAllowed) this.#session.session?.select(option.id);
      return isAllowed;
    },
    setAmount: (text) => {
      this.#loader.screens?.onAmountChange();
      this.#session.session?.setAmount(text, this.#texts?.money('10000.5', null).text);
    },
    checkAmount: () => void this.#loader.screens?.rejectsAmount(),
    createInvoice: (event) => {
      event.preventDefault();
      this.continue();
    },
    openLink: (toApp) => {
      this.dispatchEvent(new ActionEvent('link_open'));
      this.#loader.screens?.onLinkOpened(toApp);
    },
  };
  readonly #loader: PaymentScreensLoader = new PaymentScreensLoader(this, {
    session: () => this.#session.session,
    waiting: () => this.#waiting,
    texts: () => this.#language.texts,
    countdown: this.#countdown,
    qr: this.#qr,
    emit: this.#emit,
    onFileError: this.#onFileError,
    report: (...error) => this.#report(...error),
    handlers: this.#handlers,
    styles: PayInvoiceElement.styles,
  });
  /** Whether the server's markup in the tag is shown, and what it shows. */
  #showsMarkup = true;
  #markup: string | undefined;

  /** Address at which the merchant's backend serves the checkout API. */
  endpoint = '/checkout';
  /** The capability that the merchant's server created for the order. */
  checkout = '';
  /** Colour theme. `auto` follows the page's `color-scheme`. */
  theme: 'auto' | 'light' | 'dark' = 'auto';
  /** Id or type of the payment method to preselect, when it is available. */
  method = '';
  /** Address at which this checkout opens on another device. A desktop shows it as a QR code. Its query must not contain the capability. */
  phoneUrl = '';
  /** Prepends the outcome to the page's title while the page is in the background. */
  pageTitle = false;
  /** A checkout that the page already has. It is rendered without a request. */
  initial: Checkout | undefined;
  /** Texts that replace the element's own. */
  messages: MessageOverrides | undefined;
  /** The merchant's own name for a payment method; undefined for the one that the widget shows otherwise. */
  methodName: ((method: NamedMethod) => string | undefined) | undefined;
  /** The links of banks by name, for phones: each has `{link}` where the encoded payment link belongs, or `{path}` for what stands in it behind `https://`. At most six are shown. */
  bankLinks: BankLinks | undefined;
  /** Requests an invoice at once where exactly one method can be used, or the one in `method` can. Only while the page is visible, once. */
  autoContinue = false;
  /** Seconds after which a paid checkout goes to the success URL, with a countdown that the payer can stop; at least 20. 0 turns it off, and so does a frame, which only the payer’s tap leaves. */
  returnAfter = 0;
  /** Replaces HTTP as the way to reach the backend. */
  transport: CheckoutTransport | undefined;

  constructor() {
    super();
    // What the page had set before the element was defined would hide the getters.
    for (const name of ['state', 'status']) Reflect.deleteProperty(this, name);
    for (const name of Object.keys(PayInvoiceElement.properties)) defaults[name] = Reflect.get(this, name);
  }

  /**
   * A property that the page takes away (undefined, null, '' or NaN, which is no value of any of them) has its default again. So has one
   * without the functions that it needs, and the developer is told.
   */
  override requestUpdate(name?: PropertyKey, oldValue?: unknown, options?: PropertyDeclaration): void {
    const key = String(name);
    const value: unknown = Reflect.get(this, key);
    const isAbsent = absent.includes(value);
    const isWrong = neededFunctions[key]?.some((one) => typeof Reflect.get(Object(value), one) !== 'function');
    if (key in defaults && (isAbsent || isWrong) && value !== defaults[key]) {
      if (!isAbsent) this.#reportProperty(key);
      Reflect.set(this, key, defaults[key]);
    }
    super.requestUpdate(name, oldValue, options);
  }

  /** The current state of the checkout. */
  get state(): CheckoutState {
    return this.#session.state;
  }

  /** The status of the checkout; undefined before the first answer. The attribute `status` reflects it. */
  get status(): CheckoutStatus | undefined {
    const { state } = this;
    return 'checkout' in state ? state.checkout.status : undefined;
  }

  /** Does what the button "continue" does: requests an invoice for the selected method. For pages with a button of their own. */
  continue(): void {
    if (this.#loader.screens?.mayContinue() ?? true) this.#session.session?.createInvoice();
  }

  /** Reads the checkout from the backend now. Resolves when the read has succeeded or failed. */
  async refresh(): Promise<void> {
    await this.#session.session?.refresh();
  }

  /** Focuses the first control of the current screen. */
  override focus(options?: FocusOptions): void {
    findFirstControl(this.renderRoot)?.focus(options);
  }

  /** Lit's own adopts the sheets of this document, which throws in another one: the loader adopts them. */
  protected override createRenderRoot(): ShadowRoot {
    return this.attachShadow({ mode: 'open' });
  }

  /** Delays the first update until a preloaded response has come. The second file is requested meanwhile. */
  protected override async scheduleUpdate(): Promise<void> {
    if (!this.hasUpdated) {
      const { preloaded } = this.#session;
      if (preloaded) void this.#loader.load();
      await preloaded;
    }
    await super.scheduleUpdate();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    this.#session.apply(changed);
    const { status } = this;
    if (status === (this.getAttribute('status') ?? undefined)) return;
    if (status) this.setAttribute('status', status);
    else this.removeAttribute('status');
  }

  /**
   * The payer can pay by the server's markup in the tag: it stays until all can be rendered, or until it is no longer true. A program
   * that holds a control of it, as a test in a browser does, then looks for the one that is shown.
   */
  protected override update(changed: PropertyValues<this>): void {
    const { status } = this.state;
    const { screens } = this.#loader;
    const screen =
      status === 'loading' ? undefined : [status, this.#waiting?.invoice.id, this.#waiting?.verifyingExpiry].join();
    this.#markup ??= screen;
    const markup = this.querySelector(':scope > [slot=markup]');
    const isEnough = screen === this.#markup && !(screens && this.#language.isComplete);
    this.#showsMarkup &&= !!markup && (isEnough || screens?.takesOver(markup) === false);
    if (!this.#showsMarkup) markup?.remove();
    super.update(changed);
  }

  /**
   * Dispatches an event once the change that it reports is rendered. Only `ready` waits for files: the others are true without them.
   * Each event awaits as many values, so that events keep their order.
   */
  async #dispatchWhenRendered(event: Event): Promise<void> {
    const isReady = event.type === 'pay-invoice-ready';
    await this.updateComplete;
    await (isReady && this.#language.loaded);
    await (isReady && !this.#isShown && this.#loader.settled);
    await (isReady && this.updateComplete);
    this.dispatchEvent(event);
  }

  /** Whether the present screen is complete: without the second file, only the options and a QR or link to pay by are. */
  get #isShown(): boolean {
    const { nspk_url, payment_url } = this.#waiting?.invoice ?? {};
    return !!this.#loader.screens || this.state.status === 'choosing' || !!(nspk_url ?? payment_url);
  }

  get #texts(): FirstFileTranslator | undefined {
    return this.#loader.screens?.texts ?? this.#language.texts;
  }

  get #waiting(): WaitingState | undefined {
    const { state } = this;
    return state.status === 'waiting' ? state : undefined;
  }

  /** A tick of the countdown changes the displayed time and seldom anything else: the second file renders nothing else. */
  #onTick(): void {
    this.#session.session?.checkSleep();
    if (this.#loader.screens) this.#loader.screens.onTick();
    else this.requestUpdate();
  }

  /** Runs code of the page. What it throws costs only its result, and is reported once for each value of the property. */
  #callPage<T>(name: string, call: () => T): T | undefined {
    try {
      return call();
    } catch (cause) {
      this.#reportProperty(name, cause);
      return undefined;
    }
  }

  /** Reports a value of the page that cannot be used. */
  #reportProperty(name: string, cause?: unknown): void {
    this.#report(name, Reflect.get(this, name), new CheckoutError('malformed', name, { field: name, cause }));
  }

  /** Reports an error once for each value that causes it. */
  #report(name: string, value: unknown, error: CheckoutError): void {
    if (this.#failed.has(name) && this.#failed.get(name) === value) return;
    this.#failed.set(name, value);
    // eslint-disable-next-line no-console -- a mistake of the page, which its developer has to see
    if (name !== 'file') console.warn('<pay-invoice>', error);
    this.#emit(new CheckoutErrorEvent(error));
  }

  #callMethodName(method: NamedMethod): string | undefined {
    const name: unknown = this.methodName?.(method);
    if (name === undefined || typeof name === 'string') return name;
    throw new TypeError(`a name is a ${typeof name}`);
  }

  #screen(): TemplateResult {
    const texts = this.#texts;
    if (texts === undefined)
      return html`<div part="header">
          <slot name="logo"></slot>
          <div class="summary"></div>
        </div>
        <div class="screen">${skeleton()}</div>`;
    const { state } = this;
    const { screens, isLate } = this.#loader;
    const isPaymentAwaited = state.status === 'waiting' && !state.verifyingExpiry;
    const more = state.status === 'choosing' ? screens?.choosingAdditions(state) : undefined;
    const added = isPaymentAwaited ? screens?.additions(state) : undefined;
    const time = isPaymentAwaited ? html`${timeLeft(this.#countdown, texts)}${added?.timeBar}` : nothing;
    const late = isLate ? lateNote(texts) : undefined;
    const pending = late ?? skeleton();
    const own = screens?.screen();
    const screen =
      own ??
      (isPaymentAwaited
        ? waitingScreen(state, this.#qr, pending, added, this.#handlers, texts)
        : optionsScreen(state, this.#handlers, texts, more, pending, late));
    return html`${header(state, time, texts)}
      <div class="screen">${screen}<slot name="support" ?hidden=${!(screens?.needsHelp(own) ?? isLate)}></slot></div>
      ${added?.follow}`;
  }

  protected override render(): TemplateResult | typeof nothing {
    if (!this.#session.session) return nothing;
    const texts = this.#texts;
    if (this.#showsMarkup) return html`<slot name="markup"></slot>`;
    return html`<div class="container">
      <div part="base" lang=${texts?.language ?? nothing} dir=${texts?.direction ?? nothing}>
        ${this.#screen()}
        <div part="footer"><slot name="footer"></slot></div>
        <p class="sr" role="status"></p>
      </div>
    </div>`;
  }
}
