import type {
  CheckoutServer,
  createCheckoutServer,
  createInvoiceServiceClient,
  createMemoryStore,
  CheckoutWithOutcomes,
  CreateCheckoutParams,
  Outcome,
  StoreUnavailableError,
} from '../../src/server.ts';
import { createKillableProcess, type KillableProcess } from '../support/killable-process.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { createFaultyStore, type SharedDatabase } from './faulty-store.ts';
import type { Recorder } from './history.ts';
import { connectionRefused, connectionReset, messageOf, type Message } from './network.ts';
import type { FaultName } from './plan.ts';
import { randomPort } from './random-port.ts';
import { serviceAccess } from './service.ts';
import type { MachineClock, VirtualTime } from './virtual-time.ts';

/** The server's code. A test passes code with a defect. */
export interface ServerCode {
  readonly createCheckoutServer: typeof createCheckoutServer;
  readonly createInvoiceServiceClient: typeof createInvoiceServiceClient;
  readonly createMemoryStore: typeof createMemoryStore;
  readonly StoreUnavailableError: typeof StoreUnavailableError;
}

export interface ShopParts {
  readonly code: ServerCode;
  readonly database: SharedDatabase;
  readonly time: VirtualTime;
  readonly clock: MachineClock;
  readonly random: SeededRandom;
  readonly recorder: Recorder;
  readonly has: (fault: FaultName) => boolean;
  readonly stepsBetweenKills: number;
  /** Sends a request of a server to the invoice service. */
  readonly callService: (server: number, message: Message) => Promise<Response>;
}

export const endpoint = 'https://shop.example/checkout';

/** Calls after which, or before which, a process may be killed. Other calls are too frequent to be interesting. */
const killPoints = new Set(['insert', 'save', 'fetch', 'onOutcome', 'markOutcomeDelivered', 'retryOutcome']);

interface RunningServer {
  readonly process: KillableProcess;
  readonly server: CheckoutServer;
  /** Rejects when the process is killed. */
  readonly death: Promise<never>;
  readonly die: () => void;
}

/** One server process of the shop, which is killed and started again. */
export class ShopServer {
  readonly #number: number;
  readonly #parts: ShopParts;
  readonly #onOutcome: (outcome: Outcome, signal: AbortSignal) => Promise<void>;
  #running: RunningServer | undefined;
  #stepsUntilKill = Infinity;

