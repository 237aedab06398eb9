import type { CheckoutState, WaitingState } from '../../src/core.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { Recorder } from './history.ts';
import type { Message } from './network.ts';
import type { FaultName } from './plan.ts';
import { Tab, type Browser } from './tab.ts';
import { DeviceClock, type VirtualTime } from './virtual-time.ts';

export interface PayerParts {
  readonly orderId: string;
  readonly capability: string;
  readonly typesAmount: boolean;
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly recorder: Recorder;
  readonly has: (fault: FaultName) => boolean;
  /** No more payments and no new invoices. */
  readonly isQuiet: () => boolean;
  /** Sends a request of a page to the shop. */
  readonly send: (message: Message) => Promise<Response>;
  /** The payer transfers the money. What the bank makes of it is up to the bank. */
  readonly pay: (invoiceId: string) => void;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A payer with one order, his device and its tabs. */
export class Payer {
  readonly tabs: Tab[] = [];
  readonly #parts: PayerParts;
  readonly #browser: Browser;
  readonly #leavesAt: number;
  #hasLeft = false;
  #payments = 0;
  #isChecking = false;

  constructor(parts: PayerParts) {
    this.#parts = parts;
    const { time, random, send } = parts;
    const clock = new DeviceClock(time, random.pick([0, 0, -8 * hourMs, 300 * 24 * hourMs]));
    this.#browser = { clock, send };
    this.#leavesAt = time.now + random.pick([2, 5, 15, 45]) * minuteMs;
    this.#openTab();
    this.#actLater();
  }

  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** Closes all tabs. */
  leave(): void {
    this.#hasLeft = true;
    for (const tab of this.tabs) tab.close();
    this.tabs.length = 0;
  }

  /** The device and all tabs are awake and visible. */
  awake(): void {
    this.#browser.clock.wake();
    for (const tab of this.tabs) {
      tab.setVisible(true);
      tab.resume();
    }
  }

  #openTab(): Tab {
    const { orderId, capability, time, random, recorder } = this.#parts;
    const name = `${orderId}.${this.tabs.length + 1}`;
    const tab = new Tab({ name, orderId, capability, browser: this.#browser, time, random, recorder });
    this.tabs.push(tab);
    return tab;
  }

  #actLater(): void {
    const { time, random } = this.#parts;
    time.schedule(random.int(1000, 15_000), () => {
      if (this.#hasLeft || this.#parts.isQuiet()) return;
      this.#act();
      this.#actLater();
    });
  }

  #act(): void {
    const { time, random, has } = this.#parts;
    if (this.#browser.clock.isAsleep || this.#isChecking) return;
    if (time.now > this.#leavesAt) this.leave();
    else if (has('devices sleep') && random.chance(0.02)) this.#sleep();
    else this.#useTab();
  }

  #useTab(): void {
    const { random, has } = this.#parts;
    if (has('payers reload') && random.chance(0.03)) this.tabs.pop()?.close();
    if (this.tabs.length === 0 || (has('payers open several tabs') && this.tabs.length < 3 && random.chance(0.05)))
      this.#openTab();
    const tab = this.tabs[random.int(0, this.tabs.length - 1)];
    if (tab === undefined) return;
    for (const other of this.tabs) other.setVisible(other === tab);
    const state = tab.session.getState();
    switch (state.status) {
      case 'choosing':
        this.#choose(tab, state);
        break;
      case 'waiting':
        this.#wait(tab, state);
        break;
      case 'failed':
      case 'expired':
        void this.#checkOrTryAgain(tab);
        break;
      case 'paid':
        if (random.chance(0.5)) this.leave();
        break;
      case 'closed':
      case 'lost':
        this.leave();
        break;
      case 'loading':
      case 'creating':
        break;
    }
  }

  #choose(tab: Tab, state: Extract<CheckoutState, { status: 'choosing' }>): void {
    const { random, typesAmount } = this.#parts;
    // A payer who has paid looks, and does not ask for another invoice without a reason.
    if (this.#payments > 0 && state.activeInvoice !== undefined && random.chance(0.7)) tab.session.resumeInvoice();
    else if (typesAmount && state.typed === undefined) tab.session.setAmount(`${random.int(10, 40) * 100}.00`);
    else {
      const usable = state.checkout.options.filter(({ available }) => available);
      const method = usable[random.int(0, Math.max(0, usable.length - 1))];
      if (method !== undefined) tab.session.select(method.id);
      tab.session.createInvoice();
    }
  }

  #wait(tab: Tab, { invoice, verifyingExpiry }: WaitingState): void {
    const { random, has, time } = this.#parts;
    const mayPay = this.#payments === 0 || (has('payers pay twice') && this.#payments < 3);
    if (!verifyingExpiry && mayPay && random.chance(0.25)) {
      this.#payments += 1;
      const delayMs = has('payers pay late') && random.chance(0.5) ? this.#lateBy() : random.int(1000, 20_000);
      time.schedule(delayMs, () => this.#parts.pay(invoice.id));
    } else if (has('payers replace invoices') && random.chance(0.15)) {
      tab.session.dismissInvoice();
      time.schedule(random.int(200, 3000), () => {
        const state = tab.session.getState();
        if (tab.isOpen && state.status === 'choosing') this.#choose(tab, state);
      });
    } else if (random.chance(0.1)) void tab.session.refresh(this.#payments > 0);
  }

  #lateBy(): number {
    const { random } = this.#parts;
    return random.pick([2 * minuteMs, 20 * minuteMs, 2 * hourMs, 30 * hourMs, 80 * hourMs]) * (0.5 + random.next());
  }

  /** Presses "I have paid, check", and then perhaps "try again". */
  async #checkOrTryAgain(tab: Tab): Promise<void> {
    const { random, has, time, recorder, orderId } = this.#parts;
    const isPatient = !has('payers check and try again');
    if (isPatient && random.chance(0.7)) return;
    this.#isChecking = true;
    const at = time.now;
    await tab.session.refresh(true);
    this.#isChecking = false;
    const state = tab.session.getState();
    if (!tab.isOpen || (state.status !== 'failed' && state.status !== 'expired')) return;
    if (state.connection.failures === 0 && !state.checkout.stale)
      recorder.add({ kind: 'check', at, answeredAt: time.now, orderId });
    if (random.chance(0.4)) tab.session.retry();
  }

  /** The device sleeps until `awake` is called. */
  sleep(): void {
    for (const tab of this.tabs) tab.recordGone();
    this.#browser.clock.sleep();
  }

  #sleep(): void {
    const { time, random, recorder, orderId } = this.#parts;
    this.sleep();
    recorder.note(`${orderId} device sleeps`);
    time.schedule(random.int(10, 1800) * 1000, () => {
      if (!this.#hasLeft && !this.#parts.isQuiet()) this.awake();
    });
  }
}
