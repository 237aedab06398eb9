// One load run: starts the sandbox and the shop, places the orders, and measures polls, an outage and long polls.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WaitingPayers, emptyMeasurements, type PollMode, type PhaseMeasurements } from './simulated-payers.ts';
import { buildPrograms } from '../build/build-programs.ts';
import { startResourceMonitor, type ResourceUsage } from './resource-monitor.ts';
import { findFreePort, startProgram, type Program } from './start-program.ts';
import { SandboxControl } from './sandbox-control.ts';
import { placeOrders } from './place-orders.ts';

/** The size of a run. */
export interface LoadOptions {
  readonly payers: number;
  /** How long each phase takes. */
  readonly seconds: number;
  readonly outageSeconds: number;
  readonly pollMs: number;
  readonly waitSeconds: number;
  /** How many invoices are paid in a phase. */
  readonly sample: number;
  /** Whether the service's webhooks reach the shop; without webhooks only the status poller detects payments. */
  readonly hooks: boolean;
  /** The URL of the server's PostgreSQL database. Undefined: SQLite. */
  readonly database: string | undefined;
  /** The folder for a processor profile of the server. Undefined: no profile is recorded. */
  readonly profile: string | undefined;
  /** Node's --max-old-space-size for the server, in megabytes; undefined: Node's default. */
  readonly heapMegabytes: number | undefined;
  readonly log: (line: string) => void;
}

/** The result of one phase. */
export interface Phase {
  readonly name: string;
  readonly measurements: PhaseMeasurements;
  readonly costs: ResourceUsage;
  /** The scheduled requests a second; undefined for long polls, whose number depends on the responses. */
  readonly targetPerSecond: number | undefined;
  /** Payers who have not received `paid` ten seconds after the phase. */
  readonly unnotified: number;
}

/** The result of the outage. */
export interface Outage {
  readonly normalCallsPerSecond: number;
  readonly callsPerSecond: number;
  readonly staleAnswers: number;
  readonly errors: number;
  /** From the end of the outage until the first payer, and until all payers, see current data. */
  readonly firstFreshMs: number;
  readonly allFreshMs: number;
  /** From the end of the outage until all who paid during it have received `paid`. */
  readonly paidToPayerMs: number;
  readonly unnotified: number;
  /** FetchInvoices calls, after the end of the outage. */
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

/** Starts a sandbox and a shop, places the orders, and runs the phases. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const folder = await mkdtemp(path.join(tmpdir(), 'load-'));
  const programs: Program[] = [];
  const builtPrograms = await buildPrograms({
    shop: 'test/support/server-program.ts',
    sandbox: 'scripts/run-sandbox.ts',
  });
  try {
    const port = await findFreePort();
    const sandboxProgram = await startProgram(builtPrograms.file('sandbox'), ['Sandbox'], {
      SANDBOX_PORT: '0',
      DATA_DIR: path.join(folder, 'sandbox'),
      SANDBOX_QR_GENERATION_MS: '0',
      SANDBOX_INVOICE_LIFETIME_MS: '21600000',
    });
    programs.push(sandboxProgram);
    const sandboxUrl = sandboxProgram.addresses.get('Sandbox') ?? '';
    const server = await startServer(options, { file: builtPrograms.file('shop'), port, folder, sandboxUrl });
    programs.push(server);
    return await new LoadRun(options, server, sandboxProgram, new SandboxControl(sandboxUrl)).run(port);
  } finally {
    for (const program of programs.reverse()) await program.stop();
    await rm(folder, { recursive: true });
    builtPrograms.remove();
  }
}

interface ServerLocation {
  /** The built shop. */
  readonly file: string;
  readonly port: number;
  readonly folder: string;
  readonly sandboxUrl: string;
}

