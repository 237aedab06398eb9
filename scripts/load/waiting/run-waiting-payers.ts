// The run with waiting payers: several checkout servers on one PostgreSQL hold a long poll for each payer, in growing numbers;
// at each number some invoices are paid, and memory, delays and calls are measured.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { createPostgresStore } from '../../../src/postgres.ts';
import { buildPrograms, type BuiltPrograms } from '../../build/build-programs.ts';
import { startPostgres } from '../../with-postgres.ts';
import { findFreePort, startProgram, type Program } from '../start-program.ts';
import { Latencies } from '../latencies.ts';
import { SandboxControl } from '../sandbox-control.ts';
import { measureBareServer, type BareServerMemory } from './measure-bare-server.ts';
import { sharedNow } from './messages.ts';
import { startPayersProcess, startServerProcess, type PayersProcess, type ServerProcess } from './start-processes.ts';
import { seedCheckouts, type SeededCheckout } from './seed-checkouts.ts';

export interface WaitingOptions {
  readonly waiting: number;
  readonly processes: number;
  /** How many payers open their pages in a second. */
  readonly opensPerSecond: number;
  /** How long the payments of one step take. */
  readonly seconds: number;
  /** Payments of one step. */
  readonly sample: number;
  readonly waitSeconds: number;
  /** FetchInvoices calls per second of each server; undefined: the default. */
  readonly fetchesPerSecond: number | undefined;
  /** Whether the service's webhooks reach the servers. */
  readonly hooks: boolean;
  readonly log: (line: string) => void;
}

/** The measurements with one number of payers. */
export interface WaitingStep {
  readonly payers: number;
  /** Long polls that the servers hold. */
  readonly held: number;
  /** Memory of all servers together, some seconds after a garbage collection. */
  readonly residentMegabytes: number;
  readonly heapMegabytes: number;
  readonly paid: number;
  readonly notified: number;
  readonly paidToPayerMs: { readonly p50: number; readonly p99: number; readonly longest: number };
  readonly fetchCallsPerSecond: number;
  readonly responsesPerSecond: number;
  readonly errors: number;
  readonly reasons: Readonly<Record<string, number>>;
  /** Percent of one core; `others` is PostgreSQL, the kernel, and other programs. */
  readonly cpu: {
    readonly servers: number;
    readonly sandbox: number;
    readonly payers: number;
    readonly others: number;
  };
}

interface Memory {
  readonly residentMegabytes: number;
  readonly heapMegabytes: number;
}

export interface WaitingResult {
  readonly options: Omit<WaitingOptions, 'log'>;
  /** Memory of all servers before the first payer. */
  readonly idle: Memory;
  /** A bare node:http server, which only holds as many long polls as one of the servers in the last step. */
  readonly bareServer: BareServerMemory;
  readonly steps: readonly WaitingStep[];
}

/** Below `limits.waiters`, and below a limit of 20,000 open files per process. */
const maxPayersOfProcess = 19_000;
const stepSizes = [1000, 10_000, 25_000, 50_000, 75_000, 100_000];
/** How long payers may take to receive the last payment of a step. */
const notificationTimeoutMs = 20_000;
const token = 'sandbox-token';
const megabyte = 2 ** 20;

