import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { CheckoutState, Clock } from '../../core.ts';
import type { Translator } from '../../i18n.ts';

export interface PaymentCheckOptions {
  readonly clock: Clock;
  readonly state: () => CheckoutState;
  readonly texts: () => Translator | undefined;
  /** Reads the checkout. Resolves when the read succeeded or failed. */
  readonly refresh: () => Promise<void>;
  readonly announce: (text: string) => void;
}

/** A read makes the backend fetch an ended invoice from the service. This is the time until the result is stored, in ms. */
const fetchMs = 4000;

/** A check of the payment that the payer requests: whether it is running, and its result. */
export class CheckPaymentNowController implements ReactiveController {
  isRunning = false;
  /** The text of the last check's result, until the status or the invoice changes. */
  result = '';
  readonly #host: ReactiveControllerHost;
  readonly #options: PaymentCheckOptions;
  /** The status and the invoice of the last update. */
  #subject = '';
  #serverTime = '';
  /** When the response with `#serverTime` was received, in ms of the clock. */
  #receivedAt = 0;

  constructor(host: ReactiveControllerHost, options: PaymentCheckOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  hostUpdate(): void {
    const state = this.#options.state();
    if (!('checkout' in state)) return;
    const { server_time: time, invoice } = state.checkout;
    if (time !== this.#serverTime) this.#receivedAt = this.#options.clock.now();
    this.#serverTime = time;
    const subject = `${state.status} ${invoice?.id ?? ''}`;
    if (subject !== this.#subject) this.result = '';
    this.#subject = subject;
  }

  /** Checks now, unless a check is running. */
  async start(): Promise<void> {
    const { clock, state, texts, refresh, announce } = this.#options;
    if (this.isRunning) return;
    this.isRunning = true;
    this.result = '';
    announce(texts()?.m.refreshing ?? '');
    await refresh();
    // The first read made the backend fetch an ended invoice from the service. The second read returns the result.
    if (['expired', 'failed'].includes(state().status)) {
      await new Promise<void>((resolve) => void clock.schedule(fetchMs, resolve));
      await refresh();
    }
    this.isRunning = false;
    this.hostUpdate();
    this.result = this.#describe();
    // Without a result there is a new state, which has its own announcement.
    if (this.result) announce(this.result);
    this.#host.requestUpdate();
  }

  #describe(): string {
    const state = this.#options.state();
    const t = this.#options.texts();
    if (!t || !('invoice' in state) || state.status === 'paid') return '';
    const { m } = t;
    if (state.checkout.stale || state.connection.failures > 0) return m.stale;
    // Uses the server's time, because the device's clock may be wrong.
    const now = Date.parse(this.#serverTime) + this.#options.clock.now() - this.#receivedAt;
    const checkedAt = m.checkedAt(t.moment(new Date(now).toISOString(), 'none', undefined) ?? '');
    return state.status === 'waiting' && state.verifyingAmount ? checkedAt : `${m.notReceived} ${checkedAt}`;
  }
}
