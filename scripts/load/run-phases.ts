// One load run: starts the sandbox and the shop, seeds the payers, and measures polls, an outage and held answers.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WaitingPayers, emptyMeasurements, type PollMode, type PhaseMeasurements } from './simulated-payers.ts';
import { buildPrograms } from '../build/build-programs.ts';
import { startResourceMonitor, type ResourceUsage } from './resource-monitor.ts';
import { freePort, startProgram, type Program } from './child-program.ts';
import { SandboxControl } from './sandbox-control.ts';
import { seed } from './place-orders.ts';

/** How much of what. */
export interface LoadOptions {
  readonly payers: number;
  /** How long each phase takes. */
  readonly seconds: number;
  readonly outageSeconds: number;
  readonly pollMs: number;
  readonly waitSeconds: number;
  /** How many payers are paid in a phase. */
  readonly sample: number;
  /** Whether the service's notifications reach the shop; without them the watcher's tick alone tells. */
  readonly hooks: boolean;
  /** PostgreSQL for the server; undefined: the embedded database. */
  readonly database: string | undefined;
  /** Where the server's processor profile goes; undefined: nowhere. */
  readonly profile: string | undefined;
  /** The most that the server's old objects may take, in megabytes; undefined: what Node thinks fit. */
  readonly heapMegabytes: number | undefined;
  readonly log: (line: string) => void;
}

/** What one phase came to. */
export interface Phase {
  readonly name: string;
  readonly measurements: PhaseMeasurements;
  readonly costs: ResourceUsage;
  /** How many requests were meant to be sent in a second; those of waits depend on their answers. */
  readonly targetPerSecond: number | undefined;
  /** Paid, and not heard of ten seconds after the phase. */
  readonly unnotified: number;
}

/** What the outage came to. */
export interface Outage {
  readonly normalCallsPerSecond: number;
  readonly callsPerSecond: number;
  readonly staleAnswers: number;
  readonly errors: number;
  /** From the service's return to the first payer, and to the last, who sees what is new. */
  readonly firstFreshMs: number;
  readonly allFreshMs: number;
  /** From the service's return to the last answer to those who paid during the outage. */
  readonly paidToPayerMs: number;
  readonly unnotified: number;
  /** Of FetchInvoices, after the service's return. */
  readonly callsInBusiestSecond: number;
}

export interface LoadResult {
  readonly payers: number;
  readonly seedSeconds: number;
  readonly phases: readonly Phase[];
  readonly outage: Outage | undefined;
}

export const tickMs = 2000;
export const batchSize = 100;

/** Starts a sandbox and a shop, seeds the payers, and lets them wait. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const folder = await mkdtemp(path.join(tmpdir(), 'load-'));
  const programs: Program[] = [];
  const built = await buildPrograms({ shop: 'server-example/npm-start.ts', sandbox: 'scripts/start-sandbox.ts' });
  try {
    const port = await freePort();
    const sandboxProgram = await startProgram(built.file('sandbox'), ['Sandbox'], {
      SANDBOX_PORT: '0',
      DATA_DIR: path.join(folder, 'sandbox'),
      SANDBOX_QR_GENERATION_MS: '0',
      SANDBOX_INVOICE_LIFETIME_MS: '21600000',
    });
    programs.push(sandboxProgram);
    const sandboxUrl = sandboxProgram.addresses.get('Sandbox') ?? '';
    const server = await startServer(options, { file: built.file('shop'), port, folder, sandboxUrl });
    programs.push(server);
    return await new LoadRun(options, server, sandboxProgram, new SandboxControl(sandboxUrl)).run(port);
  } finally {
    for (const program of programs.reverse()) await program.stop();
    await rm(folder, { recursive: true });
    built.remove();
  }
}

interface ServerPlace {
  /** The built shop. */
  readonly file: string;
  readonly port: number;
  readonly folder: string;
  readonly sandboxUrl: string;
}

function startServer(
  { hooks, database = '', profile, heapMegabytes }: LoadOptions,
  { file, port, folder, sandboxUrl }: ServerPlace,
): Promise<Program> {
  const flags = [
    ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
    ...(heapMegabytes === undefined ? [] : [`--max-old-space-size=${heapMegabytes}`]),
  ];
  const env = {
    PORT: String(port),
    METRICS_PORT: '0',
    DATA_DIR: path.join(folder, 'shop'),
    DATABASE_URL: database,
    TRUST_PROXY: '1',
    INVOICE_BASE_URL: sandboxUrl,
    INVOICE_ACCESS_TOKEN: 'sandbox-token',
    INVOICE_MODE: 'TEST',
    ...(hooks ? {} : { PUBLIC_URL: 'http://127.0.0.1:9' }), // where nobody hears them
  };
  return startProgram(file, ['Shop', 'Metrics'], env, flags);
}

class LoadRun {
  readonly #options: LoadOptions;
  readonly #server: Program;
  readonly #sandboxProgram: Program;
  readonly #sandbox: SandboxControl;

  constructor(options: LoadOptions, server: Program, sandboxProgram: Program, sandbox: SandboxControl) {
    this.#options = options;
    this.#server = server;
    this.#sandboxProgram = sandboxProgram;
    this.#sandbox = sandbox;
  }

