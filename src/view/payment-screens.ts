// The widget's second file, requested together with the first response: requisites, outcomes, and what the widget does beside
// the first file's screens, with their texts and styles.
import type { ReactiveController, TemplateResult } from 'lit';
import { browserClock, browserPageLifecycle, pageAddress } from '../client.ts';
import { CheckoutError, type ChoosingState, type WaitingState } from '../core.ts';
import { completeTranslator, type FirstFileTranslator, type Translator } from '../i18n.ts';
import { AppLaunch } from './controllers/app-launch.ts';
import { BankTilesLoader } from './controllers/bank-tiles-loader.ts';
import { CopyController } from './controllers/copying.ts';
import { CreatingTime } from './controllers/creating-time.ts';
import { EncodedQrController } from './controllers/encoded-qr.ts';
import { FocusController } from './controllers/focus.ts';
import { MerchantReportsController, safePhoneUrl } from './controllers/merchant-reports.ts';
import { loadRarelyNeeded, QrSaver } from './controllers/qr-saver.ts';
import { PlaceInPageController } from './controllers/place-in-page.ts';
import { CheckPaymentNowController } from './controllers/payment-check.ts';
import { cameBack, ReturnCountdown } from './controllers/return-countdown.ts';
import { AnnouncerController } from './controllers/screen-reader-announcer.ts';
import { VisiblePageController } from './controllers/visible-page.ts';
import { ActionEvent, CopiedEvent } from './pay-invoice.events.ts';
import { isInFrame, leaveFrame } from './leave-frame.ts';
import type { PaymentScreensHost, PaymentScreensOptions } from './payment-screens-options.ts';
import { needsHelp, secondFileScreen } from './screens/outcome-screen.ts';
import type { ChoosingAdditions } from './screens/screens-before-invoice.ts';
import { amountErrorText } from './screens/payment-texts.ts';
import { showTime } from './screens/time-bar.ts';
import { choosingAdditions, waitingAdditions } from './screens/choosing-and-waiting-additions.ts';
import type { Copyable, Handlers, PaymentScreenProps } from './screens/screen-props.ts';
import type { WaitingAdditions } from './screens/waiting-screen.ts';
import { takeOverMarkup } from './take-over-markup.ts';

export { paymentStyles } from './styles/payment-screens.styles.ts';

/** Tells the page that it has loaded the widget twice. */
export const reportSecondCopy = async (): Promise<void> => (await loadRarelyNeeded()).reportSecondCopy();

/** A payer needs this long, in seconds, to read that the page goes back to the shop, and to stop it. */
const leastReturnSeconds = 20;

/** How often it is looked whether a press in the server's markup has ended, in ms. */
const pressMs = 50;

/** A text of the page, or its forms. Of another type, it has no method of a text. */
interface OwnText {
  readonly trim?: unknown;
  readonly other?: OwnText;
}

/** The screens of the second file, and all that runs beside them: announcements, title, copying, checks, the return. */
export class PaymentScreens implements ReactiveController {
  readonly #host: PaymentScreensHost;
  readonly #options: PaymentScreensOptions;
  readonly #focus: FocusController;
  readonly #copy: CopyController;
  readonly #appLaunch: AppLaunch;
  readonly #announcer: AnnouncerController;
  readonly #creatingTime: CreatingTime;
  readonly #encodedQr: EncodedQrController;
  readonly #qrSaver: QrSaver;
  readonly #banks: BankTilesLoader;
  readonly #check: CheckPaymentNowController;
  readonly #returnCountdown: ReturnCountdown;
  readonly #handlers: Handlers;
  #invoiceId: string | undefined;
  /** Whether the screen asks the payer if the money was already sent, before it requests a new invoice. */
  #confirming = false;
  #wasUnpaid = false;
  /** Whether the payer has left the field for the amount, or pressed the button, since the amount was changed. */
  #isAmountChecked = false;
  /** The last invoice that was shown without requisites. */
  #invoiceWithoutRequisites: string | undefined;
  #texts: Translator | undefined;
  #firstFileTexts: FirstFileTranslator | undefined;

