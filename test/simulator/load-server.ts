import type { CheckoutServer, InvoiceService } from '../../src/server.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { EventLoop } from './event-loop.ts';
import type { LoadCode } from './load-code.ts';
import type { LoadDatabase } from './load-database.ts';
import { scale, type LoadPlan } from './load-plan.ts';
import { connectionRefused, connectionReset, type Message } from './network.ts';
import { randomPort } from './random-port.ts';
import { endpoint } from './shop.ts';
import { MachineClock, type VirtualTime } from './virtual-time.ts';

/** A request of a payer on its way. */
export interface Call {
  readonly message: Message;
  /** Aborted when the server notices that the payer has closed the connection. */
  readonly gone: AbortController;
  readonly respond: (response: Response) => void;
  readonly fail: (error: Error) => void;
}

interface ServerParts {
  readonly plan: LoadPlan;
  readonly code: LoadCode;
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly database: LoadDatabase;
  readonly service: InvoiceService;
}

/** After how many ms the system of a client repeats a request for a connection that is not answered, as Linux does. */
const connectAgainMs = [1000, 2000, 4000, 8000] as const;
/** How long the invoice service takes for a call, in ms. */
const serviceMs = 100;

/** A server process: its listen queue, its connections, its event loop, and the checkout server in it. */
export class LoadServer {
  /** Identifies the connections that are open. Another one after all of them were lost. */
  connections = Symbol();
  readonly #parts: ServerParts;
  readonly #clock: MachineClock;
  readonly #calls = new Set<Call>();
  #listenQueue: Call[] = [];
  #running: { readonly loop: EventLoop; readonly server: CheckoutServer; readonly close: () => void } | undefined;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#clock = new MachineClock(parts.time);
  }

  start(): void {
    const { plan, code, time, random, database } = this.#parts;
    const loop = new EventLoop(time, plan.turnMs, () => this.#accept());
    const clock = loop.clock(this.#clock);
    const { store, close } = database.open(loop, clock);
    const server = code.createCheckoutServer({
      store,
      clock,
      endpoint,
      service: this.#serviceOf(loop),
      random: randomPort(random.fork()),
      log: () => undefined,
      mode: 'LIVE',
      statuses: { paid: ['PAID'], failed: ['FAILED'], expired: ['EXPIRED'], pending: ['PENDING'] },
      // All payers have one address.
      limits: { createsOfAddress: { burst: 10_000, perMinute: 10_000 } },
      onOutcome: () => Promise.resolve(),
    });
    this.#running = { loop, server, close };
    server.start();
  }

  /** The process ends at once. */
  kill(): void {
    this.#running?.loop.kill();
    this.#running?.close();
    this.#running = undefined;
    this.#listenQueue = [];
    this.cutConnections();
  }

  cutConnections(): void {
    this.connections = Symbol();
    for (const call of this.#calls) {
      this.giveUp(call);
      call.fail(connectionReset());
    }
  }

  /** Creates the checkout of an order. Resolves with its capability. */
  async placeOrder(orderId: string): Promise<string> {
    if (this.#running === undefined) throw connectionRefused();
    const { loop, server } = this.#running;
    await loop.enter(this.#parts.plan.requestMs);
    const params = { orderId, amount: '1500.00', currency: 'RUB', successUrl: 'https://shop.example/thanks' };
    return (await server.create(params)).capability;
  }

  /** Receives a request, on a connection that is open or on a new one. */
  receive(call: Call, isConnected: boolean): void {
    this.#calls.add(call);
    if (isConnected) this.#running?.loop.post(this.#parts.plan.requestMs, () => void this.#serve(call));
    else this.#connect(call);
  }

  /** The payer closes the connection. One that waits to be accepted keeps its place. */
  giveUp(call: Call): void {
    this.#calls.delete(call);
    if (this.#listenQueue.includes(call)) call.gone.abort();
    else this.#running?.loop.post(0, () => call.gone.abort());
  }

  #connect(call: Call, tries = 0): void {
    if (!this.#calls.has(call)) return;
    if (this.#running === undefined) {
      this.#calls.delete(call);
      call.fail(connectionRefused());
    } else if (this.#listenQueue.length < this.#parts.code.backlog / scale) {
      this.#listenQueue.push(call);
      this.#running.loop.post(0, () => undefined);
    } else this.#parts.time.schedule(connectAgainMs[tries] ?? 16_000, () => this.#connect(call, tries + 1));
  }

  /** Accepts one connection, and reads its request in the next turn, also when its payer has gone. */
  #accept(): void {
    const call = this.#listenQueue.shift();
    const loop = this.#running?.loop;
    if (call === undefined || loop === undefined) return;
    const { requestMs } = this.#parts.plan;
    loop.post(requestMs / 4, () => loop.post(requestMs, () => void this.#serve(call)));
  }

  async #serve(call: Call): Promise<void> {
    if (this.#running === undefined) return;
    const { loop, server } = this.#running;
    const { url, method, headers, body } = call.message;
    const request = new Request(url, { method, headers, ...(body === undefined ? {} : { body }) });
    // A signal that the constructor follows costs more than the rest of the request.
    Object.defineProperty(request, 'signal', { value: call.gone.signal });
    const response = await server.handle(request, { address: '192.0.2.1' });
    await loop.enter(this.#parts.plan.requestMs / 2);
    if (this.#calls.delete(call)) call.respond(response);
  }

  /** The invoice service, whose answers occupy the event loop. */
  #serviceOf(loop: EventLoop): InvoiceService {
    const { time, service, plan } = this.#parts;
    const answer = async <T>(call: Promise<T>): Promise<T> => {
      await time.sleep(serviceMs);
      await loop.enter(plan.requestMs);
      return call;
    };
    return {
      createInvoice: (request) => answer(service.createInvoice(request)),
      fetchPaymentOptions: (amount) => answer(service.fetchPaymentOptions(amount)),
      fetchInvoices: (ids) => answer(service.fetchInvoices(ids)),
    };
  }
}