  async run(port: number): Promise<LoadResult> {
    const { payers, pollMs, waitSeconds, outageSeconds, log: say } = this.#options;
    const start = performance.now();
    const waitingPayers = new WaitingPayers(port, await seed(port, payers));
    const seedSeconds = (performance.now() - start) / 1000;
    say(`${payers} payers have their requisites after ${seedSeconds.toFixed(0)} s`);
    await this.#sandbox.countCalls();
    const byPolls = await this.#phase(waitingPayers, `polls every ${pollMs} ms`, { by: 'polls', everyMs: pollMs });
    const outage = outageSeconds > 0 ? await this.#outage(waitingPayers, pollMs, byPolls) : undefined;
    const byWaits = await this.#phase(waitingPayers, `waits of ${waitSeconds} s`, { by: 'waits', waitSeconds });
    waitingPayers.close();
    return { payers, seedSeconds, phases: [byPolls, byWaits], outage };
  }

  /** All have begun before anything is measured. */
  async #phase(waitingPayers: WaitingPayers, name: string, asking: PollMode): Promise<Phase> {
    const { seconds, sample, log: say } = this.#options;
    const periodMs = asking.by === 'polls' ? asking.everyMs : asking.waitSeconds * 1000;
    await sleep(waitingPayers.start(asking) + tickMs);
    waitingPayers.met = emptyMeasurements();
    const stopMonitor = await this.#monitor();
    const end = performance.now() + seconds * 1000;
    await this.#pay(waitingPayers, sample, Math.max(0, seconds * 1000 - 2 * tickMs));
    await sleep(end - performance.now());
    const costs = await stopMonitor();
    const { met } = waitingPayers;
    waitingPayers.met = { ...emptyMeasurements(), paidToPayer: met.paidToPayer }; // who was paid last is still to hear
    for (let waited = 0; waitingPayers.unnotified > 0 && waited < 10_000; waited += 100) await sleep(100);
    const { unnotified } = waitingPayers;
    await waitingPayers.stop(periodMs + 5000);
    say(`${name}: ${met.responses} answers, ${met.errors} errors`);
    for (const [reason, count] of met.reasons) say(`  ${count} × ${reason}`);
    const meantPerSecond = asking.by === 'polls' ? this.#options.payers / (asking.everyMs / 1000) : undefined;
    return { name, measurements: met, targetPerSecond: meantPerSecond, costs, unnotified };
  }

  /** The service is away; some pay meanwhile. */
  async #outage(waitingPayers: WaitingPayers, pollMs: number, normal: Phase): Promise<Outage> {
    const { outageSeconds, sample, log: say } = this.#options;
    await sleep(waitingPayers.start({ by: 'polls', everyMs: pollMs }) + tickMs);
    waitingPayers.met = emptyMeasurements();
    const during = await this.#monitor();
    await this.#sandbox.fail();
    const end = performance.now() + outageSeconds * 1000;
    await this.#pay(waitingPayers, Math.ceil(sample / 4), (outageSeconds * 1000) / 2);
    await sleep(end - performance.now());
    const { met } = waitingPayers;
    const costs = await during();
    const after = await this.#monitor();
    await this.#sandbox.recover();
    const { first, all, paid } = await watchRecovery(waitingPayers);
    await sleep(3 * tickMs);
    const { callsInBusiestSecond } = await after();
    const { unnotified } = waitingPayers;
    await waitingPayers.stop(5000);
    say(`outage of ${outageSeconds} s: all see what is new ${(all / 1000).toFixed(1)} s after it`);
    return {
      normalCallsPerSecond: normal.costs.calls / normal.costs.seconds,
      callsPerSecond: costs.calls / costs.seconds,
      staleAnswers: met.stale,
      errors: met.errors,
      firstFreshMs: first,
      allFreshMs: all,
      paidToPayerMs: paid,
      unnotified,
      callsInBusiestSecond,
    };
  }

  #monitor(): Promise<() => Promise<ResourceUsage>> {
    const measured = { server: this.#server, sandboxProgram: this.#sandboxProgram, sandbox: this.#sandbox, tickMs };
    return startResourceMonitor(measured);
  }

  /** Pays evenly over a time, so that no moment of the watcher's tick is preferred. */
  async #pay(waitingPayers: WaitingPayers, count: number, overMs: number): Promise<void> {
    const start = performance.now();
    for (const [index, seeded] of waitingPayers.sample(count).entries()) {
      await sleep(start + (index * overMs) / count - performance.now());
      waitingPayers.paid(seeded);
      await this.#sandbox.pay(seeded.invoiceId);
    }
  }
}

/** Milliseconds until the first payer, and all, see what is new, and until all who paid have heard. */
async function watchRecovery(
  waitingPayers: WaitingPayers,
): Promise<{ readonly first: number; readonly all: number; readonly paid: number }> {
  const start = performance.now();
  const before = waitingPayers.stale;
  let first = NaN;
  let all = NaN;
  let paid = NaN;
  while ((Number.isNaN(all) || Number.isNaN(paid)) && performance.now() - start < 60_000) {
    const now = performance.now() - start;
    if (Number.isNaN(first) && waitingPayers.stale < before) first = now;
    if (Number.isNaN(all) && waitingPayers.stale === 0) all = now;
    if (Number.isNaN(paid) && waitingPayers.unnotified === 0) paid = now;
    await sleep(20);
  }
  return { first, all, paid };
}
