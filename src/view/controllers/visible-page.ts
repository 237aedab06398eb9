import type { ReactiveController } from 'lit';
import { isPreferred, isUsable, type CheckoutSession, type CheckoutState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import type { PaymentScreensHost } from '../payment-screens-options.ts';

interface VisiblePageOptions {
  readonly session: () => CheckoutSession | undefined;
  readonly texts: () => Translator | undefined;
  readonly isTouch: () => boolean;
}

/** Whether the payer has nothing to choose or to type: only one method is usable, or the preferred method is selected. */
function hasNothingToChoose(state: CheckoutState, preferred: string): boolean {
  if (state.status !== 'choosing' || state.checkout.amount === null || state.activeInvoice || state.refusal)
    return false;
  const usableOptions = state.checkout.options.filter((option) => isUsable(option, state.amount));
  return usableOptions.some(
    (option) => option.id === state.selected && (usableOptions.length === 1 || isPreferred(option, preferred)),
  );
}

/** Undefined where the browser has no such lock, or refuses it, as with a low battery. */
async function lockScreen(): Promise<WakeLockSentinel | undefined> {
  try {
    // eslint-disable-next-line compat/compat -- where it is missing, the call throws
    return await navigator.wakeLock.request('screen');
  } catch {
    return undefined;
  }
}

/**
 * What depends on whether the page is visible. While it is hidden, the outcome is in front of its title. While it is visible, the
 * screen of a phone stays on as long as the QR code is unfolded, and an invoice is requested where the payer has nothing to choose:
 * once for each checkout.
 */
export class VisiblePageController implements ReactiveController {
  readonly #host: PaymentScreensHost;
  readonly #options: VisiblePageOptions;
  #titlePrefix = '';
  #screenLock: Promise<WakeLockSentinel | undefined> | undefined;
  #lastSession: CheckoutSession | undefined;
  #hasContinued = false;
  readonly #update = (): void => this.hostUpdated();

  constructor(host: PaymentScreensHost, options: VisiblePageOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  hostConnected(): void {
    document.addEventListener('visibilitychange', this.#update);
    // The event of `<details>` does not bubble.
    this.#host.renderRoot.addEventListener('toggle', this.#update, true);
  }

  hostUpdated(): void {
    this.#showTitle();
    this.#keepScreenOn();
    this.#continue();
  }

  hostDisconnected(): void {
    document.removeEventListener('visibilitychange', this.#update);
    this.#host.renderRoot.removeEventListener('toggle', this.#update, true);
    this.#showTitle();
    this.#keepScreenOn();
  }

  /** Replaces only its own prefix: the page and other widgets may change the title too. */
  #showTitle(): void {
    const { isConnected, pageTitle, state } = this.#host;
    const { status } = state;
    const isOutcome = status === 'paid' || status === 'failed' || status === 'expired';
    const outcome = isConnected && pageTitle && document.hidden && isOutcome;
    const { m } = this.#options.texts() ?? {};
    const prefix = outcome && m ? `${status === 'paid' ? `✓ ${m('header.paid')}` : m(`${status}.title`)} ·` : '';
    if (prefix === this.#titlePrefix) return;
    document.title = `${prefix} ${document.title.replace(this.#titlePrefix, '').trim()}`.trim();
    this.#titlePrefix = prefix;
  }

  #keepScreenOn(): void {
    const { isConnected, renderRoot } = this.#host;
    const isUnfolded = renderRoot.querySelector('[part=qr]')?.closest('details')?.open;
    const isWanted = isConnected && !document.hidden && this.#options.isTouch() && isUnfolded === true;
    if (isWanted === !!this.#screenLock) return;
    // A browser releases the lock itself when the page is hidden.
    void this.#screenLock?.then((lock) => lock?.release());
    this.#screenLock = isWanted ? lockScreen() : undefined;
  }

  /** Requests nothing once another screen was shown: a payer who returns from it to the methods wants to choose. */
  #continue(): void {
    const { state, autoContinue, method } = this.#host;
    const session = this.#options.session();
    if (session !== this.#lastSession) this.#hasContinued = false;
    this.#lastSession = session;
    if (this.#hasContinued || state.status === 'loading') return;
    this.#hasContinued = state.status !== 'choosing';
    if (this.#hasContinued || !autoContinue || document.hidden || !hasNothingToChoose(state, method)) return;
    this.#hasContinued = true;
    session?.createInvoice();
  }
}
