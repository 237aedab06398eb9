import {
  createCheckoutServer,
  createInvoiceServiceClient,
  createMemoryStore,
  StoreUnavailableError,
  type CheckoutStore,
} from '../../src/server.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import type { SharedDatabase } from './faulty-store.ts';
import { floodWithNotifications, settlePayment, type EventParts } from './bank.ts';
import { Recorder } from './history.ts';
import { Network, noLinkFaults, type LinkFaults, type Message } from './network.ts';
import { Payer } from './payer.ts';
import type { FaultName, Plan } from './plan.ts';
import { randomPort } from './random-port.ts';
import type { Random } from '../../src/base/random.ts';
import { checkHistory, type Violation } from './rules.ts';
import { SimulatedService } from './service.ts';
import { Shop, type ServerCode } from './shop.ts';
import { MachineClock, VirtualTime } from './virtual-time.ts';

/** The result of a run. */
export interface Report {
  readonly plan: Plan;
  readonly payments: number;
  readonly outcomes: number;
  readonly kills: number;
  readonly lost_messages: number;
  readonly violations: readonly Violation[];
  /** A hash of everything that happened, in its order. */
  readonly trace: string;
  /** What happened, one line each; empty unless lines are kept. */
  readonly lines: readonly string[];
}

export const currentCode: ServerCode = {
  createCheckoutServer,
  createInvoiceServiceClient,
  createMemoryStore,
  StoreUnavailableError,
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Without faults, everything ends within this time, except what is only looked for with growing pauses. */
const quietMs = 30 * minuteMs;
/** After this time everything that is still looked for is due. */
const overdueMs = 60 * hourMs;

interface SimulationOptions {
  readonly code?: ServerCode | undefined;
  /** Keeps a line for each thing that happens. */
  readonly keepsLines?: boolean | undefined;
  /** Opens the store; by default it is in memory. */
  readonly openStore?: (ports: { readonly clock: MachineClock; readonly random: Random }) => Promise<CheckoutStore>;
}

/**
 * Simulates the system for the hours of the plan, and then a time without faults, and judges what happened. `simulatePlan`
 * (simulate-plan.ts) also opens the plan's store.
 */
export async function simulate(plan: Plan, options: SimulationOptions = {}): Promise<Report> {
  const { code = currentCode, openStore } = options;
  const random = new SeededRandom(plan.seed);
  const time = new VirtualTime(random.fork());
  const ports = { clock: new MachineClock(time), random: randomPort(random.fork()) };
  const store = openStore === undefined ? code.createMemoryStore() : await openStore(ports);
  return new Simulation(plan, code, store, random, time, options).run();
}

class Simulation {
  readonly #plan: Plan;
  readonly #random: SeededRandom;
  readonly #time: VirtualTime;
  readonly #recorder: Recorder;
  readonly #network: Network;
  readonly #shopClock: MachineClock;
  readonly #service: SimulatedService;
  readonly #shop: Shop;
  readonly #database: SharedDatabase;
  readonly #payers: Payer[] = [];
  readonly #orders: { readonly orderId: string; readonly capability: string }[] = [];
  #isQuiet = false;
  #isStopped = false;

  constructor(
    plan: Plan,
    code: ServerCode,
    store: CheckoutStore,
    random: SeededRandom,
    time: VirtualTime,
    { keepsLines = false }: SimulationOptions,
  ) {
    this.#plan = plan;
    this.#database = { store, listeners: new Set(), awayUntil: 0 };
    this.#time = time;
    this.#recorder = new Recorder(() => time.now, keepsLines);
    const recorder = this.#recorder;
    this.#network = new Network(time, random.fork(), recorder);
    this.#shopClock = new MachineClock(time);
    this.#service = new SimulatedService({
      plan,
      time,
      clock: new MachineClock(time),
      random: random.fork(),
      recorder,
      sendWebhook: (request) => this.#notify(request),
    });
    this.#shop = new Shop({
      code,
      database: this.#database,
      time,
      clock: this.#shopClock,
      random: random.fork(),
      recorder,
      has: (fault) => this.#has(fault),
      stepsBetweenKills: plan.stepsBetweenKills,
      callService: (server, message) => this.#callService(server, message),
    });
    this.#random = random.fork();
  }

  async run(): Promise<Report> {
    for (const server of this.#shop.servers) server.start();
    void this.#service.runFaults();
    void this.#placeOrders();
    for (const [fault, everyMs, work] of this.#disturbances()) void this.#repeat(fault, everyMs, work);
    await this.#passHours();
    await this.#passQuietTime();
    const { violations, trace } = { violations: checkHistory(this.#recorder.events), trace: this.#recorder.digest() };
    return { plan: this.#plan, ...this.#recorder.counts, violations, trace, lines: this.#recorder.lines };
  }

  #has(fault: FaultName): boolean {
    return !this.#isQuiet && this.#plan.faults.includes(fault);
  }

  async #passHours(): Promise<void> {
    for (let leftMs = this.#plan.hours * hourMs; leftMs > 0;) {
      const stopsAfterMs = this.#has('servers stop for days') ? this.#random.int(30, 300) * minuteMs : Infinity;
      const partMs = Math.min(leftMs, stopsAfterMs);
      await this.#time.runUntil(this.#time.now + partMs);
      leftMs -= partMs;
      if (leftMs > 0) await this.#stopFor(this.#random.pick([8, 60, 100]) * hourMs);
    }
  }

  /** Both servers stand still, and nobody looks at a page. */
  async #stopFor(ms: number): Promise<void> {
    this.#recorder.note(`the servers stop for ${ms} ms`);
    this.#isStopped = true;
    for (const payer of this.#payers) payer.leave();
    for (const server of this.#shop.servers) server.kill();
    await this.#time.runUntil(this.#time.now + ms);
    this.#isStopped = false;
    for (const server of this.#shop.servers) server.start();
  }

  /** Ends all faults, and gives the system the time to finish its work. */
  async #passQuietTime(): Promise<void> {
    this.#isQuiet = true;
    this.#recorder.note('quiet time begins');
    this.#database.awayUntil = 0;
    await this.#time.settle(this.#service.beQuiet());
    for (const server of this.#shop.servers) server.start();
    for (const payer of this.#payers) payer.awake();
    await this.#time.runUntil(this.#time.now + quietMs);
    for (const payer of this.#payers) payer.sleep();
    for (const server of this.#shop.servers) server.kill();
    await this.#time.runUntil(this.#time.now + overdueMs);
    for (const server of this.#shop.servers) server.start();
    for (const payer of this.#payers) payer.awake();
    for (const { capability } of this.#orders) await this.#time.settle(this.#shop.checkUnresolved(capability));
    await this.#time.runUntil(this.#time.now + 5 * minuteMs);
    for (const { orderId, capability } of this.#orders) await this.#time.settle(this.#recordEnd(orderId, capability));
    for (const server of this.#shop.servers) server.kill();
    this.#service.close();
  }

  async #recordEnd(orderId: string, capability: string): Promise<void> {
    const checkout = await this.#shop.read(capability);
    if (checkout === undefined) return;
    const invoices = checkout.invoices.map(({ id, externalId, status }) => ({ id, externalId, status }));
    this.#recorder.add({ kind: 'end', at: this.#time.now, orderId, status: checkout.status, invoices });
  }

  async #placeOrders(): Promise<void> {
    for (let number = 1; ; number += 1) {
      await this.#time.sleep(-Math.log(1 - this.#random.next()) * this.#plan.orderEveryMs);
      if (this.#isQuiet) return;
      if (!this.#isStopped) void this.#placeOrder(`order-${number}`);
    }
  }

  async #placeOrder(orderId: string): Promise<void> {
    const random = this.#random.fork();
    const typesAmount = this.#has('payers type amounts') && random.chance(0.3);
    const capability = await this.#shop.placeOrder(orderId, typesAmount ? null : '1500.00');
    this.#orders.push({ orderId, capability });
    if (this.#isStopped || this.#isQuiet) return;
    const address = `192.0.2.${random.int(1, 254)}`;
    const payer = new Payer({
      orderId,
      capability,
      typesAmount,
      time: this.#time,
      random,
      recorder: this.#recorder,
      has: (fault) => this.#has(fault),
      isQuiet: () => this.#isQuiet,
      send: (message) =>
        this.#network.send(orderId, this.#payerLink(), message, (request, body) =>
          this.#shop.handle(request, body, address),
        ),
      pay: (invoiceId) => void settlePayment(this.#eventParts(), invoiceId),
    });
    for (const gone of this.#payers.filter(({ hasLeft }) => hasLeft))
      this.#payers.splice(this.#payers.indexOf(gone), 1);
    this.#payers.push(payer);
    if (this.#has('shop closes orders') && random.chance(0.2))
      this.#time.schedule(random.int(10, 1200) * 1000, () => void this.#shop.close(capability));
  }

  #eventParts(): EventParts {
    return {
      time: this.#time,
      random: this.#random,
      service: this.#service,
      shop: this.#shop,
      has: (fault) => this.#has(fault),
      isQuiet: () => this.#isQuiet,
    };
  }

  #payerLink(): LinkFaults {
    return {
      lost: this.#has('payers lose messages') ? this.#plan.loss : 0,
      lostAnswer: this.#has('payers lose messages') ? this.#plan.loss : 0,
      repeated: this.#has('payers repeat messages') ? 0.05 : 0,
      slow: this.#has('payers have slow messages') ? 0.05 : 0,
      cutAfterMs: this.#has('proxy cuts long polls') ? 20_000 : undefined,
    };
  }

  #serviceLink(): LinkFaults {
    return {
      lost: this.#has('service loses messages') ? this.#plan.loss / 2 : 0,
      lostAnswer: this.#has('service loses messages') ? this.#plan.loss / 2 : 0,
      repeated: this.#has('service repeats messages') ? 0.02 : 0,
      slow: this.#has('service has slow messages') ? 0.03 : 0,
      cutAfterMs: undefined,
    };
  }

  async #callService(server: number, message: Message): Promise<Response> {
    const sentAt = this.#time.now;
    const recordFailure = (): void => {
      if (!message.url.endsWith('FetchInvoices')) return;
      const invoiceIds = [...(message.body ?? '').matchAll(/inv_\w+/g)].map(([id]) => id);
      this.#recorder.add({ kind: 'fetch_failed', at: this.#time.now, invoiceIds });
    };
    try {
      const response = await this.#network.send(`server ${server}`, this.#serviceLink(), message, (request, text) =>
        this.#service.handle(server, request, text),
      );
      if (!response.ok || this.#service.isDisturbed || this.#time.now - sentAt > 1000) recordFailure();
      return response;
    } catch (error) {
      recordFailure();
      throw error;
    }
  }

  async #notify({ url, method, headers, signal }: Request): Promise<Response> {
    if (this.#plan.faults.includes('no notifications')) return new Response(null, { status: 204 });
    return this.#network.send(
      'notification',
      noLinkFaults,
      { url, method, headers, body: '{}', signal },
      (request, body) => this.#shop.handle(request, body, '198.51.100.1'),
    );
  }

  /** Faults that happen at random times: each with the average time between two of them. */
  #disturbances(): readonly (readonly [FaultName, number, () => void | Promise<void>])[] {
    const random = this.#random;
    return [
      [
        'store is away',
        20 * minuteMs,
        () => void (this.#database.awayUntil = this.#time.now + random.int(1, 120) * 1000),
      ],
      ['clocks step', 40 * minuteMs, () => this.#stepClocks(random.pick([-hourMs, -90_000, 90_000, hourMs]))],
      ['servers are killed', 15 * minuteMs, () => this.#killForSomeTime()],
      ['notification floods', 40 * minuteMs, () => floodWithNotifications(this.#eventParts())],
    ];
  }

  #stepClocks(ms: number): void {
    this.#shopClock.step(ms);
    if (ms < 0) this.#recorder.add({ kind: 'clocks_set_back', at: this.#time.now });
  }

  async #repeat(fault: FaultName, everyMs: number, work: () => void | Promise<void>): Promise<void> {
    if (!this.#has(fault)) return;
    for (;;) {
      await this.#time.sleep(-Math.log(1 - this.#random.next()) * everyMs);
      if (this.#isQuiet) return;
      if (this.#isStopped) continue;
      this.#recorder.note(fault);
      await work();
    }
  }

  async #killForSomeTime(): Promise<void> {
    const server = this.#random.pick(this.#shop.servers);
    server.kill();
    await this.#time.sleep(this.#random.int(10, 60_000));
    if (!this.#isStopped) server.start();
  }
}
