import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { CheckoutState, EndedState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import { failureTexts } from '../screens/outcome-screen.ts';
import { refusalText, trouble } from '../screens/second-file-additions.ts';

/** The remaining times that are announced, in milliseconds. */
const announcedMs = [30_000, 60_000, 180_000];

/** The announcement of a state: its heading with the sentence that belongs to it. It does not contain the remaining time. */
function describeState(state: CheckoutState, t: Translator): string {
  const { m } = t;
  const both = (place: 'lost' | 'time-up' | 'other-amount' | 'dismissed' | EndedState['status'], values = {}): string =>
    `${m(`${place}.title`)}. ${m(`${place}.text`, values)}`;
  switch (state.status) {
    case 'loading':
      return state.connection.failures > 0 ? failureTexts(state, t).join('. ') : m('loading.announcement');
    case 'lost':
      return both('lost');
    case 'choosing': {
      const { refusal, activeInvoice, checkout } = state;
      if (refusal) return refusalText(refusal.code, t);
      if (activeInvoice) return both('dismissed', { amount: t.brief(activeInvoice.amount, checkout.currency) });
      return checkout.options[0] ? m('options.title') : `${m('options.none-title')}. ${m('options.none-text')}`;
    }
    case 'creating':
      return state.inDoubt
        ? `${m('creating.slow-title')}. ${m('creating.slow-text')}`
        : `${m('creating.title')}. ${m('creating.text')}`;
    case 'waiting':
      if (state.verifyingExpiry) return both(state.verifyingAmount ? 'other-amount' : 'time-up');
      return m(trouble(state) ?? (state.slow ? 'waiting.slow' : 'waiting.status'));
    default:
      return both(state.status);
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
      this.#setText(texts.m('deadline.left', { left: texts.spokenTime(reachedMs) }));
  }

  /** Announces the remaining time when it has reached one of `announcedMs`. Updates the host only then. */
  announceTime(): void {
    const { text } = this;
    this.hostUpdate();
    if (text !== this.text) this.#host.requestUpdate();
  }

  /** Announces the state again. */
  repeat(): void {
    this.announce(this.#lastDescription);
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
