import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { CheckoutState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import { refusalText } from '../screens/choosing-screen.ts';

/** The remaining times that are announced, in milliseconds. */
const announcedMs = [30_000, 60_000, 180_000];

/** The announcement of a state. It does not contain the remaining time. */
function describeState(state: CheckoutState, { m }: Translator): string {
  switch (state.status) {
    case 'loading':
      return state.connection.failures > 0 ? `${m.offline}. ${m.offlineText}` : m.loading;
    case 'lost':
      return m.lost;
    case 'choosing':
      return state.refusal
        ? refusalText(state.refusal.code, m)
        : state.activeInvoice
          ? m.twice
          : state.checkout.options.length > 0
            ? m.choose
            : m.noMethods;
    case 'creating':
      return state.inDoubt ? m.unknown : m.creating;
    case 'waiting':
      return state.verifyingAmount
        ? m.amountCheck
        : state.verifyingExpiry
          ? m.checking
          : state.checkout.stale || state.connection.failures > 1
            ? m.stale
            : state.slow
              ? m.long
              : m.waiting;
    case 'paid':
    case 'failed':
    case 'expired':
    case 'closed':
      return `${m[state.status]}. ${m[`${state.status}Text`]}`;
  }
}

/** The input of the announcements. */
export interface AnnouncerInput {
  readonly state: CheckoutState;
  readonly remainingMs: number | undefined;
  /** Undefined until the first catalogue is loaded. */
  readonly texts: Translator | undefined;
}

/** Writes the text of the live region. */
export class AnnouncerController implements ReactiveController {
  text = '';
  readonly #host: ReactiveControllerHost;
  readonly #input: () => AnnouncerInput;
  #lastDescription = '';
  #remainingMs = Infinity;

  constructor(host: ReactiveControllerHost, input: () => AnnouncerInput) {
    this.#host = host;
    this.#input = input;
    host.addController(this);
  }

  /** Announces a change of the state, or that the remaining time has reached one of `announcedMs`. */
  hostUpdate(): void {
    const { state, remainingMs, texts } = this.#input();
    if (!texts) return;
    const description = describeState(state, texts);
    const previousMs = this.#remainingMs;
    this.#remainingMs = remainingMs ?? Infinity;
    const reachedMs = announcedMs.find((ms) => remainingMs !== undefined && remainingMs <= ms && previousMs > ms);
    if (description !== this.#lastDescription) {
      this.#lastDescription = description;
      this.text = description;
    } else if (reachedMs !== undefined && previousMs < Infinity)
      this.#setText(`${texts.m.timeLeft}: ${texts.spokenTime(reachedMs)}`);
  }

  /** Announces the remaining time when it has reached one of `announcedMs`. Updates the host only then. */
  announceTime(): void {
    const { text } = this;
    this.hostUpdate();
    if (text !== this.text) this.#host.requestUpdate();
  }

  /** Announces a text now. */
  announce(text: string): void {
    this.#setText(text);
    this.#host.requestUpdate();
  }

  /** Adds a space to a text that is announced again: a screen reader reads only a text that differs. */
  #setText(text: string): void {
    this.text = text === this.text ? `${text}\u00a0` : text;
  }
}
