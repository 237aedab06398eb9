import type { LitElement, ReactiveController } from 'lit';
import type { CheckoutState, Clock } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import { findTitle } from '../screens/shared-templates.ts';

/** The remaining times that are announced, in ms. */
const announcedMs = [30_000, 60_000, 180_000, 300_000];
/** How long a text stays in the live region, in ms: a payer who reads the page later does not meet old news. */
const shownMs = 5000;
/** A text with a time waits so long, in ms: its formatter takes a phone tens of milliseconds, which the paint must not wait for. */
const afterPaintMs = 500;

/** The input of the announcements. */
export interface AnnouncerInput {
  readonly state: CheckoutState;
  /** Undefined while no time is shown. */
  readonly remainingMs: number | undefined;
  /** The seconds until the page goes back to the shop; undefined while no countdown runs. */
  readonly returnSeconds: number | undefined;
  /** Whether a check is running or has a result, which is announced by itself. */
  readonly isCheckShown: boolean;
  /** Undefined until the first catalogue is loaded. */
  readonly texts: Translator | undefined;
}

const textOf = (element: Element | null | undefined): string => element?.textContent.trim() ?? '';

/** Texts that are read one after another, with a pause after each. */
const join = (...texts: readonly string[]): string =>
  texts
    .filter(Boolean)
    .map((text, index, all) => (index === all.length - 1 || /[.!?…]$/.test(text) ? text : `${text}.`))
    .join(' ');

/** Writes the text of the live region: what the screen says after a change, and the remaining time at wide intervals. */
export class AnnouncerController implements ReactiveController {
  readonly #host: LitElement;
  readonly #clock: Clock;
  readonly #input: () => AnnouncerInput;
  #heading = '';
  #text = '';
  #status = '';
  #wasLost = false;
  #remainingMs = Infinity;
  #cancel: (() => void) | undefined;
  #cancelScreen: (() => void) | undefined;

  constructor(host: LitElement, clock: Clock, input: () => AnnouncerInput) {
    this.#host = host;
    this.#clock = clock;
    this.#input = input;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.#cancel?.();
    this.#cancelScreen?.();
    this.#cancelScreen = undefined;
  }

  /** Announces what has changed on the screen: its heading with the sentence below it, or the status line. */
  hostUpdated(): void {
    const { state, texts, isCheckShown } = this.#input();
    if (!texts || !this.#host.isConnected) return;
    const { m, brief } = texts;
    const root = this.#host.shadowRoot;
    const title = findTitle(root);
    const heading = textOf(title);
    const sentence = title?.nextElementSibling?.matches('p:not([tabindex])') ? textOf(title.nextElementSibling) : '';
    const isPaid = state.status === 'paid';
    const paid = isPaid
      ? m('paid.announcement', {
          amount: brief(state.invoice?.amount ?? state.checkout.amount ?? '', state.checkout.currency),
        })
      : '';
    const text = title ? paid || sentence : state.status === 'loading' ? m('loading.announcement') : '';
    const status = isCheckShown ? this.#status : textOf(root?.querySelector('.status, .checked.troubled'));
    const isLost = 'connection' in state && state.connection.failures > 1;
    const isRestored = this.#wasLost && !isLost && heading === this.#heading;
    const isNew = heading !== this.#heading || text !== this.#text;
    const isNewStatus = status !== this.#status;
    [this.#heading, this.#text, this.#status, this.#wasLost] = [heading, text, status, isLost];
    if (isNew) this.#announceScreen();
    else if (this.#cancelScreen !== undefined)
      return; // The announcement that waits has what is new.
    else if (isRestored) this.announce(m('waiting.connection-restored'));
    else if (isNewStatus) this.announce(status);
    else this.announceTime();
  }

  /** Announces the remaining time when it has reached one of `announcedMs`. */
  announceTime(): void {
    const { remainingMs = Infinity, texts } = this.#input();
    const previousMs = this.#remainingMs;
    this.#remainingMs = remainingMs;
    const isReached = announcedMs.some((ms) => remainingMs <= ms && previousMs > ms);
    if (texts && isReached && previousMs < Infinity && !this.#cancelScreen) this.announce(this.#timeText(texts));
  }

  /** Announces the screen with the time left, and that it loads, a little later; else at once. */
  #announceScreen(): void {
    this.#cancelScreen?.();
    this.#cancelScreen = undefined;
    const { remainingMs, state } = this.#input();
    if (remainingMs ?? state.status === 'loading')
      this.#cancelScreen = this.#clock.schedule(afterPaintMs, () => this.announce(''));
    else this.announce(this.#screenText());
  }

  /** Announces the screen again. */
  repeat(): void {
    this.announce(join(this.#heading, this.#text, this.#status));
  }

  /** Announces a text now, after the screen if that has not been announced yet: two texts in a row could replace each other. */
  announce(text: string): void {
    const news = this.#cancelScreen ? join(this.#screenText(), text) : text;
    this.#cancelScreen?.();
    this.#cancelScreen = undefined;
    const region = this.#host.renderRoot.querySelector('[role=status]');
    if (!news || !region) return;
    // A screen reader reads only a text that differs.
    region.textContent = news === region.textContent ? `${news}\u00a0` : news;
    this.#cancel?.();
    this.#cancel = this.#clock.schedule(shownMs, () => (region.textContent = ''));
  }

  #screenText(): string {
    const { texts } = this.#input();
    const root = this.#host.shadowRoot;
    // A heading that gets the focus is read because of it.
    const heading = root?.activeElement === findTitle(root) ? '' : this.#heading;
    return texts ? join(heading, this.#text, this.#status, this.#timeText(texts)) : '';
  }

  /** The time left to pay, or until the page goes back to the shop. */
  #timeText({ m, spokenTime }: Translator): string {
    const { remainingMs, returnSeconds: seconds } = this.#input();
    this.#remainingMs = remainingMs ?? Infinity;
    if (seconds !== undefined) return m('return.announcement', { seconds });
    return remainingMs ? m('deadline.left', { left: spokenTime(remainingMs) }) : '';
  }
}
