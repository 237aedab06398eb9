import type { CheckoutState } from '../../core.ts';
import type { Texts } from '../../i18n.ts';
import { refusalText } from '../screens/choosing.ts';

/** The times left that are told, in milliseconds. */
const steps = [30_000, 60_000, 180_000];

/** What there is to say about a state. Seconds are not. */
function describe(state: CheckoutState, { m }: Texts): string {
  switch (state.status) {
    case 'loading':
      return state.connection.failures > 0 ? `${m.offline}. ${m.offlineText}` : m.loading;
    case 'lost':
      return m.lost;
    case 'choosing':
      return state.refusal ? refusalText(state.refusal.code, m) : state.activeInvoice ? m.twice : m.choose;
    case 'creating':
      return state.inDoubt ? m.unknown : m.creating;
    case 'waiting':
      return state.verifyingExpiry
        ? m.checking
        : state.checkout.stale || state.connection.failures > 0
          ? m.stale
          : state.slow
            ? m.long
            : m.waiting;
    case 'paid':
    case 'failed':
    case 'expired':
      return `${m[state.status]}. ${m[`${state.status}Text`]}`;
  }
}

/** The words of the one live region. */
export class Announcer {
  text = '';
  #described = '';
  #left = Infinity;

  /** Says what changed since the last look: the state, or that the time has come to one of the steps. Whether something did. */
  look(state: CheckoutState, left: number | undefined, t: Texts): boolean {
    const { text } = this;
    const described = describe(state, t);
    const before = this.#left;
    this.#left = left ?? Infinity;
    const step = steps.find((ms) => left !== undefined && left <= ms && before > ms);
    if (described !== this.#described) {
      this.#described = described;
      this.text = described;
    } else if (step !== undefined && before < Infinity) this.say(`${t.m.timeLeft}: ${t.spokenTime(step)}`);
    return this.text !== text;
  }

  /** Says something, also when it is what was said last. */
  say(text: string): void {
    this.text = text === this.text ? `${text}\u00a0` : text;
  }
}
