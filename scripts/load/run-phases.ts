// One load run: places the orders, and measures polls, an outage and long polls.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActiveFault } from '../../src/tools/conformance/sandbox-client.ts';
import { startResourceMonitor, sumOf, tickMs, type ResourceUsage } from './resource-monitor.ts';
import type { PollMode } from './simulated-payers.ts';
import { startLoadPrograms, type LoadPrograms, type ServerOptions } from './start-load-programs.ts';
import type { PayersProcess } from './start-program.ts';

/** The size of a run. */
export interface LoadOptions extends ServerOptions {
  readonly payers: number;
  /** How long each phase takes. */
  readonly seconds: number;
  /** 0: the outage is left out. */
  readonly outageSeconds: number;
  /** 0: the phase with plain polls is left out, and the outage with it. */
  readonly pollMs: number;
  readonly waitSeconds: number;
  /** How many invoices are paid in a phase. */
  readonly sample: number;
  readonly log: (line: string) => void;
}

/** Durations in milliseconds, and their percentiles. */
export class Latencies {
  readonly #sortedValues: readonly number[];

  constructor(values: readonly number[]) {
    this.#sortedValues = [...values].sort((a, b) => a - b);
  }

  get count(): number {
    return this.#sortedValues.length;
  }

  /** The percentile of a `share` from 0 to 1; NaN without values. */
  percentile(share: number): number {
    return this.#sortedValues[Math.min(this.count - 1, Math.floor(share * this.count))] ?? NaN;
  }
}

/** The measurements of all payers in a phase. */
interface PhaseMeasurements {
  readonly responses: number;
  readonly errors: number;
  /** How many errors of each kind. */
  readonly reasons: ReadonlyMap<string, number>;
  readonly stale: number;
  /** Delays after a response was due: for polls at the scheduled time of the request, for long polls at the end of the wait. */
  readonly latency: Latencies;
  /** From the payment in the sandbox to the response that shows it. */
  readonly paidToPayer: Latencies;
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
  readonly processes: number;
  readonly phases: readonly Phase[];
  readonly outage: Outage | undefined;
}

export const batchSize = 100;

/** Starts the programs, places the orders, and runs the phases. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { programs, stop } = await startLoadPrograms(options);
  try {
    return await new LoadRun(options, programs, await programs.sandbox.countCalls('FetchInvoices')).run();
  } finally {
    await stop();
  }
}

/** An invoice that nobody has paid yet, by the process and the index of its payer. */
interface OpenInvoice {
  readonly payers: PayersProcess;
  readonly index: number;
  readonly invoiceId: string;
}

class LoadRun {
  readonly #options: LoadOptions;
  readonly #programs: LoadPrograms;
  readonly #fetchCounter: ActiveFault;
  #openInvoices: OpenInvoice[] = [];

  constructor(options: LoadOptions, programs: LoadPrograms, fetchCounter: ActiveFault) {
    this.#options = options;
    this.#programs = programs;
    this.#fetchCounter = fetchCounter;
  }

