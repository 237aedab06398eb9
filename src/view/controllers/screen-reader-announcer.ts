import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { CheckoutState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import { refusalText } from '../screens/choosing-screen.ts';

/** The remaining times that are announced, in milliseconds. */
const announcedMs = [30_000, 60_000, 180_000];

/** The announcement of a state. It does not contain the remaining time. */
function describe(state: CheckoutState, { m }: Translator): string {
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
          : state.checkout.stale || state.connection.failures > 0
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
  #described = '';
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
    const described = describe(state, texts);
    const before = this.#remainingMs;
    this.#remainingMs = remainingMs ?? Infinity;
    const step = announcedMs.find((ms) => remainingMs !== undefined && remainingMs <= ms && before > ms);
    if (described !== this.#described) {
      this.#described = described;
      this.text = described;
    } else if (step !== undefined && before < Infinity) this.#say(`${texts.m.timeLeft}: ${texts.spokenTime(step)}`);
  }

  /** Announces the remaining time when it has reached one of `announcedMs`. Updates the host only then. */
  announceTime(): void {
    const { text } = this;
    this.hostUpdate();
    if (text !== this.text) this.#host.requestUpdate();
  }

  /** Announces a text now. */
  announce(text: string): void {
    this.#say(text);
    this.#host.requestUpdate();
  }

  /** Adds a space to a text that is announced again: a screen reader reads only a text that differs. */
  #say(text: string): void {
    this.text = text === this.text ? `${text}\u00a0` : text;
  }
}
