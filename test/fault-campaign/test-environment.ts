import { createSandbox } from '../../src/tools/sandbox/create-sandbox.ts';
import type { DatabaseLocation } from '../support/open-database.ts';
import { openLedger, type Ledger } from './ledger.ts';
import { SeededRandom } from './seeded-random.ts';
import { runClock, runTime } from './fast-time.ts';
import { Payer } from './payer.ts';
import type { Plan } from './plan.ts';
import { SandboxControl } from './sandbox-control.ts';
import { ShopProcess } from './shop-process.ts';
import { openFaultProxy, type FaultProxy, type ProxyFault } from './tcp-fault-proxy.ts';

/** The faults of CreateInvoice whose invoices the shop does not show, so that it refuses the payer's request. */
const unpayable: readonly string[] = ['wrong_amount', 'missing_fields', 'empty_values'];

/** What all runs of a campaign share. */
export interface EnvironmentParts {
  /** The file of the shop's program. */
  readonly program: string;
  /** Creates an empty database. */
  readonly createDatabase: () => Promise<DatabaseLocation>;
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
  readonly #cleanupSteps: (() => Promise<unknown>)[];
  readonly #start = performance.now();
  #hasFaults = false;

  private constructor(plan: Plan, service: SandboxControl, ledger: Ledger, cleanupSteps: (() => Promise<unknown>)[]) {
    this.plan = plan;
    this.service = service;
    this.ledger = ledger;
    this.#cleanupSteps = cleanupSteps;
  }

  /** Starts everything and places every payer's order. It injects no faults, but processes may be killed. */
  static async open(
    plan: Plan,
    { program, createDatabase }: EnvironmentParts,
    timeout: AbortSignal,
  ): Promise<TestEnvironment> {
    const cleanupSteps: (() => Promise<unknown>)[] = [];
    try {
      const epoch = Date.now();
      const location = await createDatabase();
      const sandbox = createSandbox({
        token,
        clock: runClock(epoch),
        invoiceLifetimeMs: plan.lifetimeMs,
        repeatedExternalId: plan.repeatedExternalId,
      });
      cleanupSteps.push(() => sandbox.close());
      const { url } = await sandbox.listen({ port: 0, host: '127.0.0.1' });
      const ledger = await openLedger(location);
      cleanupSteps.push(() => ledger.close());
      const environment = new TestEnvironment(plan, new SandboxControl(sandbox), ledger, cleanupSteps);
      await environment.#openShops(program, {
        epoch,
        database: location,
        token,
        sandboxPort: Number(new URL(url).port),
      });
      await environment.#createPayers(timeout, epoch);
      return environment;
    } catch (error) {
      await runCleanupSteps(cleanupSteps);
      throw error;
    }
  }

  /** Starts injecting the plan's faults. */
  async startFaults(): Promise<void> {
    this.#hasFaults = true;
    await this.service.startFaults(this.plan.faults.map(({ fault }) => fault));
  }

  /** Stops all faults. Processes may still be killed. */
  async stopFaults(): Promise<void> {
    const counts = await this.service.stopFaults();
    for (const [index, { name }] of this.plan.faults.entries()) this.#count(name, counts[index] ?? 0);
    for (const proxy of this.#proxies) {
      for (const [kind, count] of proxy.timesApplied) this.#count(`proxy ${kind}`, count);
      proxy.stopFaults();
    }
    this.log('all faults end');
  }

  log(line: string): void {
    this.trace.push(`${((performance.now() - this.#start) / 1000).toFixed(3)} ${line}`);
  }

  async close(): Promise<void> {
    await runCleanupSteps(this.#cleanupSteps);
  }

  #count(kind: string, count: number): void {
    if (count > 0) this.applied.set(kind, (this.applied.get(kind) ?? 0) + count);
  }

  async #openProxy(
    kind: ProxyFault['kind'] | null,
    random: SeededRandom,
    target: () => number | undefined,
  ): Promise<string> {
    const nextFault = (): ProxyFault | undefined =>
      this.#hasFaults && kind !== null ? randomFault(kind, random) : undefined;
    const proxy = await openFaultProxy({ target, nextFault });
    this.#proxies.push(proxy);
    this.#cleanupSteps.push(() => proxy.close());
    return `http://127.0.0.1:${proxy.port}`;
  }

  async #openShops(
    program: string,
    {
      sandboxPort,
      ...sharedSettings
    }: { epoch: number; database: DatabaseLocation; token: string; sandboxPort: number },
  ): Promise<void> {
    const random = new SeededRandom(this.plan.seed ^ 0x5eed);
    const starts: Promise<void>[] = [];
    for (const [number, kills] of this.plan.processes.entries()) {
      const serviceUrl = await this.#openProxy(this.plan.serviceProxyFault, random.fork(), () => sandboxPort);
      const proxyTarget: { shop?: ShopProcess } = {};
      const url = await this.#openProxy(this.plan.shopProxyFault, random.fork(), () => proxyTarget.shop?.port);
      const settings = { ...sharedSettings, serviceUrl, endpoint: `${url}/checkout`, defect: this.plan.defect };
      const shop = new ShopProcess(program, url, settings, kills, (line) => this.log(`shop ${number} ${line}`));
      proxyTarget.shop = shop;
      this.shops.push(shop);
      this.#cleanupSteps.push(() => shop.stop());
      starts.push(shop.start());
    }
    await Promise.all(starts);
  }

  async #createPayers(timeout: AbortSignal, epoch: number): Promise<void> {
    const random = new SeededRandom(this.plan.seed ^ 0xbeef);
    const [firstUrl, ...otherUrls] = this.shops.map(({ url }) => url);
    if (firstUrl === undefined) throw new Error('a plan has at least one process');
    this.log(`the run's time is ${new Date(runTime(epoch)).toISOString()}`);
    const orders = this.plan.payers.map((plan, number) => {
      const name = `payer ${number}`;
      const log = (line: string): void => this.log(`${name} ${line}`);
      const context = { name: `payer-${number}`, service: this.service, random: random.fork(), timeout, log };
      const hasUnpayableInvoices = this.plan.faults.some(({ fault }) => unpayable.includes(fault.kind));
      const mayRefuse = this.plan.repeatedExternalId === 'conflict' || hasUnpayableInvoices;
      return Payer.placeOrder({ ...context, mayRefuse, shops: [firstUrl, ...otherUrls] }, plan);
    });
    this.payers.push(...(await Promise.all(orders)));
  }
}

/** Returns the fault of one connection. 40 % are cut after some kilobytes, the others have a fault of the given kind. */
function randomFault(kind: ProxyFault['kind'], random: SeededRandom): ProxyFault {
  if (random.chance(0.4)) return { kind: 'cut', afterBytes: random.int(1000, 8000) };
  switch (kind) {
    case 'latency':
      return { kind, ms: random.int(5, 150) };
    case 'bandwidth':
      return { kind, bytesPerSecond: random.int(1000, 20_000) };
    default:
      return { kind, afterBytes: random.pick([0, 1, random.int(2, 400), random.int(400, 3000)]) };
  }
}

async function runCleanupSteps(cleanupSteps: (() => Promise<unknown>)[]): Promise<void> {
  for (const step of cleanupSteps.splice(0).reverse()) await step();
}
