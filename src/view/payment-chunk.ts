// The widget's second file, requested together with the first response: the session of a checkout (create requests,
// polling, deadlines), and the screens of an invoice and its outcome with their texts and styles.
import { html, nothing, type LitElement, type ReactiveController, type TemplateResult } from 'lit';
import {
  browserClock,
  browserPageLifecycle,
  browserPorts,
  continueRead,
  pageAddress,
  type FirstRead,
} from '../client.ts';
import {
  createSession,
  type CheckoutSession,
  type CheckoutState,
  type CheckoutTransport,
  type CreatingState,
  type SessionOptions,
  type WaitingState,
} from '../core.ts';
import { completeTranslator, type OptionsTranslator, type Translator } from '../i18n.ts';
import { waitForPaint } from './wait-for-paint.ts';
import { loadAutoContinueAndReturn } from './auto-continue-and-return/load-auto-continue-and-return.ts';
import type { ReturnCountdown } from './auto-continue-and-return/auto-continue-and-return.ts';
import { CountdownController } from './controllers/countdown-timer.ts';
import { CheckPaymentNowController } from './controllers/check-payment-now.ts';
import { outcomeTitle, PageTitleController } from './controllers/page-title.ts';
import { AnnouncerController } from './controllers/screen-reader-announcer.ts';
import { WaitingScreenController } from './controllers/waiting-screen-controller.ts';
import { isServerRendering } from './is-server-rendering.ts';
import { waitingInvoiceStorage } from './waiting-invoice-storage.ts';
import { ActionEvent } from './payment-chunk.events.ts';
import { orderDetails } from './screens/order-details.ts';
import { timeIsUpScreen } from './screens/outcome-screen.ts';
import { renderExampleInvoice } from './screens/warm-up-render.ts';
import { screenForState } from './screens/screen-for-state.ts';
import type { Handlers, OptionsHandlers, PaymentScreenProps } from './screens/screen-props.ts';
import { showTime, timeLeft, waitingNote } from './screens/countdown-template.ts';

export { toDomEvent } from './payment-chunk.events.ts';
export { paymentStyles } from './styles/waiting-screen.styles.ts';

export interface SessionSource extends SessionOptions {
  readonly transport: CheckoutTransport | undefined;
  /** A read that began before the session. The session uses it as its first read. */
  readonly first: FirstRead | undefined;
}

/** A session of the checkout at an address of the backend, or of the page's own transport. */
export function openSession(
  address: { readonly endpoint: string; readonly checkout: string },
  { transport, first, ...options }: SessionSource,
): CheckoutSession {
  const ports = browserPorts(address, transport && { transport });
  const loaded = first?.response();
  if (!first || loaded) return createSession(ports, { ...options, loaded });
  return createSession({ ...ports, transport: continueRead(first, ports.transport) }, options);
}

/** The members of the element that the payment chunk uses. */
export interface PaymentChunkHost extends LitElement {
  readonly state: CheckoutState;
  readonly method: string;
  readonly phoneUrl: string;
  /** Whether the outcome is put in front of the page's title. */
  readonly pageTitle: boolean;
  readonly autoContinue: boolean;
  /** In seconds; 0 turns it off. */
  readonly returnAfter: number;
  refresh(): Promise<void>;
}

/** What the payment chunk needs besides the element's public members. */
export interface PaymentChunkOptions {
  readonly session: () => CheckoutSession | undefined;
  readonly texts: () => OptionsTranslator | undefined;
  /** Whether the render must be that of a server: it runs on a server, or has to match a server's markup. */
  readonly asOnServer: () => boolean;
  /** The markup that a server rendered. The QR in it is reused. */
  readonly markup: ParentNode | undefined;
  /** Dispatches an event once the change that it reports is rendered. */
  readonly emit: (event: Event) => void;
  readonly handlers: OptionsHandlers;
  /** Call it when the payer did something that changes the screen. It moves the focus to the new screen. */
  readonly onScreenChange: () => void;
}

