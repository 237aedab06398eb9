import { httpTransport } from '../../src/client/http-transport.ts';
import { createSession, type CheckoutSession, type CheckoutState } from '../../src/core.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { Recorder } from './history.ts';
import { messageOf, type Message } from './network.ts';
import { endpoint } from './shop.ts';
import type { DeviceClock, VirtualTime } from './virtual-time.ts';

/** What the tabs of a payer's browser share. */
export interface Browser {
  readonly clock: DeviceClock;
  readonly send: (message: Message) => Promise<Response>;
}

export interface TabParts {
  readonly name: string;
  readonly orderId: string;
  readonly capability: string;
  readonly browser: Browser;
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly recorder: Recorder;
}

/** An open page with the widget's session over its real transports. */
export class Tab {
  readonly session: CheckoutSession;
  readonly #parts: TabParts;
  readonly #resumeListeners = new Set<() => void>();
  #isVisible = true;
  #isOpen = true;
  #lastScreen = '';

  constructor(parts: TabParts) {
    this.#parts = parts;
    const { browser, capability, random } = parts;
    const { clock } = browser;
    // A device that sleeps reads no response.
    const fetchFromTab: typeof fetch = (input, init) => this.#send(messageOf(input, init)).finally(() => clock.awake());
    this.session = createSession({
      transport: httpTransport({ endpoint, checkout: capability, fetch: fetchFromTab, clock }),
      clock,
      pageLifecycle: {
        isVisible: () => this.#isVisible,
        onResume: (callback) => subscribe(this.#resumeListeners, callback),
      },
      newKey: () => `key-${parts.name}-${Math.floor(random.next() * 1e12)}`,
      random: () => random.next(),
      page: 'https://shop.example/pay',
    });
    this.session.subscribe(() => this.recordScreen());
    this.recordScreen();
    this.session.start();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  setVisible(isVisible: boolean): void {
    if (this.#isVisible === isVisible || !this.#isOpen) return;
    this.#isVisible = isVisible;
    if (isVisible) this.resume();
  }

  /** The page is shown again, or its device has woken up. */
  resume(): void {
    for (const listener of [...this.#resumeListeners]) listener();
    this.#lastScreen = '';
    this.recordScreen();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.session.stop();
    this.recordGone();
    this.#isOpen = false;
  }

  /** Nobody sees the page from now on. */
  recordGone(): void {
    this.#record('gone', undefined);
  }

  recordScreen(): void {
    const state = this.session.getState();
    this.#record(state.status, state);
  }

  /** Sends a request, and records what the rules about reads need. */
  async #send(message: Message): Promise<Response> {
    const { browser, name, orderId, time, recorder } = this.#parts;
    const sentAt = time.now;
    const record = (read: 'plain' | 'answered' | 'cut'): void =>
      recorder.add({ kind: 'read', at: time.now, tab: name, orderId, read });
    const isLongPoll = new Headers(message.headers).has('prefer');
    if (!isLongPoll && message.method === 'GET') record('plain');
    const recordCut = (): void => {
      if (isLongPoll && time.now - sentAt >= 5000) record('cut');
    };
    try {
      const response = await browser.send(message);
      if (response.status >= 500) recordCut();
      else if (isLongPoll && response.status < 400) record('answered');
      return response;
    } catch (error) {
      recordCut();
      throw error;
    }
  }

  #record(screen: CheckoutState['status'] | 'gone', state: CheckoutState | undefined): void {
    const { name, orderId, time, recorder, browser } = this.#parts;
    if (!this.#isOpen || (browser.clock.isAsleep && screen !== 'gone')) return;
    const waiting = state?.status === 'waiting' ? state : undefined;
    const facts = {
      screen,
      invoiceId: waiting?.invoice.id,
      amount: waiting?.invoice.amount,
      isPayable: waiting !== undefined && !waiting.verifyingExpiry && !waiting.verifyingAmount,
      knowsDeadline: waiting?.deadline?.certain === true,
    };
    const text = JSON.stringify(facts);
    if (text === this.#lastScreen) return;
    this.#lastScreen = text;
    recorder.add({ kind: 'screen', at: time.now, tab: name, orderId, ...facts });
  }
}

function subscribe(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
