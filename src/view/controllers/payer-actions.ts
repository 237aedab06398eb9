import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { CheckoutState, Clock, PageLifecycle } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import { checkedAt, trouble } from '../screens/outcome-screen.ts';
import type { AppLaunchHelp, AppLaunchState, Copyable, CopyResult } from '../screens/screen-props.ts';

// What the payer does on a screen, and what comes of it: copying a value, checking the payment, leaving for an app or the shop.

/** How long a successful copy is shown, in ms. */
const resultMs = 2500;

/**
 * Copies without the clipboard API (plain http, a frame of another origin): puts the text into a copy event of the page. Returns
 * whether it worked.
 */
function copyByEvent(text: string): boolean {
  let isCopied = false;
  const putText = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    isCopied = true;
  };
  document.addEventListener('copy', putText, true);
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way without the clipboard API
    document.execCommand('copy');
  } finally {
    document.removeEventListener('copy', putText, true);
  }
  return isCopied;
}

async function writeToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // The clipboard is missing, or the policy of a frame from another origin forbids it. A copy event may be allowed.
    return copyByEvent(text);
  }
}

/** Copies a value while the click event is handled, and stores the result as long as it is shown. */
export class CopyController implements ReactiveController {
  /** The result of the last copy, as long as it is shown. */
  last: CopyResult | undefined;
  readonly #host: ReactiveControllerHost & { readonly isConnected: boolean };
  readonly #clock: Clock;
  #cancel: (() => void) | undefined;

  constructor(host: ReactiveControllerHost & { readonly isConnected: boolean }, clock: Clock) {
    this.#host = host;
    this.#clock = clock;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#cancel?.();
    this.last = undefined;
  }

  /** Resolves with whether the value was copied. On failure `shown` is selected, and the result stays. */
  async copy({ field, text }: Copyable, shown: Node | null | undefined): Promise<boolean> {
    const isCopied = await writeToClipboard(text);
    if (!this.#host.isConnected) return isCopied;
    this.#cancel?.();
    this.last = { field, text, ok: isCopied };
    this.#host.requestUpdate();
    if (isCopied) this.#cancel = this.#clock.schedule(resultMs, () => this.#forget());
    else if (shown) getSelection()?.selectAllChildren(shown);
    return isCopied;
  }

  #forget(): void {
    this.last = undefined;
    this.#host.requestUpdate();
  }
}

export interface PaymentCheckOptions {
  readonly state: () => CheckoutState;
  readonly texts: () => Translator | undefined;
  /** Asks the backend to fetch the invoice from the service. Resolves when the read succeeded or failed. */
  readonly check: () => Promise<void>;
  readonly announce: (text: string) => void;
}

/** A check of the payment that the payer requests: whether it is running, and its result. */
export class CheckPaymentNowController implements ReactiveController {
  isRunning = false;
  /** The text of the last check's result, until the checkout, the status or the invoice changes. */
  result = '';
  readonly #host: ReactiveControllerHost;
  readonly #options: PaymentCheckOptions;
  /** The checkout, the status and the invoice of the last update. */
  #subject = '';

