// The payers of one server in a load run. Each is the session of the widget with its own transport: what ships is what is measured.
import { browserPorts } from '../../src/client.ts';
import {
  CheckoutError,
  createSession,
  type CheckoutSession,
  type CheckoutTransport,
  type SessionPorts,
} from '../../src/core.ts';
import { createKeepAliveFetch } from './keep-alive-fetch.ts';
import { buyerHeaders, placeOrder } from './place-orders.ts';

export interface OrdersToPlace {
  /** The server's port. */
  readonly port: number;
  readonly count: number;
  /** The number of the first order, from which the network addresses follow. */
  readonly firstIndex: number;
}

/** The measurements of payers since `forgetMeasurements`. */
export interface PayerMeasurements {
  requests: number;
  responses: number;
  /** How many reads of each kind have failed. */
  readonly reasons: Record<string, number>;
  stale: number;
  /** How long after the end of their wait long polls were answered without a change, in ms. */
  readonly delays: number[];
  /** Milliseconds from a payment in the sandbox to the event `paid` of the session. */
  readonly paidToPayer: number[];
}

/** How many payers still wait for something. */
export interface PayersProgress {
  /** See stale data. */
  readonly stale: number;
  /** Have paid, and have not been told. */
  readonly unnotified: number;
  /** Have had no answer since `markDisturbance`. */
  readonly unserved: number;
}

interface Payer {
  paidAt: number | undefined;
  isDone: boolean;
  isStale: boolean;
  servedAt: number;
}

/** How many payers choose their method at the same time. */
const concurrentCreates = 64;

const neverHidden: SessionPorts['pageLifecycle'] = { isVisible: () => true, onResume: () => () => undefined };

export class Payers {
  readonly #payers: Payer[] = [];
  #disturbedAt = 0;
  #measurements = emptyMeasurements();

  /** Places orders, whose payers choose SBP and wait. Resolves with the identifiers of their invoices. */
  async placeOrders({ port, count, firstIndex }: OrdersToPlace): Promise<readonly string[]> {
    const invoiceIds: string[] = [];
    const placeNext = async (): Promise<void> => {
      while (this.#payers.length < count) {
        const index = this.#payers.length;
        const payer: Payer = { paidAt: undefined, isDone: false, isStale: false, servedAt: 0 };
        this.#payers.push(payer);
        invoiceIds[index] = await this.#open(payer, port, firstIndex + index);
      }
    };
    await Promise.all(Array.from({ length: concurrentCreates }, placeNext));
    return invoiceIds;
  }

  /** Records that the invoice of the payer with this index is being paid now. */
  markPaid(index: number): void {
    const payer = this.#payers[index];
    if (payer !== undefined) payer.paidAt = performance.now();
  }

  /** From now on `progress` counts the payers who have had no answer. */
  markDisturbance(): void {
    this.#disturbedAt = performance.now();
  }

  forgetMeasurements(): void {
    this.#measurements = emptyMeasurements();
  }

  measurements(): PayerMeasurements {
    return this.#measurements;
  }

  progress(): PayersProgress {
    const waiting = this.#payers.filter(({ isDone }) => !isDone);
    return {
      stale: waiting.filter(({ isStale }) => isStale).length,
      unnotified: waiting.filter(({ paidAt }) => paidAt !== undefined).length,
      unserved: waiting.filter(({ servedAt }) => servedAt < this.#disturbedAt).length,
    };
  }

  /** The resident memory of the process of these payers, in bytes. */
  memory(): number {
    return process.memoryUsage.rss();
  }

  /** Opens the checkout of a new order as its payer does. Resolves with the identifier of the invoice, while he waits. */
  async #open(payer: Payer, port: number, index: number): Promise<string> {
    const checkout = await placeOrder(port);
    const { session, close } = createPayerSession({ port, index, checkout }, (transport) =>
      this.#measured(payer, transport),
    );
    session.onEvent((event) => {
      if (event.type !== 'paid') return;
      payer.isDone = true;
      close();
      if (payer.paidAt === undefined) countError(this.#measurements, 'paid was shown, and nobody has paid');
      else this.#measurements.paidToPayer.push(performance.now() - payer.paidAt);
    });
    return requestInvoice(session);
  }

  /** The transport of a payer, whose reads are counted. */
  #measured(payer: Payer, transport: CheckoutTransport): CheckoutTransport {
    return {
      ...transport,
      read: async (request, signal) => {
        const sentAt = performance.now();
        this.#measurements.requests += 1;
        try {
          const answer = await transport.read(request, signal);
          const now = performance.now();
          payer.servedAt = now;
          this.#measurements.responses += 1;
          if (answer.kind === 'checkout') payer.isStale = answer.checkout.stale;
          else if (request.waitSeconds !== undefined)
            this.#measurements.delays.push(Math.max(0, now - sentAt - request.waitSeconds * 1000));
          if (payer.isStale) this.#measurements.stale += 1;
          return answer;
        } catch (error) {
          if (!signal.aborted) countError(this.#measurements, describe(CheckoutError.from(error)));
          throw error;
        }
      },
    };
  }
}

export interface PayersCheckout {
  readonly port: number;
  /** The number of the payer, from which his network address follows. */
  readonly index: number;
  /** The capability. */
  readonly checkout: string;
}

/** Creates the session of one payer, with a connection of its own. `measure` wraps the transport. */
export function createPayerSession(
  { port, index, checkout }: PayersCheckout,
  measure: (transport: CheckoutTransport) => CheckoutTransport,
): { readonly session: CheckoutSession; readonly close: () => void } {
  const connection = createKeepAliveFetch();
  const headers = buyerHeaders(index);
  const endpoint = `http://127.0.0.1:${port}/checkout`;
  const ports = browserPorts({ endpoint, checkout, fetch: connection.fetch, headers });
  const session = createSession({ ...ports, pageLifecycle: neverHidden, transport: measure(ports.transport) });
  const close = (): void => {
    session.stop();
    connection.close();
  };
  return { session, close };
}

/** How long a payer takes to press again after a refusal, in ms. */
const pressAgainMs = 1000;

/** Starts a session, and presses SBP until the payer has an invoice. Resolves with its identifier. */
export function requestInvoice(session: CheckoutSession): Promise<string> {
  return new Promise((resolve) => {
    let pressAfterMs = 0;
    let isGoingToPress = false;
    const press = (): void => {
      isGoingToPress = false;
      pressAfterMs = pressAgainMs;
      session.select('pm_sbp');
      session.createInvoice();
    };
    const unsubscribe = session.subscribe((state) => {
      if (state.status === 'choosing' && !isGoingToPress) {
        isGoingToPress = true;
        setTimeout(press, pressAfterMs);
      }
      if (state.status !== 'waiting') return;
      unsubscribe();
      resolve(state.invoice.id);
    });
    session.start();
  });
}

/** The kind of an error: its code, and the system's code of a lost connection. */
function describe({ code, cause }: CheckoutError): string {
  const inner = cause instanceof Error ? cause.cause : undefined;
  return inner instanceof Error && 'code' in inner ? `${code} (${String(inner.code)})` : code;
}

function countError({ reasons }: PayerMeasurements, reason: string): void {
  reasons[reason] = (reasons[reason] ?? 0) + 1;
}

function emptyMeasurements(): PayerMeasurements {
  return { requests: 0, responses: 0, reasons: {}, stale: 0, delays: [], paidToPayer: [] };
}
