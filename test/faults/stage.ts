import { createSandbox } from '../../src/sandbox/sandbox.ts';
import type { DatabaseLocation } from '../../src/stores/database.ts';
import { openBooks, type Books } from './books.ts';
import { Dice } from './dice.ts';
import { runClock, runTime } from './fast-time.ts';
import { Payer } from './payer.ts';
import type { Plan } from './plan.ts';
import { Service } from './service.ts';
import { ShopProcess } from './shop-process.ts';
import { openWire, type Wire, type WireFault } from './wire.ts';

/** What runs share. */
export interface StageParts {
  /** The file of the shop's program. */
  readonly program: string;
  /** A new, empty database. */
  readonly freshPlace: () => Promise<DatabaseLocation>;
}

const token = 'campaign-token';

/** Everything that a run plays on: the service, the shop's processes, the ways between them, and the payers. */
export class Stage {
  readonly plan: Plan;
  readonly trace: string[] = [];
  readonly payers: Payer[] = [];
  readonly shops: ShopProcess[] = [];
  readonly struck = new Map<string, number>();
  readonly service: Service;
  readonly books: Books;
  readonly #wires: Wire[] = [];
  readonly #undo: (() => Promise<unknown>)[];
  readonly #start = performance.now();
  #isSpoilt = false;

  private constructor(plan: Plan, service: Service, books: Books, undo: (() => Promise<unknown>)[]) {
    this.plan = plan;
    this.service = service;
    this.books = books;
    this.#undo = undo;
  }

  /** Starts everything, and lets every payer place an order. Nothing goes wrong yet, but processes may die. */
  static async open(plan: Plan, { program, freshPlace }: StageParts, over: AbortSignal): Promise<Stage> {
    const undo: (() => Promise<unknown>)[] = [];
    try {
      const epoch = Date.now();
      const place = await freshPlace();
      const sandbox = createSandbox({
        token,
        clock: runClock(epoch),
        invoiceLifetimeMs: plan.lifetimeMs,
        repeatedExternalId: plan.repeated,
      });
      undo.push(() => sandbox.close());
      const { url } = await sandbox.listen({ port: 0, host: '127.0.0.1' });
      const books = await openBooks(place);
      undo.push(() => books.close());
      const stage = new Stage(plan, new Service(sandbox), books, undo);
      await stage.#openShops(program, { epoch, place, token, sandboxPort: Number(new URL(url).port) });
      await stage.#seatPayers(over, epoch);
      return stage;
    } catch (error) {
      await undoAll(undo);
      throw error;
    }
  }

  /** From now on everything goes wrong that the plan wants to. */
  async spoil(): Promise<void> {
    this.#isSpoilt = true;
    await this.service.spoil(this.plan.faults.map(({ fault }) => fault));
  }

  /** All faults end; processes may still die. */
  async heal(): Promise<void> {
    const fired = await this.service.heal();
    for (const [at, { name }] of this.plan.faults.entries()) this.#count(name, fired[at] ?? 0);
    for (const wire of this.#wires) {
      for (const [kind, count] of wire.struck) this.#count(`wire ${kind}`, count);
      wire.heal();
    }
    this.tell('all faults end');
  }

  tell(line: string): void {
    this.trace.push(`${((performance.now() - this.#start) / 1000).toFixed(3)} ${line}`);
  }

  async close(): Promise<void> {
    await undoAll(this.#undo);
  }

  #count(kind: string, count: number): void {
    if (count > 0) this.struck.set(kind, (this.struck.get(kind) ?? 0) + count);
  }

  async #wire(kind: WireFault['kind'] | null, dice: Dice, target: () => number | undefined): Promise<string> {
    const next = (): WireFault | undefined => (this.#isSpoilt && kind !== null ? aFault(kind, dice) : undefined);
    const wire = await openWire({ target, next });
    this.#wires.push(wire);
    this.#undo.push(() => wire.close());
    return `http://127.0.0.1:${wire.port}`;
  }

  async #openShops(
    program: string,
    { sandboxPort, ...known }: { epoch: number; place: DatabaseLocation; token: string; sandboxPort: number },
  ): Promise<void> {
    const dice = new Dice(this.plan.seed ^ 0x5eed);
    const starts: Promise<void>[] = [];
    for (const [number, kills] of this.plan.processes.entries()) {
      const serviceUrl = await this.#wire(this.plan.serviceWire, dice.fork(), () => sandboxPort);
      const place: { at?: ShopProcess } = {};
      const url = await this.#wire(this.plan.shopWire, dice.fork(), () => place.at?.port);
      const orders = { ...known, serviceUrl, endpoint: `${url}/checkout`, defect: this.plan.defect };
      const shop = new ShopProcess(program, url, orders, kills, (line) => this.tell(`shop ${number} ${line}`));
      place.at = shop;
      this.shops.push(shop);
      this.#undo.push(() => shop.stop());
      starts.push(shop.start());
    }
    await Promise.all(starts);
  }

  async #seatPayers(over: AbortSignal, epoch: number): Promise<void> {
    const dice = new Dice(this.plan.seed ^ 0xbeef);
    const [first, ...others] = this.shops.map(({ url }) => url);
    if (first === undefined) throw new Error('a plan has at least one process');
    this.tell(`the run's time is ${new Date(runTime(epoch)).toISOString()}`);
    const orders = this.plan.payers.map((plan, number) => {
      const name = `payer ${number}`;
      const tell = (line: string): void => this.tell(`${name} ${line}`);
      const world = { name: `payer-${number}`, service: this.service, dice: dice.fork(), over, tell };
      return Payer.order({ ...world, shops: [first, ...others] }, plan);
    });
    this.payers.push(...(await Promise.all(orders)));
  }
}

/** What is wrong with one of many connections: most are spoilt, and even a good one does not last. */
function aFault(kind: WireFault['kind'], dice: Dice): WireFault {
  if (dice.chance(0.4)) return { kind: 'cut', after: dice.int(1000, 8000) };
  switch (kind) {
    case 'latency':
      return { kind, ms: dice.int(5, 150) };
    case 'bandwidth':
      return { kind, bytesPerSecond: dice.int(1000, 20_000) };
    default:
      return { kind, after: dice.pick([0, 1, dice.int(2, 400), dice.int(400, 3000)]) };
  }
}

async function undoAll(undo: (() => Promise<unknown>)[]): Promise<void> {
  for (const step of undo.splice(0).reverse()) await step();
}
