import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { isPreferred, isUsable, type CheckoutSession, type CheckoutState } from '../../core.ts';

/** The properties of the element that this controller reads. */
type AutoContinueHost = ReactiveControllerHost & {
  readonly state: CheckoutState;
  readonly autoContinue: boolean;
  /** The id or the type of the method that the page prefers; empty for none. */
  readonly method: string;
};

/** Whether the payer has nothing to choose or to type: only one method is usable, or the preferred method is selected. */
function hasNothingToChoose(state: CheckoutState, preferred: string): boolean {
  if (state.status !== 'choosing' || state.checkout.amount === null || state.activeInvoice || state.refusal)
    return false;
  const usableOptions = state.checkout.options.filter((option) => isUsable(option, state.amount));
  return usableOptions.some(
    (option) => option.id === state.selected && (usableOptions.length === 1 || isPreferred(option, preferred)),
  );
}

/** Requests an invoice where the payer has nothing to choose: once for each checkout, and only while the page is visible. */
export class AutoContinueController implements ReactiveController {
  readonly #host: AutoContinueHost;
  readonly #session: () => CheckoutSession | undefined;
  #lastSession: CheckoutSession | undefined;
  #isDone = false;
  readonly #onVisibility = (): void => this.hostUpdated();

  constructor(host: AutoContinueHost, session: () => CheckoutSession | undefined) {
    this.#host = host;
    this.#session = session;
    host.addController(this);
  }

  hostConnected(): void {
    document.addEventListener('visibilitychange', this.#onVisibility);
  }

  hostDisconnected(): void {
    document.removeEventListener('visibilitychange', this.#onVisibility);
  }

  /** Requests nothing once another screen was shown: a payer who returns from it to the methods wants to choose. */
  hostUpdated(): void {
    const { state, autoContinue, method } = this.#host;
    const session = this.#session();
    if (session !== this.#lastSession) this.#isDone = false;
    this.#lastSession = session;
    if (this.#isDone || state.status === 'loading') return;
    this.#isDone = state.status !== 'choosing';
    if (this.#isDone || !autoContinue || document.hidden || !hasNothingToChoose(state, method)) return;
    this.#isDone = true;
    session?.createInvoice();
  }
}
