// Records each second of a load run: how the payers are, and what the servers say of themselves.
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  countServed,
  mergeCounts,
  percentile,
  splitResults,
  sumOf,
  type PaymentTimes,
  type Recording,
  type Sample,
} from './judge.ts';
import type { Payment, PayersSample } from './payers.ts';
import type { LoadPrograms } from './start-load-programs.ts';

/** A server that does not say its metrics within this time says nothing, in ms. */
const scrapeMs = 900;
/** Payers who do not answer within this time have failed, in ms. */
const payersMs = 30_000;

export class Recorder implements Recording {
  readonly #programs: LoadPrograms;
  readonly #log: (line: string) => void;
  readonly #startedAt = performance.timeOrigin + performance.now();
  readonly #told: PaymentTimes[] = [];
  readonly #last = new Map<string, number>();
  #untold: readonly PaymentTimes[] = [];
  #isOver = false;
  /** Why the recording has ended. */
  #failure: string | undefined;
  #running: Promise<void>;
  readonly samples: Sample[] = [];
  wronglyTold = 0;

  constructor(programs: LoadPrograms, log: (line: string) => void) {
    this.#programs = programs;
    this.#log = log;
    this.#running = this.#run().catch((error: unknown) => {
      this.#failure = String(error);
    });
  }

  get payments(): readonly PaymentTimes[] {
    return [...this.#told, ...this.#untold];
  }

  /** Seconds since the start of the run. */
  now(): number {
    return this.#secondsOf(performance.timeOrigin + performance.now());
  }

  /** Waits until a sample meets a condition. Resolves with its time; undefined when none does within so many seconds. */
  async until(isMet: (sample: Sample) => boolean, withinSeconds: number): Promise<number | undefined> {
    const endsAt = this.now() + withinSeconds;
    while (this.now() < endsAt) {
      if (this.#failure !== undefined) throw new Error(this.#failure);
      const sample = this.samples.at(-1);
      if (sample !== undefined && isMet(sample)) return sample.at;
      await sleep(100);
    }
    return undefined;
  }

  /** Waits, and rejects when the recording has failed. */
  async wait(seconds: number): Promise<void> {
    await this.until(() => false, seconds);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let second = 1; !this.#isOver; second = Math.max(second + 1, Math.floor(this.now()))) {
      await sleep(Math.max(0, (second - this.now()) * 1000));
      this.samples.push(await this.#sample());
      if (this.samples.length % 10 === 0) this.#logProgress(this.samples.slice(-10));
    }
  }

  async #sample(): Promise<Sample> {
    const { servers, sandboxProgram, payers } = this.#programs;
    const [groups, texts] = await Promise.all([
      within(payersMs, Promise.all(payers.map((group) => group.call('takeSample')))),
      Promise.all(servers.map(({ addresses }) => scrape(addresses.get('Metrics')))),
    ]);
    this.#notePayments(groups);
    const at = this.now();
    const seconds = at - (this.samples.at(-1)?.at ?? 0);
    const total = (count: (group: PayersSample) => number): number => sumOf(groups.map(count));
    const all = (name: string): readonly number[] => texts.flatMap((text) => readMetric(text, name) ?? []);
    const cpu = (name: string, programs: readonly { cpu(): number }[]): number =>
      sumOf(programs.map((program, index) => this.#increase(`${name} ${index}`, program.cpu()))) * (100 / seconds);
    const held = sumOf(all('pay_invoice_long_polls'));
    const waiting = total((group) => group.waiting);
    return {
      at,
      arriving: total(({ arriving }) => arriving),
      waiting,
      served: countServed(
        {
          answered: total(({ answered }) => answered),
          answeredPolls: total(({ answeredPolls }) => answeredPolls),
          otherPolls: total(({ otherPolls }) => otherPolls),
        },
        held,
      ),
      held,
      stale: total(({ stale }) => stale),
      reads: mergeCounts(groups.map(({ reads }) => reads)),
      creates: mergeCounts(groups.map(({ creates }) => creates)),
      refusedMs: groups.flatMap(({ refusedMs }) => refusedMs),
      invoiceMs: groups.flatMap(({ invoiceMs }) => invoiceMs),
      fetches: sumOf(texts.map((text, index) => this.#increase(`fetches ${index}`, readMetric(text, fetchesMetric)))),
      loopDelayMs: texts.includes('') ? undefined : 1000 * Math.max(...all('nodejs_eventloop_lag_p99_seconds')),
      memoryMegabytes: sumOf(all('process_resident_memory_bytes')) / 2 ** 20,
      cpu: {
        servers: cpu('server', servers),
        sandbox: cpu('sandbox', [sandboxProgram]),
        payers: cpu('payers', payers),
        machine: cpu('machine', [{ cpu: busySeconds }]),
      },
    };
  }

  #notePayments(groups: readonly PayersSample[]): void {
    const toTimes = ({ paidAt, toldAt }: Payment): PaymentTimes => ({
      paidAt: this.#secondsOf(paidAt),
      ...(toldAt !== undefined && { toldAt: this.#secondsOf(toldAt) }),
    });
    this.#told.push(...groups.flatMap(({ told }) => told.map(toTimes)));
    this.#untold = groups.flatMap(({ untold }) => untold.map(toTimes));
    this.wronglyTold += sumOf(groups.map(({ wronglyTold }) => wronglyTold));
  }

  /** How much a counter has grown since the last sample. After a restart of its process it begins anew. */
  #increase(name: string, value: number | undefined): number {
    if (value === undefined || Number.isNaN(value)) return 0;
    const last = this.#last.get(name) ?? value;
    this.#last.set(name, value);
    return value >= last ? value - last : value;
  }

  #secondsOf(time: number): number {
    return (time - this.#startedAt) / 1000;
  }

  #logProgress(samples: readonly Sample[]): void {
    const last = samples.at(-1);
    if (last === undefined) return;
    const reads = splitResults(mergeCounts(samples.map(({ reads }) => reads)));
    const delays = this.#told.flatMap(({ paidAt, toldAt = 0 }) => (toldAt > last.at - 10 ? [toldAt - paidAt] : []));
    this.#log(
      `${Math.round(last.at)} s: ${last.waiting} payers wait, ${last.arriving} arrive, ${last.served} served, ${last.held} polls held; ` +
        `in 10 s ${reads.good} reads and ${reads.failed} failed ones, told after ${percentile(delays, 0.99).toFixed(1)} s (p99), ` +
        `${this.#untold.length} not yet; processor: servers ${Math.round(last.cpu.servers)} %, payers ${Math.round(last.cpu.payers)} %`,
    );
  }
}

const fetchesMetric = 'pay_invoice_service_call_duration_seconds_count{operation="FetchInvoices"}';

/** The metrics of a server as text; empty when it does not say them in time. */
async function scrape(address: string | undefined): Promise<string> {
  if (address === undefined) return '';
  const signal = AbortSignal.timeout(scrapeMs);
  return fetch(`${address}/metrics`, { signal })
    .then((response) => response.text())
    .catch(() => '');
}

function readMetric(text: string, name: string): number | undefined {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

/** Seconds of processor time of everything on this machine. */
const busySeconds = (): number =>
  sumOf(os.cpus().map(({ times }) => times.user + times.nice + times.sys + times.irq)) / 1000;

async function within<T>(ms: number, result: Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timeout = sleep(ms, undefined, { signal: controller.signal }).then(() => {
    throw new Error('the payers do not answer');
  });
  try {
    return await Promise.race([result, timeout]);
  } finally {
    controller.abort();
  }
}