  async run(): Promise<LoadResult> {
    const { payers, processes, pollMs, waitSeconds, outageSeconds, log } = this.#options;
    const startedAt = performance.now();
    await this.#placeOrders();
    const seedSeconds = (performance.now() - startedAt) / 1000;
    log(`${payers} payers have their invoices after ${seedSeconds.toFixed(0)} s`);
    const phases: Phase[] = [];
    let outage: Outage | undefined;
    if (pollMs > 0) {
      const pollPhase = await this.#phase(`polls every ${pollMs} ms`, { by: 'polls', everyMs: pollMs });
      phases.push(pollPhase);
      if (outageSeconds > 0) outage = await this.#outage(pollMs, pollPhase);
    }
    phases.push(await this.#phase(`long polls of ${waitSeconds} s`, { by: 'longPolls', waitSeconds }));
    return { payers, processes, phases, outage };
  }

  async #placeOrders(): Promise<void> {
    const { servers, payers: groups } = this.#programs;
    const count = Math.ceil(this.#options.payers / servers.length);
    const invoices = await Promise.all(
      groups.map(async (payers, position) => {
        const { port = 0 } = servers[position] ?? {};
        const invoiceIds = await payers.call('placeOrders', { port, count, firstIndex: position * count });
        return invoiceIds.map((invoiceId, index) => ({ payers, index, invoiceId, key: Math.random() }));
      }),
    );
    this.#openInvoices = invoices.flat().sort((a, b) => a.key - b.key); // they are paid in random order
  }

  /** Runs a phase. The measurement starts when all payers have started. */
  async #phase(name: string, mode: PollMode): Promise<Phase> {
    const { seconds, sample, log } = this.#options;
    const periodMs = mode.by === 'polls' ? mode.everyMs : mode.waitSeconds * 1000;
    await this.#startPayers(mode);
    const stopMonitor = await startResourceMonitor(this.#programs, this.#fetchCounter);
    const endsAt = performance.now() + seconds * 1000;
    await this.#pay(sample, Math.max(0, seconds * 1000 - 2 * tickMs));
    await sleep(endsAt - performance.now());
    const costs = await stopMonitor();
    const measured = await this.#readMeasurements();
    for (let waitedMs = 0; (await this.#progress()).unnotified > 0 && waitedMs < 10_000; waitedMs += 100)
      await sleep(100);
    const { unnotified } = await this.#progress();
    const { paidToPayer } = await this.#readMeasurements(); // payments at the end of the phase are measured too
    const measurements = { ...measured, paidToPayer };
    await this.#stopPayers(periodMs + 5000);
    log(`${name}: ${measurements.responses} responses, ${measurements.errors} errors`);
    for (const [reason, count] of measurements.reasons) log(`  ${count} × ${reason}`);
    const targetPerSecond = mode.by === 'polls' ? this.#options.payers / (mode.everyMs / 1000) : undefined;
    return { name, measurements, targetPerSecond, costs, unnotified };
  }

  /** Measures an outage of the service, during which some invoices are paid. */
  async #outage(pollMs: number, normalPhase: Phase): Promise<Outage> {
    const { outageSeconds, sample, log } = this.#options;
    const { sandbox } = this.#programs;
    await this.#startPayers({ by: 'polls', everyMs: pollMs });
    const stopOutageMonitor = await startResourceMonitor(this.#programs, this.#fetchCounter);
    const fault = await sandbox.setFault({ kind: 'reset' });
    const endsAt = performance.now() + outageSeconds * 1000;
    await this.#pay(Math.ceil(sample / 4), (outageSeconds * 1000) / 2);
    await sleep(endsAt - performance.now());
    const measurements = await this.#readMeasurements();
    const costs = await stopOutageMonitor();
    const stopRecoveryMonitor = await startResourceMonitor(this.#programs, this.#fetchCounter);
    await fault.end();
    const { first: firstFreshMs, all: allFreshMs, paid: paidToPayerMs } = await this.#watchRecovery();
    await sleep(3 * tickMs);
    const { callsInBusiestSecond } = await stopRecoveryMonitor();
    const { unnotified } = await this.#progress();
    await this.#stopPayers(5000);
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

  /** Milliseconds until the first payer and all payers see current data, and until all who paid have received `paid`. */
  async #watchRecovery(): Promise<{ readonly first: number; readonly all: number; readonly paid: number }> {
    const startedAt = performance.now();
    const { stale: staleBefore } = await this.#progress();
    let [first, all, paid] = [NaN, NaN, NaN];
    while ((Number.isNaN(all) || Number.isNaN(paid)) && performance.now() - startedAt < 60_000) {
      const { stale, unnotified } = await this.#progress();
      const now = performance.now() - startedAt;
      if (Number.isNaN(first) && stale < staleBefore) first = now;
      if (Number.isNaN(all) && stale === 0) all = now;
      if (Number.isNaN(paid) && unnotified === 0) paid = now;
      await sleep(20);
    }
    return { first, all, paid };
  }

  /** Pays invoices at even intervals, so that the payments are spread evenly over the ticks of the status poller. */
  async #pay(count: number, overMs: number): Promise<void> {
    const startedAt = performance.now();
    for (const [index, { payers, index: payerIndex, invoiceId }] of this.#openInvoices.splice(0, count).entries()) {
      await sleep(startedAt + (index * overMs) / count - performance.now());
      await payers.call('markPaid', payerIndex);
      await this.#programs.sandbox.simulate(invoiceId, 'pay');
    }
  }

  /** Starts all payers; what they measured until all have started is forgotten. */
  async #startPayers(mode: PollMode): Promise<void> {
    const { payers } = this.#programs;
    await sleep(Math.max(...(await Promise.all(payers.map((group) => group.call('start', mode))))) + tickMs);
    await Promise.all(payers.map((group) => group.call('forgetMeasurements')));
  }

  async #stopPayers(withinMs: number): Promise<void> {
    await Promise.all(this.#programs.payers.map((group) => group.call('stop', withinMs)));
  }

  async #progress(): Promise<{ readonly stale: number; readonly unnotified: number }> {
    const groups = await Promise.all(this.#programs.payers.map((group) => group.call('progress')));
    return groups.reduce((total, { stale, unnotified }) => ({
      stale: total.stale + stale,
      unnotified: total.unnotified + unnotified,
    }));
  }

  async #readMeasurements(): Promise<PhaseMeasurements> {
    const groups = await Promise.all(this.#programs.payers.map((group) => group.call('measurements')));
    const reasons = new Map<string, number>();
    for (const [reason, count] of groups.flatMap((group) => Object.entries(group.reasons)))
      reasons.set(reason, (reasons.get(reason) ?? 0) + count);
    return {
      responses: sumOf(groups.map(({ responses }) => responses)),
      errors: sumOf([...reasons.values()]),
      reasons,
      stale: sumOf(groups.map(({ stale }) => stale)),
      latency: new Latencies(groups.flatMap(({ delays }) => delays)),
      paidToPayer: new Latencies(groups.flatMap(({ paidToPayer }) => paidToPayer)),
    };
  }
}