  constructor(host: PaymentScreensHost, options: PaymentScreensOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
    // Lit calls the controllers in this order. Each controller reads values that the controllers above it have updated.
    new MerchantReportsController(host, options.emit);
    new PlaceInPageController(host, () => this.texts?.m('widget.name'));
    this.#focus = new FocusController(host, () => `${host.state.status} ${this.#screenName}`);
    this.#encodedQr = new EncodedQrController(host, {
      clock: browserClock,
      qr: options.qr,
      waiting: options.waiting,
      otherDeviceUrl: () => this.#otherDeviceUrl,
      emit: options.emit,
      onMissing: () => this.#announce(({ m }) => m('file-late.title')),
    });
    this.#qrSaver = new QrSaver(host, options.qr, (picture) =>
      this.#announce(({ m }) => m(picture ? 'qr.save-by-press' : 'qr.save-by-screenshot')),
    );
    this.#copy = new CopyController(host, browserClock);
    this.#appLaunch = new AppLaunch(host, browserClock, browserPageLifecycle, () => void this.#showHelp());
    this.#creatingTime = new CreatingTime(host, browserClock, () => host.state.status === 'creating');
    this.#banks = new BankTilesLoader(host, () => options.handlers.openLink(true), options.emit);
    this.#check = new CheckPaymentNowController(host, {
      state: () => host.state,
      texts: () => this.texts,
      check: () => {
        this.#focus.expectChange();
        return options.session()?.refresh(true) ?? Promise.resolve();
      },
      announce: (text) => this.#announcer.announce(text),
    });
    new VisiblePageController(host, {
      session: options.session,
      texts: () => this.texts,
      isTouch: () => options.qr.touch,
    });
    this.#returnCountdown = new ReturnCountdown(host, {
      clock: browserClock,
      url: () => {
        const { state, returnAfter } = host;
        // A payer who returns by the Back button to a checkout that is already paid is not sent away again.
        // Only the payer's tap leaves a frame.
        const isDue = state.status === 'paid' && returnAfter > 0 && !isInFrame() && (this.#wasUnpaid || !cameBack());
        return isDue ? (state.checkout.return_urls.success_url ?? undefined) : undefined;
      },
      seconds: () => Math.max(leastReturnSeconds, host.returnAfter),
      isVisible: () => browserPageLifecycle.isVisible(),
      go: (url) => location.assign(url),
    });
    this.#announcer = new AnnouncerController(host, browserClock, () => ({
      state: host.state,
      remainingMs: options.countdown.remainingMs,
      returnSeconds: this.#returnCountdown.secondsLeft,
      isCheckShown: this.#check.isRunning || this.#check.result !== '',
      texts: this.texts,
    }));
    this.#handlers = this.#createHandlers();
    if (isInFrame()) host.addEventListener('click', (event) => leaveFrame(event, host.renderRoot));
  }

  /** The texts of all screens, in the language of the element. */
  get texts(): Translator | undefined {
    const texts = this.#options.texts();
    if (texts !== this.#firstFileTexts) {
      this.#texts = texts && completeTranslator(texts);
      const [ownTexts = {}, ...known] = this.#texts?.catalogues ?? [];
      // A number, a promise or a map has no keys to look at; a list and a text have one for each element.
      const type = {}.toString.call(this.#host.messages);
      const pageTexts = /Obj|Mod|Und/.test(type) ? ownTexts : { [type]: '' };
      for (const [key, text] of Object.entries<OwnText | null | undefined>(pageTexts))
        if (!(text?.other ?? text ?? '').trim || !known.some((catalogue) => catalogue && key in catalogue))
          this.#reportText(key);
    }
    this.#firstFileTexts = texts;
    return this.#texts;
  }

  /** Reports the key of a text of the page that is not known or no text, or the type of `messages` that are no texts. */
  #reportText(key: string): void {
    const error = new CheckoutError('malformed', `messages: ${key}`, { field: 'messages' });
    this.#options.report(key, undefined, error);
  }

  /** Distinguishes screens of the same state; empty for most screens. */
  get #screenName(): string {
    return `${this.#options.waiting()?.verifyingExpiry ? 'checking' : ''}${this.#confirming ? 'confirming' : ''}`;
  }

  hostUpdate(): void {
    const { state } = this.#host;
    this.#wasUnpaid ||= 'checkout' in state && state.status !== 'paid';
    const waiting = this.#options.waiting();
    this.#confirming &&= state.status === 'expired' || !!waiting?.verifyingExpiry;
    const invoice = waiting?.invoice;
    const id = invoice?.id;
    if (invoice && !waiting.verifyingAmount && !(invoice.sbp ?? invoice.card ?? invoice.bank_transfer))
      this.#invoiceWithoutRequisites = id;
    if (id === this.#invoiceId) return;
    this.#invoiceId = id;
    this.#appLaunch.hostDisconnected();
  }

  /**
   * `heading-level` is the level of the first heading; the headings below it follow. The page's picture of a method leaves its slot
   * where it cannot be loaded.
   */
  hostUpdated(): void {
    this.#showTime();
    for (const image of this.#host.querySelectorAll<HTMLImageElement>('img[slot^=method]'))
      image.decode().catch(() => (image.slot = ''));
    const level = Number(this.#host.getAttribute('heading-level'));
    if (level > 0)
      for (const heading of this.#host.renderRoot.querySelectorAll('h2, h3, h4'))
        heading.ariaLevel = `${level + Number(heading.tagName[1]) - 2}`;
  }

  /**
   * Call it when the payer opened a link. Only an app opens immediately: a payment page may take long to load. A frame's sandbox may
   * forbid any link, and nothing tells so.
   */
  onLinkOpened(toApp: boolean): void {
    const isApp = toApp && this.#options.qr.touch;
    if (isApp || isInFrame()) this.#appLaunch.start(isApp);
  }

  /**
   * Takes over from the server's markup in the tag, if it can: while the payer presses something in it, the press would be lost.
   */
  takesOver(markup: Element): boolean {
    if (markup.matches(':active')) {
      browserClock.schedule(pressMs, () => this.#host.requestUpdate());
      return false;
    }
    const { state } = this.#host;
    takeOverMarkup(markup, 'checkout' in state ? state.checkout.options : [], this.#handlers);
    if (markup.matches(':focus-within')) void this.#host.updateComplete.then(() => this.#host.focus());
    return true;
  }

  /** Call it when the displayed time has changed. */
  onTick(): void {
    this.#showTime();
    this.#announcer.announceTime();
  }

  #showTime(): void {
    if (this.texts) showTime(this.#host.renderRoot, this.#options.countdown, this.texts);
  }

  /** Announces a text to screen readers. */
  #announce(textIn: (texts: Translator) => string): void {
    if (this.texts) this.#announcer.announce(textIn(this.texts));
  }

  get #props(): PaymentScreenProps {
    const { state } = this.#host;
    const id = 'checkout' in state ? state.checkout.invoice?.id : undefined;
    return {
      time: this.#options.countdown,
      isConfirming: this.#confirming,
      appLaunch: this.#appLaunch,
      copyResult: this.#copy.last,
      bankTiles: this.#banks.tiles,
      otherDeviceUrl: this.#otherDeviceUrl,
      isQrMissing: this.#encodedQr.isMissing,
      qrPicture: this.#qrSaver.picture,
      creatingMs: this.#creatingTime.elapsedMs,
      isChecking: this.#check.isRunning,
      checkResult: this.#check.result,
      returnSeconds: this.#returnCountdown.secondsLeft,
      hadRequisites: !id || id !== this.#invoiceWithoutRequisites,
    };
  }

  /** Whether the payer may need a person. `own` is what `screen` has returned. */
  needsHelp(own: unknown): boolean {
    return needsHelp(this.#host.state, own);
  }

  /** What this file adds to the first file's screen of the methods. */
  choosingAdditions(state: ChoosingState): ChoosingAdditions | undefined {
    return this.texts && choosingAdditions(state, this.#isAmountChecked, this.#handlers, this.texts);
  }

  /** Call it when the payer has changed the amount. */
  onAmountChange(): void {
    this.#isAmountChecked = false;
  }

  /** Call it when the payer asks for an invoice. Returns false where the typed amount cannot be paid. */
  mayContinue(): boolean {
    if (this.rejectsAmount(true)) return false;
    this.#changeScreen();
    return true;
  }

  /** Shows and announces why the typed amount cannot be paid. Returns false where it can be. */
  rejectsAmount(isSubmitted = false): boolean {
    const { state } = this.#host;
    const text = this.texts && state.status === 'choosing' ? amountErrorText(state, this.texts) : '';
    // An empty field that is left is no mistake yet.
    if (!text || (!isSubmitted && state.status === 'choosing' && !state.typed?.trim())) return false;
    this.#isAmountChecked = true;
    this.#host.requestUpdate();
    this.#announce(() => text);
    if (isSubmitted) this.#host.renderRoot.querySelector<HTMLElement>('#amount')?.focus();
    return true;
  }

  /** What this file adds to the first file's screen of a waiting invoice. */
  additions(state: WaitingState): WaitingAdditions | undefined {
    return this.texts && waitingAdditions(state, this.#options.qr, this.#props, this.#handlers, this.texts);
  }

  /** The screen of a state; undefined where it is a screen of the first file. */
  screen(): TemplateResult | undefined {
    const { state } = this.#host;
    const notes = state.status === 'choosing' && this.choosingAdditions({ ...state, refusal: undefined })?.notes;
    return this.texts && secondFileScreen(state, notes, this.#props, this.#handlers, this.texts);
  }

  /** Shows help when nothing has opened. */
  async #showHelp(): Promise<void> {
    const [id, phoneUrl] = [this.#invoiceId, safePhoneUrl(this.#host)];
    const file = await loadRarelyNeeded().catch(() => undefined); // The next click tries again.
    if (id !== this.#invoiceId || this.#appLaunch.phase !== 'failed') return;
    this.#appLaunch.help = { phoneUrl, browserUrl: file?.openInBrowserUrl(pageAddress(), phoneUrl) };
    this.#host.requestUpdate();
    this.#announce(({ m }) => `${m('app-link.not-opened')} ${m('app-link.not-opened-text')}`);
    this.#options.emit(new ActionEvent('help_shown'));
  }

  async #copyValue(value: Copyable, shown: Node | null | undefined): Promise<void> {
    const isCopied = await this.#copy.copy(value, shown);
    const { field, label } = value;
    const isNamed = field !== 'all' && field !== 'link';
    this.#announce(({ m }) => m(isCopied ? (isNamed ? 'copy.done-value' : 'copy.done') : 'copy.failed', { label }));
    if (!isCopied) return;
    this.#host.dispatchEvent(new CopiedEvent(field));
    if (field === 'link') this.#host.dispatchEvent(new ActionEvent('link_copy'));
  }

  get #otherDeviceUrl(): string | undefined {
    return this.#options.waiting()?.invoice.payment_url ?? safePhoneUrl(this.#host);
  }

  #changeScreen(command?: 'dismissInvoice' | 'resumeInvoice' | 'retry'): void {
    this.#focus.expectChange();
    this.#host.requestUpdate();
    if (command) this.#options.session()?.[command]();
  }

  #createHandlers(): Handlers {
    return {
      ...this.#options.handlers,
      copy: (value, shown) => void this.#copyValue(value, shown),
      reload: () => {
        this.#changeScreen();
        // An unchanged result is announced too.
        void this.#host.refresh().then(() => this.#announcer.repeat());
      },
      resumeInvoice: () => this.#changeScreen('resumeInvoice'),
      showQr: () => {
        this.#encodedQr.request();
        this.#announce(({ m }) => m('loading.announcement'));
      },
      unfoldQr: () => this.#options.qr.hostUpdated(),
      saveQr: () => void this.#qrSaver.save(),
      dismissInvoice: () => this.#changeScreen('dismissInvoice'),
      retry: () => {
        this.#confirming = !this.#confirming && this.#host.state.status !== 'failed';
        this.#changeScreen(this.#confirming ? undefined : this.#options.waiting() ? 'dismissInvoice' : 'retry');
      },
      refresh: () => {
        this.#confirming = false;
        this.#host.dispatchEvent(new ActionEvent('check'));
        void this.#check.start();
      },
      print: () => {
        this.#host.dispatchEvent(new ActionEvent('print'));
        print();
      },
      stay: () => this.#returnCountdown.stop(),
    };
  }
}