  constructor(number: number, parts: ShopParts, onOutcome: (outcome: Outcome, signal: AbortSignal) => Promise<void>) {
    this.#number = number;
    this.#parts = parts;
    this.#onOutcome = onOutcome;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  start(): void {
    if (this.#running !== undefined) return;
    const { code, database, time, clock, random, recorder, has, stepsBetweenKills, callService } = this.#parts;
    const process = createKillableProcess((name) => this.#onStep(name));
    const unavailable = (reason: string): Error => new code.StoreUnavailableError(reason);
    let unsubscribe = (): void => undefined;
    const onSubscribe = (end: () => void): void => void (unsubscribe = end);
    const faultyStore = createFaultyStore(database, { time, random, recorder, has, unavailable, onSubscribe });
    const ports = process.bind({
      fetch: (input: string | URL | Request, init?: RequestInit) => callService(this.#number, messageOf(input, init)),
      onOutcome: (outcome: Outcome, { signal }: { readonly signal: AbortSignal }) => this.#onOutcome(outcome, signal),
    });
    // Reads of the clock need no kill point.
    const boundClock = process.bind(clock);
    const schedule = (ms: number, task: () => void): (() => void) => boundClock.schedule(ms, task);
    const monotonic = (): number => clock.monotonic();
    const common = {
      random: randomPort(random),
      log: (level: string, event: string, facts: object) => {
        if (level !== 'info') recorder.note(`server ${this.#number}: ${event}`);
        if (event === 'record_rule_broken' && 'rule' in facts)
          recorder.add({ kind: 'record_rule_broken', at: time.now, rule: String(facts.rule) });
      },
    };
    const service = code.createInvoiceServiceClient({
      ...serviceAccess,
      log: common.log,
      clock: { now: monotonic, monotonic, schedule },
      fetch: ports.fetch,
    });
    const server = code.createCheckoutServer({
      ...common,
      clock: { now: () => clock.now(), monotonic, schedule },
      service,
      store: process.bind(faultyStore),
      endpoint,
      mode: 'LIVE',
      statuses: { paid: ['PAID'], failed: ['FAILED'], expired: ['EXPIRED'], pending: ['PENDING'] },
      onOutcome: ports.onOutcome,
    });
    let die = (): void => undefined;
    const death = new Promise<never>((_, reject) => {
      die = () => {
        unsubscribe();
        reject(connectionReset());
      };
    });
    death.catch(() => undefined);
    this.#running = { process, server, death, die };
    this.#stepsUntilKill = has('servers are killed')
      ? 1 + Math.floor(-Math.log(1 - random.next()) * stepsBetweenKills)
      : Infinity;
    recorder.note(`server ${this.#number} starts`);
    server.start();
  }

  kill(): void {
    if (this.#running === undefined) return;
    this.#parts.recorder.note(`server ${this.#number} is killed`);
    this.#parts.recorder.counts.kills += 1;
    this.#running.process.kill();
    this.#running.die();
    this.#running = undefined;
  }

  /** Handles a request of a payer's page or of the service. */
  async handle(request: Request, address: string): Promise<Response> {
    if (this.#running === undefined) throw connectionRefused();
    const { server, death } = this.#running;
    return Promise.race([server.handle(request, { address }), death]);
  }

  /** Calls the server from the shop's own code. */
  async call<T>(work: (server: CheckoutServer) => Promise<T>): Promise<T> {
    if (this.#running === undefined) throw connectionRefused();
    const { server, death } = this.#running;
    return Promise.race([work(server), death]);
  }

  #onStep(name: string): void {
    if (!killPoints.has(name) || !this.#parts.has('servers are killed')) return;
    this.#stepsUntilKill -= 1;
    if (this.#stepsUntilKill > 0) return;
    this.kill();
    const { time, random } = this.#parts;
    time.schedule(random.pick([50, 3000, 30_000]), () => this.start());
  }
}

/** The shop: two server processes on one database, and its handler of outcomes. */
export class Shop {
  readonly servers: readonly [ShopServer, ShopServer];
  readonly #parts: ShopParts;

  constructor(parts: ShopParts) {
    this.#parts = parts;
    const onOutcome = (outcome: Outcome, signal: AbortSignal): Promise<void> => this.#receive(outcome, signal);
    this.servers = [new ShopServer(0, parts, onOutcome), new ShopServer(1, parts, onOutcome)];
  }

  /** The server to which a balancer sends a request: one that runs, where it knows. */
  #choose(): ShopServer {
    const { random } = this.#parts;
    const server = random.pick(this.servers);
    return server.isRunning || random.chance(0.1)
      ? server
      : (this.servers.find(({ isRunning }) => isRunning) ?? server);
  }

  /** Handles a request of a payer's page or of the service. `body` is its text. */
  handle(request: Request, body: string, address: string): Promise<Response> {
    const key = request.headers.get('idempotency-key');
    if (key !== null) {
      const { recorder, time } = this.#parts;
      const [, capability = ''] = /(chk_[\w-]+)\/invoice/.exec(request.url) ?? [];
      const orderId = this.#orderIds.get(capability) ?? '';
      recorder.add({ kind: 'create_request', at: time.now, orderId, key, replace: body.includes('"replace":true') });
    }
    return this.#choose().handle(request, address);
  }

  readonly #orderIds = new Map<string, string>();
  readonly #checkoutIds = new Map<string, string>();
  readonly #params = new Map<string, CreateCheckoutParams>();

  /** Places an order. Resolves with the capability of its checkout; repeats until the database has it. */
  async placeOrder(orderId: string, amount: string | null): Promise<string> {
    const { recorder, time } = this.#parts;
    const limits = amount === null ? { amountLimits: { minAmount: '100.00', maxAmount: '5000.00' } } : { amount };
    const params = { orderId, ...limits, currency: 'RUB', successUrl: 'https://shop.example/thanks' };
    const { id, capability } = await this.#repeat((server) => server.create(params));
    this.#params.set(orderId, params);
    this.#orderIds.set(capability, orderId);
    this.#checkoutIds.set(capability, id);
    recorder.add({ kind: 'order', at: time.now, orderId, amount });
    return capability;
  }

  async close(capability: string): Promise<void> {
    await this.#repeat((server) => server.close(this.#checkoutIds.get(capability) ?? ''));
    const { recorder, time } = this.#parts;
    const orderId = this.#orderIds.get(capability) ?? '';
    recorder.add({ kind: 'closed', at: time.now, orderId });
    // The shop shows the order again: what is closed stays closed.
    const params = this.#params.get(orderId);
    if (params !== undefined) await this.#repeat((server) => server.create(params));
  }

  /** What an operator does about an invoice that is no longer fetched: he lets the server ask the service once more. */
  async checkUnresolved(capability: string): Promise<void> {
    const checkout = await this.read(capability);
    if (checkout?.outcomes.some(({ kind }) => kind === 'invoice_unresolved') !== true) return;
    await this.#repeat((server) => server.check(checkout.id));
  }

  async read(capability: string): Promise<CheckoutWithOutcomes | undefined> {
    return this.#repeat((server) => server.get(this.#checkoutIds.get(capability) ?? ''));
  }

  async #repeat<T>(work: (server: CheckoutServer) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.#choose().call(work);
      } catch {
        // The database or a server is away, or both servers stand still for days.
        await this.#parts.time.sleep(this.servers.some(({ isRunning }) => isRunning) ? 1000 : 60_000);
      }
    }
  }

  async #receive(outcome: Outcome, signal: AbortSignal): Promise<void> {
    const { has, random, recorder, time } = this.#parts;
    await time.sleep(random.int(1, 300));
    const fails = has('shop fails') && random.chance(0.3);
    const isApplied = !fails || random.chance(0.3);
    if (has('shop hangs') && random.chance(0.1))
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    recorder.add({ kind: 'outcome', at: time.now, outcome, isApplied });
    if (fails) throw new Error('the shop cannot store the outcome');
  }
}
