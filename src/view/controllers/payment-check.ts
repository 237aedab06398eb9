import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { CheckoutState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import { checkedAt, trouble } from '../screens/outcome-screen.ts';

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
