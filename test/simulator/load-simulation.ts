import { FakeInvoiceService } from '../support/fake-invoice-service.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { presentCode, type LoadCode } from './load-code.ts';
import { LoadDatabase } from './load-database.ts';
import { LoadPayer } from './load-payer.ts';
import type { LoadPlan } from './load-plan.ts';
import { LoadServer } from './load-server.ts';
import { MachineClock, VirtualTime } from './virtual-time.ts';

/** How many requests have failed, by the code of the error. */
type Failures = Readonly<Record<string, number>>;

/** The result of a run. */
export interface LoadReport {
  readonly plan: LoadPlan;
  /** The rules that are broken; empty when the system came back by itself. */
  readonly violations: readonly string[];
  /** In the calm before the disturbance, in the minute after it, and then. */
  readonly failures: { readonly calm: Failures; readonly recovering: Failures; readonly recovered: Failures };
  /** When, after the disturbance, every payer had an answer, in ms; Infinity: never. */
  readonly servedAfterMs: number;
  /** How long it took to tell a payer of his payment, at most; Infinity: one was never told. */
  readonly slowestNewsMs: number;
}

// The phases of a run, in ms.
const arriveMs = 60_000;
const settleMs = 30_000;
const calmMs = 20_000;
/** Within this time after a disturbance the system has to come back by itself. */
const recoveryMs = 60_000;
const judgedMs = 45_000;
/** How long it may take to tell a payer of his payment. */
const newsMs = 8000;

const payEveryMs = 3000;

/** Simulates payers who wait, a disturbance, and the time after it. */
export async function simulateLoad(plan: LoadPlan, code: LoadCode = presentCode): Promise<LoadReport> {
  return new LoadSimulation(plan, code).run();
}

class LoadSimulation {
  readonly #plan: LoadPlan;
  readonly #code: LoadCode;
  readonly #random: SeededRandom;
  readonly #time: VirtualTime;
  readonly #service: FakeInvoiceService;
  readonly #database: LoadDatabase;
  readonly #server: LoadServer;
  readonly #payers: LoadPayer[] = [];
  #failures: Record<string, number> = {};
  #orderCount = 0;
  #isOver = false;

  constructor(plan: LoadPlan, code: LoadCode) {
    this.#plan = plan;
    this.#code = code;
    this.#random = new SeededRandom(plan.seed);
    this.#time = new VirtualTime(this.#random.fork());
    const clock = new MachineClock(this.#time);
    const parts = { plan, code, time: this.#time, random: this.#random.fork() };
    this.#service = new FakeInvoiceService(() => clock.now());
    this.#database = new LoadDatabase(parts);
    this.#server = new LoadServer({ ...parts, database: this.#database, service: this.#service });
  }

  async run(): Promise<LoadReport> {
    this.#server.start();
    this.#placeOrders(this.#plan.payers, arriveMs);
    await this.#pass(arriveMs + settleMs);
    const calm = await this.#pass(calmMs);
    await this.#time.settle(this.#disturb());
    const endedAt = this.#time.now;
    const serving = this.#waitUntilServed(endedAt);
    void this.#pay();
    const recovering = await this.#pass(recoveryMs);
    const recovered = await this.#pass(judgedMs);
    this.#isOver = true;
    await this.#pass(newsMs);
    for (const payer of this.#payers) payer.close();
    this.#server.kill();
    const servedAfterMs = await serving;
    const news = this.#payers.flatMap(({ paidAt, toldAt = Infinity }) =>
      paidAt === undefined ? [] : { paidAt, toldAt },
    );
    const isLate = news.some(({ paidAt, toldAt }) => toldAt - Math.max(paidAt, endedAt + recoveryMs) > newsMs);
    const violations = [
      ...(hasAny(calm) ? ['no request fails in the calm'] : []),
      ...(hasAny(recovered) ? ['a minute after a disturbance no request fails'] : []),
      ...(servedAfterMs > recoveryMs ? ['a minute after a disturbance everybody has had an answer'] : []),
      ...(isLate ? ['a minute after a disturbance payments are told in time'] : []),
    ];
    const slowestNewsMs = Math.max(...news.map(({ paidAt, toldAt }) => toldAt - paidAt));
    return { plan: this.#plan, violations, failures: { calm, recovering, recovered }, servedAfterMs, slowestNewsMs };
  }

  /** Lets time pass. Resolves with the failures in it. */
  async #pass(ms: number): Promise<Failures> {
    const failures = (this.#failures = {});
    await this.#time.runUntil(this.#time.now + ms);
    return failures;
  }

  /** Resolves when the disturbance is over. What fails during it is not counted. */
  async #disturb(): Promise<void> {
    const { disturbance, lastsMs, payers } = this.#plan;
    this.#failures = {};
    switch (disturbance) {
      case 'the server restarts':
        this.#server.kill();
        await this.#time.sleep(lastsMs);
        this.#server.start();
        break;
      case 'the database is away':
        await this.#database.restart(lastsMs);
        break;
      case 'all connections are cut':
        this.#server.cutConnections();
        break;
      case 'many orders come at once':
        this.#placeOrders(Math.round(payers / 5), lastsMs);
        await this.#time.sleep(lastsMs);
        break;
    }
  }

  #placeOrders(count: number, withinMs: number): void {
    for (let number = 0; number < count; number += 1)
      this.#time.schedule(this.#random.next() * withinMs, () => void this.#placeOrder());
  }

  async #placeOrder(): Promise<void> {
    const random = this.#random.fork();
    const capability = await this.#server.placeOrder(`order-${(this.#orderCount += 1)}`).catch(() => undefined);
    if (capability === undefined) return;
    const onFailure = (code: string): void => void (this.#failures[code] = (this.#failures[code] ?? 0) + 1);
    const parts = { code: this.#code, time: this.#time, server: this.#server };
    this.#payers.push(new LoadPayer({ ...parts, random, capability, onFailure }));
  }

  /** Payers pay, one after the other. */
  async #pay(): Promise<void> {
    while (!this.#isOver) {
      const payer = this.#payers[this.#random.int(0, this.#payers.length - 1)];
      const invoiceId = payer?.invoiceId;
      if (payer !== undefined && invoiceId !== undefined) {
        payer.paidAt ??= this.#time.now;
        this.#service.setStatus('PAID', invoiceId);
      }
      await this.#time.sleep(payEveryMs);
    }
  }

  async #waitUntilServed(since: number): Promise<number> {
    while (!this.#isOver) {
      await this.#time.sleep(1000);
      if (this.#payers.every((payer) => payer.isServedSince(since))) return this.#time.now - since;
    }
    return Infinity;
  }
}

const hasAny = (failures: Failures): boolean => Object.keys(failures).length > 0;
