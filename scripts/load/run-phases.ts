// One load run: places the orders, and measures payers who wait, an outage of the service and a restart of the servers.
import { setTimeout as sleep } from 'node:timers/promises';
import { longPollSeconds } from '../../src/core/session-commands.ts';
import type { ActiveFault } from '../../src/tools/conformance/sandbox-client.ts';
import { startResourceMonitor, sumOf, tickMs, type ResourceUsage } from './resource-monitor.ts';
import type { PayersProgress } from './payers.ts';
import { startLoadPrograms, type LoadPrograms, type ServerOptions } from './start-load-programs.ts';
import type { PayersProcess } from './start-program.ts';

/** The size of a run. */
export interface LoadOptions extends ServerOptions {
  readonly payers: number;
  /** How long the phase takes in which payers wait. 0: it is left out. */
  readonly seconds: number;
  /** How long the service is away. 0: the outage is left out. */
  readonly outageSeconds: number;
  /** How long payers are watched after a restart of their servers. 0: the restart is left out. */
  readonly restartSeconds: number;
  /** How many invoices are paid while payers wait. */
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
  readonly requests: number;
  readonly responses: number;
  readonly errors: number;
  /** How many errors of each kind. */
  readonly reasons: ReadonlyMap<string, number>;
  readonly stale: number;
  /** Delays after the end of the wait of long polls that were answered without a change. */
  readonly latency: Latencies;
  /** From the payment in the sandbox to the event `paid` of the payer's session. */
  readonly paidToPayer: Latencies;
}

/** The result of the phase in which payers wait. */
export interface Waiting {
  readonly measurements: PhaseMeasurements;
  readonly costs: ResourceUsage;
  /** The resident memory of the payers' processes, in bytes. */
  readonly payersMemory: number;
  /** Payers who have paid, and were not told within ten seconds after the phase. */
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
  /** From the end of the outage until all who paid during it have been told. */
  readonly paidToPayerMs: number;
  readonly unnotified: number;
  /** FetchInvoices calls, after the end of the outage. */
  readonly callsInBusiestSecond: number;
}

/** The result of the restart. */
export interface Restart {
  /** From SIGTERM until the last server listens again. */
  readonly downMs: number;
  /** From then on until this share of the payers has had an answer; NaN: it has not, within the time. */
  readonly servedAfterMs: readonly { readonly share: number; readonly ms: number }[];
  /** How many payers waited when the servers listened again, and how many of them had an answer within the time. */
  readonly waiting: number;
  readonly served: number;
  readonly measurements: PhaseMeasurements;
  /** Payers who have paid after the restart, and were not told within the time. */
  readonly unnotified: number;
}

export interface LoadResult {
  readonly payers: number;
  readonly processes: number;
  /** How long it took until all payers had an invoice, in seconds. */
  readonly seedSeconds: number;
  readonly waiting: Waiting | undefined;
  readonly outage: Outage | undefined;
  readonly restart: Restart | undefined;
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
    const { payers, processes, seconds, outageSeconds, restartSeconds, log } = this.#options;
    const startedAt = performance.now();
    await this.#placeOrders();
    const seedSeconds = (performance.now() - startedAt) / 1000;
    log(`${payers} payers have their invoices after ${seedSeconds.toFixed(0)} s`);
    const waiting = seconds > 0 ? await this.#wait() : undefined;
    const outage = outageSeconds > 0 && waiting !== undefined ? await this.#outage(waiting) : undefined;
    const restart = restartSeconds > 0 ? await this.#restart() : undefined;
    return { payers, processes, seedSeconds, waiting, outage, restart };
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

  /** Measures payers who wait, of whom some pay. The measurement starts when every session has had its first long poll. */
  async #wait(): Promise<Waiting> {
    const { seconds, sample, log } = this.#options;
    await sleep(longPollSeconds * 1000);
    await this.#ofAll((group) => group.call('forgetMeasurements'));
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
    const payersMemory = sumOf(await this.#ofAll((group) => group.call('memory')));
    log(`waiting: ${measurements.responses} responses, ${measurements.errors} errors`);
    this.#logReasons(measurements);
    return { measurements, costs, payersMemory, unnotified };
  }

  /** Measures an outage of the service, during which some invoices are paid. */
  async #outage({ costs: normal }: Waiting): Promise<Outage> {
    const { outageSeconds, sample, log } = this.#options;
    const { sandbox } = this.#programs;
    await this.#ofAll((group) => group.call('forgetMeasurements'));
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
    log(`outage of ${outageSeconds} s: all payers see current data ${(allFreshMs / 1000).toFixed(1)} s after its end`);
    return {
      normalCallsPerSecond: normal.calls / normal.seconds,
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

  /** Restarts all servers at once, and measures how payers come back; some pay meanwhile. */
  async #restart(): Promise<Restart> {
    const { payers, restartSeconds, sample, log } = this.#options;
    await this.#ofAll((group) => group.call('forgetMeasurements'));
    const stoppedAt = performance.now();
    await Promise.all(this.#programs.servers.map((server) => server.restart()));
    await this.#ofAll((group) => group.call('markDisturbance'));
    const listensAt = performance.now();
    const paying = this.#pay(Math.ceil(sample / 4), (restartSeconds * 1000) / 4);
    const { unserved: all } = await this.#progress();
    const servedAfterMs = [0.5, 0.9, 0.99, 1].map((share) => ({ share, ms: NaN }));
    let served = 0;
    let loggedAt = 0;
    for (let now = 0; now < restartSeconds * 1000; now = performance.now() - listensAt) {
      served = all - (await this.#progress()).unserved;
      for (const mark of servedAfterMs) if (Number.isNaN(mark.ms) && served >= mark.share * all) mark.ms = now;
      if (now - loggedAt >= 10_000) {
        loggedAt = now;
        log(`restart: ${served} of ${all} payers have had an answer after ${Math.round(now / 1000)} s`);
      }
      await sleep(250);
    }
    await paying;
    const measurements = await this.#readMeasurements();
    const { unnotified } = await this.#progress();
    log(`restart: ${measurements.requests} requests, ${measurements.errors} errors of ${payers} payers`);
    this.#logReasons(measurements);
    return { downMs: listensAt - stoppedAt, servedAfterMs, waiting: all, served, measurements, unnotified };
  }

  #logReasons({ reasons }: PhaseMeasurements): void {
    for (const [reason, count] of reasons) this.#options.log(`  ${count} × ${reason}`);
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

  #ofAll<T>(call: (group: PayersProcess) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#programs.payers.map(call));
  }

  async #progress(): Promise<PayersProgress> {
    return (await this.#ofAll((group) => group.call('progress'))).reduce((total, { stale, unnotified, unserved }) => ({
      stale: total.stale + stale,
      unnotified: total.unnotified + unnotified,
      unserved: total.unserved + unserved,
    }));
  }

  async #readMeasurements(): Promise<PhaseMeasurements> {
    const groups = await this.#ofAll((group) => group.call('measurements'));
    const reasons = new Map<string, number>();
    for (const [reason, count] of groups.flatMap((group) => Object.entries(group.reasons)))
      reasons.set(reason, (reasons.get(reason) ?? 0) + count);
    return {
      requests: sumOf(groups.map(({ requests }) => requests)),
      responses: sumOf(groups.map(({ responses }) => responses)),
      errors: sumOf([...reasons.values()]),
      reasons,
      stale: sumOf(groups.map(({ stale }) => stale)),
      latency: new Latencies(groups.flatMap(({ delays }) => delays)),
      paidToPayer: new Latencies(groups.flatMap(({ paidToPayer }) => paidToPayer)),
    };
  }
}