function startServer(
  { hooks, database = '', profile, heapMegabytes }: LoadOptions,
  { file, port, folder, sandboxUrl }: ServerLocation,
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
    ...(hooks ? {} : { PUBLIC_URL: 'http://127.0.0.1:9' }), // no server listens on this port
  };
  return startProgram(file, ['Server', 'Metrics'], env, flags);
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
    const { payers, pollMs, waitSeconds, outageSeconds, log } = this.#options;
    const startedAt = performance.now();
    const waitingPayers = new WaitingPayers(port, await placeOrders(port, payers));
    const seedSeconds = (performance.now() - startedAt) / 1000;
    log(`${payers} payers have their invoices after ${seedSeconds.toFixed(0)} s`);
    await this.#sandbox.countCalls();
    const pollPhase = await this.#phase(waitingPayers, `polls every ${pollMs} ms`, { by: 'polls', everyMs: pollMs });
    const outage = outageSeconds > 0 ? await this.#outage(waitingPayers, pollMs, pollPhase) : undefined;
    const longPollPhase = await this.#phase(waitingPayers, `long polls of ${waitSeconds} s`, {
      by: 'longPolls',
      waitSeconds,
    });
    waitingPayers.close();
    return { payers, seedSeconds, phases: [pollPhase, longPollPhase], outage };
  }

  /** Runs a phase. The measurement starts when all payers have started. */
  async #phase(waitingPayers: WaitingPayers, name: string, mode: PollMode): Promise<Phase> {
    const { seconds, sample, log } = this.#options;
    const periodMs = mode.by === 'polls' ? mode.everyMs : mode.waitSeconds * 1000;
    await sleep(waitingPayers.start(mode) + tickMs);
    waitingPayers.measurements = emptyMeasurements();
    const stopMonitor = await this.#monitor();
    const endsAt = performance.now() + seconds * 1000;
    await this.#pay(waitingPayers, sample, Math.max(0, seconds * 1000 - 2 * tickMs));
    await sleep(endsAt - performance.now());
    const costs = await stopMonitor();
    const { measurements } = waitingPayers;
    waitingPayers.measurements = { ...emptyMeasurements(), paidToPayer: measurements.paidToPayer }; // payments at the end of the phase are still measured
    for (let waitedMs = 0; waitingPayers.unnotified > 0 && waitedMs < 10_000; waitedMs += 100) await sleep(100);
    const { unnotified } = waitingPayers;
    await waitingPayers.stop(periodMs + 5000);
    log(`${name}: ${measurements.responses} responses, ${measurements.errors} errors`);
    for (const [reason, count] of measurements.reasons) log(`  ${count} × ${reason}`);
    const targetPerSecond = mode.by === 'polls' ? this.#options.payers / (mode.everyMs / 1000) : undefined;
    return { name, measurements, targetPerSecond, costs, unnotified };
  }

  /** Measures an outage of the service, during which some invoices are paid. */
  async #outage(waitingPayers: WaitingPayers, pollMs: number, normalPhase: Phase): Promise<Outage> {
    const { outageSeconds, sample, log } = this.#options;
    await sleep(waitingPayers.start({ by: 'polls', everyMs: pollMs }) + tickMs);
    waitingPayers.measurements = emptyMeasurements();
    const stopOutageMonitor = await this.#monitor();
    await this.#sandbox.fail();
    const endsAt = performance.now() + outageSeconds * 1000;
    await this.#pay(waitingPayers, Math.ceil(sample / 4), (outageSeconds * 1000) / 2);
    await sleep(endsAt - performance.now());
    const { measurements } = waitingPayers;
    const costs = await stopOutageMonitor();
    const stopRecoveryMonitor = await this.#monitor();
    await this.#sandbox.recover();
    const { first: firstFreshMs, all: allFreshMs, paid: paidToPayerMs } = await watchRecovery(waitingPayers);
    await sleep(3 * tickMs);
    const { callsInBusiestSecond } = await stopRecoveryMonitor();
    const { unnotified } = waitingPayers;
    await waitingPayers.stop(5000);
    log(`outage of ${outageSeconds} s: all payers see current data ${(allFreshMs / 1000).toFixed(1)} s after its end`);
    return {
      normalCallsPerSecond: normalPhase.costs.calls / normalPhase.costs.seconds,
      callsPerSecond: costs.calls / costs.seconds,
      staleAnswers: measurements.stale,
      errors: measurements.errors,
      firstFreshMs,
      allFreshMs,
      paidToPayerMs,
      unnotified,
      callsInBusiestSecond,
    };
  }

  #monitor(): Promise<() => Promise<ResourceUsage>> {
    const monitorOptions = {
      server: this.#server,
      sandboxProgram: this.#sandboxProgram,
      sandbox: this.#sandbox,
      tickMs,
    };
    return startResourceMonitor(monitorOptions);
  }

  /** Pays invoices at even intervals, so that the payments are spread evenly over the ticks of the status poller. */
  async #pay(waitingPayers: WaitingPayers, count: number, overMs: number): Promise<void> {
    const startedAt = performance.now();
    for (const [index, payer] of waitingPayers.sample(count).entries()) {
      await sleep(startedAt + (index * overMs) / count - performance.now());
      waitingPayers.paid(payer);
      await this.#sandbox.pay(payer.invoiceId);
    }
  }
}

/** Milliseconds until the first payer and all payers see current data, and until all who paid have received `paid`. */
async function watchRecovery(
  waitingPayers: WaitingPayers,
): Promise<{ readonly first: number; readonly all: number; readonly paid: number }> {
  const startedAt = performance.now();
  const staleBefore = waitingPayers.stale;
  let firstFreshMs = NaN;
  let allFreshMs = NaN;
  let paidToPayerMs = NaN;
  while ((Number.isNaN(allFreshMs) || Number.isNaN(paidToPayerMs)) && performance.now() - startedAt < 60_000) {
    const now = performance.now() - startedAt;
    if (Number.isNaN(firstFreshMs) && waitingPayers.stale < staleBefore) firstFreshMs = now;
    if (Number.isNaN(allFreshMs) && waitingPayers.stale === 0) allFreshMs = now;
    if (Number.isNaN(paidToPayerMs) && waitingPayers.unnotified === 0) paidToPayerMs = now;
    await sleep(20);
  }
  return { first: firstFreshMs, all: allFreshMs, paid: paidToPayerMs };
}