  constructor(host: ReactiveControllerHost, options: PaymentCheckOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  hostUpdate(): void {
    const state = this.#options.state();
    const { id, invoice } = 'checkout' in state ? state.checkout : {};
    const subject = [id, state.status, invoice?.id].join(' ');
    if (subject !== this.#subject) this.result = '';
    this.#subject = subject;
  }

  /** Checks now, unless a check is running. */
  async start(): Promise<void> {
    const { texts, check, announce } = this.#options;
    if (this.isRunning) return;
    this.isRunning = true;
    this.result = '';
    this.#host.requestUpdate();
    announce(texts()?.m('check.running') ?? '');
    const subject = this.#subject;
    await check();
    this.isRunning = false;
    this.hostUpdate();
    // Another checkout or status has its own screen and its own announcement.
    if (subject === this.#subject) this.result = this.#describe();
    if (this.result) announce(this.result);
    this.#host.requestUpdate();
  }

  #describe(): string {
    const state = this.#options.state();
    const t = this.#options.texts();
    if (!t || !('invoice' in state) || state.status === 'paid') return '';
    const { m } = t;
    const key = trouble(state, 1);
    if (key) return m(key);
    const isAmountChecked = state.status === 'waiting' && state.verifyingAmount;
    return `${isAmountChecked ? '' : m('check.not-received')} ${checkedAt(state, t)}`.trim();
  }
}

/** A bank's app that opens hides the page within this time, in ms. */
const launchMs = 2500;
/** How long a spinner shows that the bank's answer is awaited, in ms: from the click, and again from the payer's return. */
const spinningMs = 60_000;

/** Whether the payer has followed the link to the bank's app, as far as is known. */
export const isBankAwaited = ({ phase, isApp }: Pick<AppLaunchState, 'phase' | 'isApp'>): boolean =>
  isApp && !!phase && phase !== 'failed';

/** What has come of a click on a link. In-app browsers ignore those to a bank's app, and a frame's sandbox may forbid any. */
export class AppLaunch implements ReactiveController, AppLaunchState {
  /** `opening` until the payer is back from the app, or until it is clear that none opened; undefined without a click. */
  phase: AppLaunchState['phase'];
  isApp = false;
  /** Whether the bank's answer is awaited since so short a time that a spinner shows it. */
  isSpinning = false;
  /** What helps where no app has opened; undefined until that is known. */
  help: AppLaunchHelp | undefined;
  readonly #host: ReactiveControllerHost;
  readonly #clock: Clock;
  readonly #pageLifecycle: PageLifecycle;
  readonly #onFailure: () => void;
  #cancels: readonly (() => void)[] = [];

  /** @param onFailure - called when nothing opened */
  constructor(host: ReactiveControllerHost, clock: Clock, pageLifecycle: PageLifecycle, onFailure: () => void) {
    this.#host = host;
    this.#clock = clock;
    this.#pageLifecycle = pageLifecycle;
    this.#onFailure = onFailure;
    host.addController(this);
  }

  /** Ends what the last click has begun. */
  hostDisconnected(): void {
    this.#enter(undefined);
  }

  /**
   * Call it when a link to an app (`isApp`) or to another page is clicked. If the page stays visible for `launchMs`, no app has opened;
   * another page may have a window of its own, which takes the focus.
   */
  start(isApp: boolean): void {
    this.isApp = isApp;
    const stopTimer = this.#clock.schedule(launchMs, () => {
      if (!this.#pageLifecycle.isVisible() || !(isApp || document.hasFocus())) return;
      this.#enter('failed');
      this.#onFailure();
    });
    this.#enter(
      'opening',
      stopTimer,
      this.#pageLifecycle.onResume(() => this.#enter('opened')),
    );
  }

  #enter(phase: AppLaunchState['phase'], ...cancels: (() => void)[]): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels = cancels;
    this.phase = phase;
    this.help = undefined;
    this.isSpinning = isBankAwaited(this);
    if (this.isSpinning)
      cancels.push(
        this.#clock.schedule(spinningMs, () => {
          this.isSpinning = false;
          this.#host.requestUpdate();
        }),
      );
    // An element that is removed is not rendered again.
    if (phase) this.#host.requestUpdate();
  }
}

export interface ReturnCountdownOptions {
  readonly clock: Clock;
  /** The URL to open at the end; undefined while there is nothing to count down. */
  readonly url: () => string | undefined;
  /** How long to count, in seconds. */
  readonly seconds: () => number;
  readonly isVisible: () => boolean;
  readonly go: (url: string) => void;
}

/** Whether the payer came to this page by the browser's Back or Forward button. */
export const cameBack = (): boolean =>
  performance.getEntriesByType('navigation').some((entry) => 'type' in entry && entry.type === 'back_forward');

/** Opens the shop's success URL once a checkout is paid, after a visible countdown that the payer can stop. */
export class ReturnCountdown implements ReactiveController {
  /** Undefined while no countdown runs. */
  secondsLeft: number | undefined;
  readonly #host: ReactiveControllerHost;
  readonly #options: ReturnCountdownOptions;
  #url: string | undefined;
  #cancel: (() => void) | undefined;

  constructor(host: ReactiveControllerHost, options: ReturnCountdownOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  hostUpdate(): void {
    const url = this.#options.url();
    if (url === this.#url) return;
    this.#url = url;
    this.#end();
    if (url !== undefined) this.#count(url, Math.ceil(this.#options.seconds()));
  }

  /** Continues the countdown of an element that was moved in the document. */
  hostConnected(): void {
    if (this.#url !== undefined && this.secondsLeft !== undefined) this.#count(this.#url, this.secondsLeft);
  }

  hostDisconnected(): void {
    this.#cancel?.();
  }

  /** Stops the countdown, and the payer stays on the page. */
  stop(): void {
    this.#end();
    this.#host.requestUpdate();
  }

  #count(url: string, secondsLeft: number): void {
    this.secondsLeft = secondsLeft;
    this.#cancel = this.#options.clock.schedule(1000, () => {
      // The payer has to see the countdown to be able to stop it, so it pauses while the page is hidden.
      if (!this.#options.isVisible()) this.#count(url, secondsLeft);
      else if (secondsLeft > 1) this.#count(url, secondsLeft - 1);
      else {
        this.#end(); // A payer who comes back to the page is not sent away again.
        this.#options.go(url);
      }
      this.#host.requestUpdate();
    });
  }

  #end(): void {
    this.#cancel?.();
    this.secondsLeft = undefined;
  }
}
