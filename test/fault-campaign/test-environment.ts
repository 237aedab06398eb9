import { createSandbox } from '../../src/sandbox/create-sandbox.ts';
import type { DatabaseLocation } from '../support/open-database.ts';
import { openLedger, type Ledger } from './ledger.ts';
import { SeededRandom } from './seeded-random.ts';
import { runClock, runTime } from './fast-time.ts';
import { Payer } from './payer.ts';
import type { Plan } from './plan.ts';
import { SandboxControl } from './sandbox-control.ts';
import { ShopProcess } from './shop-process.ts';
import { openFaultProxy, type FaultProxy, type ProxyFault } from './tcp-fault-proxy.ts';

/** What all runs of a campaign share. */
export interface EnvironmentParts {
  /** The file of the shop's program. */
  readonly program: string;
  /** A new, empty database. */
  readonly freshPlace: () => Promise<DatabaseLocation>;
}

const token = 'campaign-token';

/** The environment of one run: the service, the shop's processes, the proxies between them, and the payers. */
export class TestEnvironment {
  readonly plan: Plan;
  readonly trace: string[] = [];
  readonly payers: Payer[] = [];
  readonly shops: ShopProcess[] = [];
  readonly applied = new Map<string, number>();
  readonly service: SandboxControl;
  readonly ledger: Ledger;
  readonly #proxies: FaultProxy[] = [];
  readonly #undo: (() => Promise<unknown>)[];
  readonly #start = performance.now();
  #hasFaults = false;

  private constructor(plan: Plan, service: SandboxControl, ledger: Ledger, undo: (() => Promise<unknown>)[]) {
    this.plan = plan;
    this.service = service;
    this.ledger = ledger;
    this.#undo = undo;
  }

  /** Starts everything and places every payer's order. No faults are injected yet, but processes may be killed. */
  static async open(
    plan: Plan,
    { program, freshPlace }: EnvironmentParts,
    timeout: AbortSignal,
  ): Promise<TestEnvironment> {
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
      const ledger = await openLedger(place);
      undo.push(() => ledger.close());
      const environment = new TestEnvironment(plan, new SandboxControl(sandbox), ledger, undo);
      await environment.#openShops(program, { epoch, place, token, sandboxPort: Number(new URL(url).port) });
      await environment.#createPayers(timeout, epoch);
      return environment;
    } catch (error) {
      await undoAll(undo);
      throw error;
    }
  }

  /** Starts injecting the plan's faults. */
  async startFaults(): Promise<void> {
    this.#hasFaults = true;
    await this.service.startFaults(this.plan.faults.map(({ fault }) => fault));
  }

  /** Stops all faults; processes may still be killed. */
  async stopFaults(): Promise<void> {
    const fired = await this.service.stopFaults();
    for (const [at, { name }] of this.plan.faults.entries()) this.#count(name, fired[at] ?? 0);
    for (const proxy of this.#proxies) {
      for (const [kind, count] of proxy.applied) this.#count(`proxy ${kind}`, count);
      proxy.stopFaults();
    }
    this.log('all faults end');
  }

  log(line: string): void {
    this.trace.push(`${((performance.now() - this.#start) / 1000).toFixed(3)} ${line}`);
  }

  async close(): Promise<void> {
    await undoAll(this.#undo);
  }

  #count(kind: string, count: number): void {
    if (count > 0) this.applied.set(kind, (this.applied.get(kind) ?? 0) + count);
  }

  async #openProxy(
    kind: ProxyFault['kind'] | null,
    random: SeededRandom,
    target: () => number | undefined,
  ): Promise<string> {
    const next = (): ProxyFault | undefined =>
      this.#hasFaults && kind !== null ? randomFault(kind, random) : undefined;
    const proxy = await openFaultProxy({ target, next });
    this.#proxies.push(proxy);
    this.#undo.push(() => proxy.close());
    return `http://127.0.0.1:${proxy.port}`;
  }

  async #openShops(
    program: string,
    { sandboxPort, ...known }: { epoch: number; place: DatabaseLocation; token: string; sandboxPort: number },
  ): Promise<void> {
    const random = new SeededRandom(this.plan.seed ^ 0x5eed);
    const starts: Promise<void>[] = [];
    for (const [number, kills] of this.plan.processes.entries()) {
      const serviceUrl = await this.#openProxy(this.plan.serviceProxyFault, random.fork(), () => sandboxPort);
      const place: { at?: ShopProcess } = {};
      const url = await this.#openProxy(this.plan.shopProxyFault, random.fork(), () => place.at?.port);
      const settings = { ...known, serviceUrl, endpoint: `${url}/checkout`, defect: this.plan.defect };
      const shop = new ShopProcess(program, url, settings, kills, (line) => this.log(`shop ${number} ${line}`));
      place.at = shop;
      this.shops.push(shop);
      this.#undo.push(() => shop.stop());
      starts.push(shop.start());
    }
    await Promise.all(starts);
  }

  async #createPayers(timeout: AbortSignal, epoch: number): Promise<void> {
    const random = new SeededRandom(this.plan.seed ^ 0xbeef);
    const [first, ...others] = this.shops.map(({ url }) => url);
    if (first === undefined) throw new Error('a plan has at least one process');
    this.log(`the run's time is ${new Date(runTime(epoch)).toISOString()}`);
    const orders = this.plan.payers.map((plan, number) => {
      const name = `payer ${number}`;
      const log = (line: string): void => this.log(`${name} ${line}`);
      const context = { name: `payer-${number}`, service: this.service, random: random.fork(), timeout, log };
      return Payer.order({ ...context, shops: [first, ...others] }, plan);
    });
    this.payers.push(...(await Promise.all(orders)));
  }
}

/** The fault of one connection: 40 % are cut after some kilobytes, the others have a fault of the given kind. */
function randomFault(kind: ProxyFault['kind'], random: SeededRandom): ProxyFault {
  if (random.chance(0.4)) return { kind: 'cut', after: random.int(1000, 8000) };
  switch (kind) {
    case 'latency':
      return { kind, ms: random.int(5, 150) };
    case 'bandwidth':
      return { kind, bytesPerSecond: random.int(1000, 20_000) };
    default:
      return { kind, after: random.pick([0, 1, random.int(2, 400), random.int(400, 3000)]) };
  }
}

async function undoAll(undo: (() => Promise<unknown>)[]): Promise<void> {
  for (const step of undo.splice(0).reverse()) await step();
}