export async function runWaiting(options: WaitingOptions): Promise<WaitingResult> {
  if (options.waiting > options.processes * maxPayersOfProcess)
    throw new TypeError(
      `--waiting ${options.waiting} needs ${Math.ceil(options.waiting / maxPayersOfProcess)} processes`,
    );
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waiting-'));
  const cleanups: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
  try {
    const builtPrograms = await buildPrograms({
      bareServer: 'scripts/load/waiting/bare-server-process.ts',
      server: 'scripts/load/waiting/server-process.ts',
      payers: 'scripts/load/waiting/payers-process.ts',
      sandbox: 'scripts/run-sandbox.ts',
    });
    cleanups.push(() => builtPrograms.remove());
    const bareServer = await measureBareServer(options, builtPrograms);
    const waitingRun = await startPrograms(options, folder, builtPrograms, cleanups);
    return { ...(await waitingRun.measure()), bareServer };
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

async function startPrograms(
  options: WaitingOptions,
  folder: string,
  builtPrograms: BuiltPrograms,
  cleanups: (() => unknown)[],
): Promise<WaitingRun> {
  const postgres = await startPostgres('on');
  if (postgres === undefined) throw new Error('PostgreSQL is not installed');
  cleanups.push(() => postgres.stop());
  const sandbox = await startProgram(builtPrograms.file('sandbox'), ['Sandbox'], {
    SANDBOX_PORT: '0',
    DATA_DIR: path.join(folder, 'sandbox'),
    SANDBOX_QR_GENERATION_MS: '0',
    SANDBOX_INVOICE_LIFETIME_MS: '21600000',
  });
  cleanups.push(() => sandbox.stop());
  const sandboxUrl = sandbox.addresses.get('Sandbox') ?? '';
  const store = await createPostgresStore({ url: postgres.url });
  const ports = await Promise.all(Array.from({ length: options.processes }, findFreePort));
  const seededCheckouts = await seedCheckouts({
    store,
    sandboxUrl,
    token,
    count: options.waiting,
    endpoints: options.hooks ? ports.map((port) => `http://127.0.0.1:${port}/checkout`) : ['http://127.0.0.1:9'],
  });
  await store.close();
  await vacuum(postgres.url);
  options.log(`${seededCheckouts.length} payers have invoices; the measurement starts`);
  writeFileSync(path.join(folder, 'pay-invoice.js'), '');
  const servers: ServerProcess[] = [];
  for (const port of ports) {
    const server = await startServerProcess(builtPrograms.file('server'), folder, {
      PORT: String(port),
      METRICS_PORT: '0',
      DATABASE_URL: postgres.url,
      ADMIN_TOKEN: 'a-token-of-the-load-run-alone',
      INVOICE_BASE_URL: sandboxUrl,
      INVOICE_ACCESS_TOKEN: token,
      INVOICE_MODE: 'TEST',
      ...(options.fetchesPerSecond === undefined
        ? {}
        : { INVOICE_FETCHES_PER_SECOND: String(options.fetchesPerSecond) }),
    });
    cleanups.push(() => server.stop());
    servers.push(server);
  }
  const waitingRun = new WaitingRun(options, servers, sandbox, new SandboxControl(sandboxUrl), seededCheckouts);
  while (waitingRun.payers.length < servers.length) {
    const payers = startPayersProcess(builtPrograms.file('payers'), (id, position) => waitingRun.onPaid(id, position));
    cleanups.push(() => payers.stop());
    waitingRun.payers.push(payers);
  }
  return waitingRun;
}

/** Vacuums over a separate connection, because those of a store have a time limit. */
async function vacuum(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
}

class WaitingRun {
  readonly payers: PayersProcess[] = [];
  readonly #options: WaitingOptions;
  readonly #servers: readonly ServerProcess[];
  readonly #sandboxProgram: Program;
  readonly #sandbox: SandboxControl;
  readonly #seeded: readonly SeededCheckout[];
  readonly #paidAt = new Map<string, number>();
  #opened = 0;
  #delays = new Latencies();

  constructor(
    options: WaitingOptions,
    servers: readonly ServerProcess[],
    sandboxProgram: Program,
    sandbox: SandboxControl,
    seededCheckouts: readonly SeededCheckout[],
  ) {
    this.#options = options;
    this.#servers = servers;
    this.#sandboxProgram = sandboxProgram;
    this.#sandbox = sandbox;
    this.#seeded = seededCheckouts;
  }

  onPaid(checkoutId: string, position: number): void {
    const paidAt = this.#paidAt.get(checkoutId);
    if (paidAt === undefined) return;
    this.#paidAt.delete(checkoutId);
    this.#delays.add(position - paidAt);
  }

  async measure(): Promise<Omit<WaitingResult, 'bareServer'>> {
    const { log, ...options } = this.#options;
    await this.#sandbox.countCalls();
    const idle = await this.#memory();
    const steps: WaitingStep[] = [];
    for (const payerCount of new Set([...stepSizes.filter((name) => name < options.waiting), options.waiting])) {
      const step = await this.#step(payerCount);
      steps.push(step);
      log(JSON.stringify(step));
    }
    return { options, idle, steps };
  }

  async #step(payerCount: number): Promise<WaitingStep> {
    const firstIndex = this.#opened;
    await this.#openUntil(payerCount);
    const { seconds, sample } = this.#options;
    this.#delays = new Latencies();
    const [reportBefore, callsBefore, cpuBefore] = [await this.#report(), await this.#sandbox.calls(), this.#cpu()];
    const startedAt = performance.now();
    // The payments are spread over the payers who arrived in this step.
    await this.#pay(firstIndex, payerCount, sample, seconds * 1000);
    await sleep(startedAt + seconds * 1000 - performance.now());
    const measuredSeconds = (performance.now() - startedAt) / 1000;
    const [reportAfter, callsAfter, cpuAfter] = [await this.#report(), await this.#sandbox.calls(), this.#cpu()];
    for (let waitedMs = 0; this.#paidAt.size > 0 && waitedMs < notificationTimeoutMs; waitedMs += 100) await sleep(100);
    const percentOf = (name: keyof typeof cpuAfter): number =>
      Math.round(((cpuAfter[name] - cpuBefore[name]) / measuredSeconds) * 100);
    const [servers, sandbox, payers] = [percentOf('servers'), percentOf('sandbox'), percentOf('payers')];
    const heldLongPolls = await this.#held();
    return {
      payers: payerCount,
      held: heldLongPolls,
      ...(await this.#memory()),
      paid: sample,
      notified: this.#delays.count,
      paidToPayerMs: {
        p50: Math.round(this.#delays.percentile(0.5)),
        p99: Math.round(this.#delays.percentile(0.99)),
        longest: Math.round(this.#delays.percentile(1)),
      },
      fetchCallsPerSecond: Math.round(((callsAfter - callsBefore) / measuredSeconds) * 10) / 10,
      responsesPerSecond: Math.round((reportAfter.responses - reportBefore.responses) / measuredSeconds),
      errors: reportAfter.errors,
      reasons: reportAfter.reasons,
      cpu: { servers, sandbox, payers, others: percentOf('machine') - servers - sandbox - payers },
    };
  }

  /** Opens the pages of more payers, and waits until the servers hold a long poll for each payer. */
  async #openUntil(payerCount: number): Promise<void> {
    const { processes, opensPerSecond, waitSeconds, log } = this.#options;
    const addedIds = this.#seeded.slice(this.#opened, payerCount).map(({ checkoutId }) => checkoutId);
    this.#opened = payerCount;
    for (const [index, payers] of this.payers.entries()) {
      const port = Number(new URL(this.#servers[index]?.url ?? '').port);
      const checkoutIds = addedIds.filter((_, position) => position % processes === index);
      payers.open({ port, checkoutIds, perSecond: opensPerSecond / processes, waitSeconds });
    }
    const deadline = performance.now() + (addedIds.length / opensPerSecond) * 3000 + 30_000;
    let report = await this.#report();
    while (report.opened < payerCount && performance.now() < deadline) {
      await sleep(500);
      report = await this.#report();
    }
    log(`${report.opened} of ${payerCount} payers wait; ${report.errors} errors`);
    await sleep(waitSeconds * 1000); // until each payer has sent a second long poll
  }

  async #pay(firstIndex: number, to: number, count: number, overMs: number): Promise<void> {
    const startedAt = performance.now();
    for (let index = 0; index < count; index += 1) {
      await sleep(startedAt + (index * overMs) / count - performance.now());
      const name = this.#seeded[firstIndex + Math.floor((index * (to - firstIndex)) / count)];
      if (name === undefined) continue;
      this.#paidAt.set(name.checkoutId, sharedNow());
      await this.#sandbox.pay(name.invoiceId);
    }
  }

  async #report() {
    const reports = await Promise.all(this.payers.map((payers) => payers.report()));
    const sumOf = (key: 'opened' | 'responses' | 'errors'): number =>
      reports.reduce((total, name) => total + name[key], 0);
    const reasons: Record<string, number> = {};
    for (const [reason, count] of reports.flatMap((report) => Object.entries(report.reasons)))
      reasons[reason] = (reasons[reason] ?? 0) + count;
    return { opened: sumOf('opened'), responses: sumOf('responses'), errors: sumOf('errors'), reasons };
  }

  async #held(): Promise<number> {
    const metricsTexts = await Promise.all(
      this.#servers.map(async ({ metricsUrl }) => (await fetch(metricsUrl)).text().catch(() => '')),
    );
    return metricsTexts.reduce(
      (total, text) => total + Number(/^pay_invoice_long_polls (\d+)/m.exec(text)?.[1] ?? NaN),
      0,
    );
  }

  async #memory(): Promise<Memory> {
    const memoryReports = await Promise.all(this.#servers.map((server) => server.memory()));
    const sumOf = (key: 'residentBytes' | 'heapBytes'): number =>
      Math.round(memoryReports.reduce((total, name) => total + name[key] / megabyte, 0));
    return { residentMegabytes: sumOf('residentBytes'), heapMegabytes: sumOf('heapBytes') };
  }

  /** Seconds of processor time so far. */
  #cpu() {
    const sumOf = (programs: readonly { cpu(): number }[]): number =>
      programs.reduce((total, name) => total + name.cpu(), 0);
    const machineMs = os
      .cpus()
      .reduce((total, { times }) => total + times.user + times.sys + times.nice + times.irq, 0);
    return {
      servers: sumOf(this.#servers),
      sandbox: this.#sandboxProgram.cpu(),
      payers: sumOf(this.payers),
      machine: machineMs / 1000,
    };
  }
}