/** The screens of an invoice and its outcome, and all that runs beside them: time, announcements, title, QR, copying. */
export class PaymentChunk implements ReactiveController {
  readonly #host: PaymentChunkHost;
  readonly #options: PaymentChunkOptions;
  readonly #countdown: CountdownController;
  readonly #waitingScreen: WaitingScreenController;
  readonly #announcer: AnnouncerController;
  readonly #check: CheckPaymentNowController;
  readonly #handlers: Handlers;
  #returnCountdown: ReturnCountdown | undefined;
  /** Whether the file of `auto-continue` and `return-after` is loaded or being loaded. */
  #stepsRequested = false;
  /** Whether the screen asks the payer if the money was already sent, before it requests a new invoice. */
  #confirming = false;
  /** The last value in `waitingInvoiceStorage`; undefined before the first render. */
  #storedIsWaiting: boolean | undefined;
  /** Whether the screen of an example invoice was rendered. A server need not render it. */
  #isPrerendered = isServerRendering;
  #texts: Translator | undefined;
  #optionsTexts: OptionsTranslator | undefined;

  constructor(host: PaymentChunkHost, options: PaymentChunkOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
    // Lit calls the controllers in this order. Each controller reads values that the controllers above it have updated.
    this.#countdown = new CountdownController(host, browserClock, {
      deadline: () => (this.#waiting?.verifyingExpiry ? undefined : this.#waiting?.deadline),
      isRendered: options.asOnServer,
      onTick: () => this.#onTick(),
    });
    this.#waitingScreen = new WaitingScreenController(host, {
      clock: browserClock,
      pageLifecycle: browserPageLifecycle,
      waiting: () => this.#waiting,
      phoneUrl: () => host.phoneUrl,
      page: pageAddress(),
      emit: options.emit,
      announce: (text) => this.#announce(text),
    });
    if (options.markup) this.#waitingScreen.adopt(options.markup);
    this.#announcer = new AnnouncerController(host, () => ({
      state: host.state,
      remainingMs: this.#countdown.remainingMs,
      texts: this.texts,
    }));
    this.#check = new CheckPaymentNowController(host, {
      clock: browserClock,
      state: () => host.state,
      texts: () => this.texts,
      refresh: () => {
        options.onScreenChange();
        return host.refresh();
      },
      announce: (text) => this.#announcer.announce(text),
    });
    new PageTitleController(host, () => (host.pageTitle ? outcomeTitle(host.state, this.texts) : ''));
    this.#handlers = this.#createHandlers();
  }

  /** The texts of all screens, in the language of the element. */
  get texts(): Translator | undefined {
    const optionsTexts = this.#options.texts();
    if (optionsTexts !== this.#optionsTexts) this.#texts = optionsTexts && completeTranslator(optionsTexts);
    this.#optionsTexts = optionsTexts;
    return this.#texts;
  }

  /** The text of the live region. */
  get announcement(): string {
    return this.#announcer.text;
  }

  /** Distinguishes screens of the same state; empty for most screens. */
  get screenName(): string {
    return `${this.#waiting?.verifyingExpiry ? 'checking' : ''}${this.#confirming ? 'confirming' : ''}`;
  }

  get #waiting(): WaitingState | undefined {
    const { state } = this.#host;
    return state.status === 'waiting' ? state : undefined;
  }

  hostUpdate(): void {
    const { status } = this.#host.state;
    this.#confirming &&= status === 'expired' || !!this.#waiting?.verifyingExpiry;
  }

  /** Updates the controllers on a server, whose renderer does not do so. */
  updateOnServer(): void {
    for (const controller of [this.#countdown, this.#waitingScreen, this.#announcer]) controller.hostUpdate();
  }

  hostUpdated(): void {
    const { state } = this.#host;
    if (state.status === 'creating' && !this.#isPrerendered) this.#prerender(state).catch(() => undefined); // only saves time
    this.#storeIsWaiting(this.#waiting?.invoice.nspk_url !== undefined);
    if (this.texts) showTime(this.#host.renderRoot, this.#countdown, this.texts);
    if (!this.#stepsRequested && (this.#host.autoContinue || this.#host.returnAfter > 0)) void this.#loadSteps();
  }

  /** After the paint, stores whether an invoice is waiting: the first access to the storage takes as long as a render. */
  #storeIsWaiting(isWaiting: boolean): void {
    if (isWaiting !== this.#storedIsWaiting) void waitForPaint().then(() => waitingInvoiceStorage.set(isWaiting));
    this.#storedIsWaiting = isWaiting;
  }

  /** Renders the screen of an example invoice while the request for the first invoice is under way. */
  async #prerender(state: CreatingState): Promise<void> {
    this.#isPrerendered = true;
    await waitForPaint();
    if (this.texts) renderExampleInvoice(state, this.#props(this.texts), this.#handlers, this.texts);
  }

  /** What the header shows below the amount: the order, and the time left to pay. */
  headerContent(): TemplateResult | typeof nothing {
    const { texts } = this;
    if (!texts) return nothing;
    const isPaymentAwaited = this.#waiting && !this.#waiting.verifyingExpiry;
    return html`${orderDetails(this.#host.state, texts)}
    ${isPaymentAwaited ? html`${timeLeft(this.#countdown, texts)} ${waitingNote(texts)}` : nothing}`;
  }

  #props(texts: Translator): PaymentScreenProps {
    return {
      ...this.#waitingScreen.props(this.#options.asOnServer()),
      isChecking: this.#check.isRunning,
      checkResult: this.#check.result,
      returnCountdown: this.#returnCountdown?.template(texts),
    };
  }

  screen(): TemplateResult | undefined {
    const { texts } = this;
    if (!texts) return undefined;
    const { state } = this.#host;
    const props = this.#props(texts);
    return this.#confirming && (state.status === 'waiting' || state.status === 'expired')
      ? timeIsUpScreen(texts.m.alreadySent, texts.m.notSent, state, props, this.#handlers, texts)
      : screenForState(state, props, this.#handlers, texts);
  }

  /** A tick of the countdown changes the displayed time and seldom anything else, so the widget is not rendered. */
  #onTick(): void {
    if (!this.texts) return;
    this.#options.session()?.checkSleep();
    showTime(this.#host.renderRoot, this.#countdown, this.texts);
    this.#announcer.announceTime();
  }

  #announce(textIn: (texts: Translator) => string): void {
    if (this.texts) this.#announcer.announce(textIn(this.texts));
  }

  /** The URL that a paid checkout opens without a click; undefined for none. */
  get #returnUrl(): string | undefined {
    const { state, returnAfter } = this.#host;
    if (state.status !== 'paid' || !(returnAfter > 0)) return undefined;
    return state.checkout.return_urls.success_url ?? undefined;
  }

  /** Loads what only pages with `auto-continue` or `return-after` need. After a failure, the next render loads it again. */
  async #loadSteps(): Promise<void> {
    this.#stepsRequested = true;
    const steps = await loadAutoContinueAndReturn().catch(() => undefined);
    this.#stepsRequested = steps !== undefined;
    if (!steps) return;
    const host = this.#host;
    let wasUnpaid = false;
    new steps.AutoContinueController(host, this.#options.session);
    this.#returnCountdown = new steps.ReturnCountdown(host, {
      clock: browserClock,
      // A payer who returns by the Back button to a checkout that is already paid is not sent away again.
      url: () => {
        wasUnpaid ||= 'checkout' in host.state && host.state.status !== 'paid';
        return steps.cameBack() && !wasUnpaid ? undefined : this.#returnUrl;
      },
      seconds: () => host.returnAfter,
      isVisible: () => browserPageLifecycle.isVisible(),
      announce: (text) => this.#announce(text),
      go: (url) => location.assign(url),
    });
    host.requestUpdate();
  }

  #changeScreen(command?: 'dismissInvoice' | 'retry'): void {
    this.#options.onScreenChange();
    if (command) this.#options.session()?.[command]();
  }

  #createHandlers(): Handlers {
    const { handlers } = this.#options;
    return {
      ...handlers,
      dismissInvoice: () => this.#changeScreen('dismissInvoice'),
      retry: () => {
        this.#confirming = !this.#confirming && this.#host.state.status !== 'failed';
        this.#changeScreen(this.#confirming ? undefined : this.#waiting ? 'dismissInvoice' : 'retry');
      },
      refresh: () => {
        this.#confirming = false;
        // Without an invoice the same button only repeats a request.
        if ('invoice' in this.#host.state) this.#host.dispatchEvent(new ActionEvent('check'));
        void this.#check.start();
      },
      print: () => {
        this.#host.dispatchEvent(new ActionEvent('print'));
        print();
      },
      ...this.#waitingScreen.handlers,
    };
  }
}
