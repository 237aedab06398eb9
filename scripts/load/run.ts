import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Crowd, emptyMet, type Asking, type Met } from './payers.ts';
import { buildPrograms } from '../build/build-programs.ts';
import { startGauge, type Costs } from './resource-monitor.ts';
import { freePort, startProgram, type Program } from './program.ts';
import { LoadedSandbox } from './sandbox-control.ts';
import { seed } from './seed.ts';

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
  readonly say: (line: string) => void;
}

/** What one phase came to. */
export interface Phase {
  readonly name: string;
  readonly met: Met;
  readonly costs: Costs;
  /** How many requests were meant to be sent in a second; those of waits depend on their answers. */
  readonly meantPerSecond: number | undefined;
  /** Paid, and not heard of ten seconds after the phase. */
  readonly unheard: number;
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
  readonly paidHeardMs: number;
  readonly unheard: number;
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
  const built = await buildPrograms({ shop: 'server-example/start.ts', sandbox: 'src/sandbox/main.ts' });
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
    return await new LoadRun(options, server, sandboxProgram, new LoadedSandbox(sandboxUrl)).run(port);
  } finally {
    for (const program of programs.reverse()) await program.stop();
    await rm(folder, { recursive: true });
    built.remove();
  }
}

interface Place {
  /** The built shop. */
  readonly file: string;
  readonly port: number;
  readonly folder: string;
  readonly sandboxUrl: string;
}

function startServer(
  { hooks, database = '', profile, heapMegabytes }: LoadOptions,
  { file, port, folder, sandboxUrl }: Place,
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
  readonly #sandbox: LoadedSandbox;

  constructor(options: LoadOptions, server: Program, sandboxProgram: Program, sandbox: LoadedSandbox) {
    this.#options = options;
    this.#server = server;
    this.#sandboxProgram = sandboxProgram;
    this.#sandbox = sandbox;
  }

  async run(port: number): Promise<LoadResult> {
    const { payers, pollMs, waitSeconds, outageSeconds, say } = this.#options;
    const start = performance.now();
    const crowd = new Crowd(port, await seed(port, payers));
    const seedSeconds = (performance.now() - start) / 1000;
    say(`${payers} payers have their requisites after ${seedSeconds.toFixed(0)} s`);
    await this.#sandbox.count();
    const byPolls = await this.#phase(crowd, `polls every ${pollMs} ms`, { by: 'polls', everyMs: pollMs });
    const outage = outageSeconds > 0 ? await this.#outage(crowd, pollMs, byPolls) : undefined;
    const byWaits = await this.#phase(crowd, `waits of ${waitSeconds} s`, { by: 'waits', waitSeconds });
    crowd.close();
    return { payers, seedSeconds, phases: [byPolls, byWaits], outage };
  }

  /** All have begun before anything is measured. */
  async #phase(crowd: Crowd, name: string, asking: Asking): Promise<Phase> {
    const { seconds, sample, say } = this.#options;
    const periodMs = asking.by === 'polls' ? asking.everyMs : asking.waitSeconds * 1000;
    await sleep(crowd.start(asking) + tickMs);
    crowd.met = emptyMet();
    const gauge = await this.#gauge();
    const end = performance.now() + seconds * 1000;
    await this.#pay(crowd, sample, Math.max(0, seconds * 1000 - 2 * tickMs));
    await sleep(end - performance.now());
    const costs = await gauge();
    const { met } = crowd;
    crowd.met = { ...emptyMet(), heard: met.heard }; // who was paid last is still to hear
    for (let waited = 0; crowd.unheard > 0 && waited < 10_000; waited += 100) await sleep(100);
    const { unheard } = crowd;
    await crowd.stop(periodMs + 5000);
    say(`${name}: ${met.answered} answers, ${met.errors} errors`);
    for (const [reason, count] of met.reasons) say(`  ${count} × ${reason}`);
    const meantPerSecond = asking.by === 'polls' ? this.#options.payers / (asking.everyMs / 1000) : undefined;
    return { name, met, meantPerSecond, costs, unheard };
  }

  /** The service is away; some pay meanwhile. */
  async #outage(crowd: Crowd, pollMs: number, normal: Phase): Promise<Outage> {
    const { outageSeconds, sample, say } = this.#options;
    await sleep(crowd.start({ by: 'polls', everyMs: pollMs }) + tickMs);
    crowd.met = emptyMet();
    const during = await this.#gauge();
    await this.#sandbox.fail();
    const end = performance.now() + outageSeconds * 1000;
    await this.#pay(crowd, Math.ceil(sample / 4), (outageSeconds * 1000) / 2);
    await sleep(end - performance.now());
    const { met } = crowd;
    const costs = await during();
    const after = await this.#gauge();
    await this.#sandbox.heal();
    const { first, all, paid } = await watchRecovery(crowd);
    await sleep(3 * tickMs);
    const { callsInBusiestSecond } = await after();
    const { unheard } = crowd;
    await crowd.stop(5000);
    say(`outage of ${outageSeconds} s: all see what is new ${(all / 1000).toFixed(1)} s after it`);
    return {
      normalCallsPerSecond: normal.costs.calls / normal.costs.seconds,
      callsPerSecond: costs.calls / costs.seconds,
      staleAnswers: met.stale,
      errors: met.errors,
      firstFreshMs: first,
      allFreshMs: all,
      paidHeardMs: paid,
      unheard,
      callsInBusiestSecond,
    };
  }

  #gauge(): Promise<() => Promise<Costs>> {
    const measured = { server: this.#server, sandboxProgram: this.#sandboxProgram, sandbox: this.#sandbox, tickMs };
    return startGauge(measured);
  }

  /** Pays evenly over a time, so that no moment of the watcher's tick is preferred. */
  async #pay(crowd: Crowd, count: number, overMs: number): Promise<void> {
    const start = performance.now();
    for (const [index, seeded] of crowd.sample(count).entries()) {
      await sleep(start + (index * overMs) / count - performance.now());
      crowd.paid(seeded);
      await this.#sandbox.pay(seeded.invoiceId);
    }
  }
}

/** Milliseconds until the first payer, and all, see what is new, and until all who paid have heard. */
async function watchRecovery(
  crowd: Crowd,
): Promise<{ readonly first: number; readonly all: number; readonly paid: number }> {
  const start = performance.now();
  const before = crowd.stale;
  let first = NaN;
  let all = NaN;
  let paid = NaN;
  while ((Number.isNaN(all) || Number.isNaN(paid)) && performance.now() - start < 60_000) {
    const now = performance.now() - start;
    if (Number.isNaN(first) && crowd.stale < before) first = now;
    if (Number.isNaN(all) && crowd.stale === 0) all = now;
    if (Number.isNaN(paid) && crowd.unheard === 0) paid = now;
    await sleep(20);
  }
  return { first, all, paid };
}
