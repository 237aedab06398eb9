import type { CheckoutSession, CheckoutTransport } from '../../src/core.ts';
import { abortReason } from '../../src/base/clock.ts';
import { readMember } from '../../src/base/thrown-value.ts';
import { sbp } from '../support/fake-invoice-service.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import type { LoadCode } from './load-code.ts';
import type { Call, LoadServer } from './load-server.ts';
import { messageOf, type Message } from './network.ts';
import { endpoint } from './shop.ts';
import { DeviceClock, type VirtualTime } from './virtual-time.ts';

interface PayerParts {
  readonly code: LoadCode;
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly server: LoadServer;
  readonly capability: string;
  /** Called with the error's code when a request was refused, lost, or given up because it took too long. */
  readonly onFailure: (code: string) => void;
}

/** How long a message is under way, in ms. */
const networkMs = 30;
/** How long a payer takes to press the button, in ms. */
const pressAfterMs = 1000;
const neverHidden = { isVisible: () => true, onResume: () => () => undefined };

/** A payer who chooses a method and waits: the real session and its transport, over one connection. */
export class LoadPayer {
  servedAt = -Infinity;
  paidAt: number | undefined;
  toldAt: number | undefined;
  readonly #parts: PayerParts;
  readonly #session: CheckoutSession;
  /** Which of the server's connections the payer's one belongs to, while no request uses it. */
  #connection: symbol | undefined;
  #isGoingToPress = false;

  constructor(parts: PayerParts) {
    this.#parts = parts;
    const { code, time, random, capability } = parts;
    const clock = new DeviceClock(time, 0);
    const fetchInTime: typeof fetch = (input, init) => this.#send(messageOf(input, init));
    this.#session = code.createSession({
      clock,
      transport: this.#watch(code.httpTransport({ endpoint, checkout: capability, fetch: fetchInTime, clock })),
      pageLifecycle: neverHidden,
      newKey: () => `key-${capability}-${Math.floor(random.next() * 1e12)}`,
      random: () => random.next(),
    });
    this.#session.subscribe(() => this.#act());
    this.#session.start();
  }

  /** The invoice that the payer sees, while he waits. */
  get invoiceId(): string | undefined {
    const state = this.#session.getState();
    return state.status === 'waiting' ? state.invoice.id : undefined;
  }

  /** Whether the payer waits with an answer that came after `at`, or knows that he has paid. */
  isServedSince(at: number): boolean {
    const state = this.#session.getState();
    const isServed = state.status === 'waiting' && state.connection.failures === 0 && this.servedAt > at;
    return isServed || this.toldAt !== undefined;
  }

  close(): void {
    this.#session.stop();
  }

  #act(): void {
    const { status } = this.#session.getState();
    if (status === 'paid') {
      this.toldAt ??= this.#parts.time.now;
      this.close();
    } else if (status === 'choosing' && !this.#isGoingToPress) {
      this.#isGoingToPress = true;
      this.#parts.time.schedule(pressAfterMs, () => {
        this.#isGoingToPress = false;
        this.#session.select(sbp.id);
        this.#session.createInvoice();
      });
    }
  }

  #watch(transport: CheckoutTransport): CheckoutTransport {
    const watch = async <T>(request: Promise<T>, signal: AbortSignal): Promise<T> => {
      try {
        const answer = await request;
        this.servedAt = this.#parts.time.now;
        return answer;
      } catch (error) {
        if (!signal.aborted) this.#parts.onFailure(String(readMember(error, 'code')));
        throw error;
      }
    };
    return {
      read: (request, signal) => watch(transport.read(request, signal), signal),
      createInvoice: (request, signal) => watch(transport.createInvoice(request, signal), signal),
    };
  }

  /** Sends a request as `fetch` does. The connection is kept after an answer. */
  #send(message: Message): Promise<Response> {
    const { time, server } = this.#parts;
    return new Promise((resolve, reject) => {
      const respond = (response: Response): void => {
        const { connections } = server;
        time.schedule(networkMs, () => {
          this.#connection = connections;
          resolve(response);
        });
      };
      const call: Call = { message, gone: new AbortController(), respond, fail: reject };
      const { signal } = message;
      signal?.addEventListener('abort', () => {
        time.schedule(networkMs, () => server.giveUp(call));
        reject(abortReason(signal));
      });
      const connection = this.#connection;
      this.#connection = undefined;
      time.schedule(networkMs, () => server.receive(call, connection === server.connections));
    });
  }
}
