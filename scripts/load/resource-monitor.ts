// Measures what a phase of the load run costs: calls to the service, memory, event loop delay, processor time.
import type { ActiveFault } from '../../src/tools/conformance/sandbox-client.ts';
import type { LoadPrograms } from './start-load-programs.ts';

/** The resources that a phase used. */
export interface ResourceUsage {
  readonly seconds: number;
  readonly calls: number;
  readonly callsInBusiestSecond: number;
  readonly callsInBusiestTick: number;
  /** The greatest resident memory of all servers together. */
  readonly memoryMegabytes: number;
  /** The worst p99 of any second. */
  readonly loopDelayMs: number;
  /** Percent of one core. */
  readonly cpu: { readonly servers: number; readonly sandbox: number; readonly payers: number };
}

const sampleIntervalMs = 100;
/** How often the status poller fetches invoices. */
export const tickMs = 2000;

/** Measures the programs until the returned function is called. `fetchCounter` counts the FetchInvoices calls. */
export async function startResourceMonitor(
  { servers, payers, sandboxProgram }: LoadPrograms,
  fetchCounter: ActiveFault,
): Promise<() => Promise<ResourceUsage>> {
  const calls: { readonly at: number; readonly count: number }[] = [];
  let maxMemoryMegabytes = 0;
  let maxLoopDelayMs = 0;
  const readCpuSeconds = (): readonly number[] =>
    [servers, [sandboxProgram], payers].map((programs) => sumOf(programs.map((program) => program.cpu())));
  const countCalls = async (): Promise<void> => {
    calls.push({ at: performance.now(), count: await fetchCounter.countFired() });
  };
  const scrape = async (): Promise<void> => {
    const texts = await Promise.all(
      servers.map(async ({ addresses }) => (await fetch(`${addresses.get('Metrics') ?? ''}/metrics`)).text()),
    );
    const readAll = (name: string): readonly number[] => texts.map((text) => readMetric(text, name));
    maxMemoryMegabytes = Math.max(maxMemoryMegabytes, sumOf(readAll('process_resident_memory_bytes')) / 2 ** 20);
    maxLoopDelayMs = Math.max(maxLoopDelayMs, ...readAll('nodejs_eventloop_lag_p99_seconds').map((lag) => lag * 1000));
  };
  await scrape(); // resets the maxima that were measured before the phase
  [maxMemoryMegabytes, maxLoopDelayMs] = [0, 0];
  await countCalls();
  const start = performance.now();
  const cpuBefore = readCpuSeconds();
  const timers = [
    setInterval(() => void countCalls().catch(() => undefined), sampleIntervalMs),
    setInterval(() => void scrape().catch(() => undefined), 1000),
  ];
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await countCalls();
    await scrape();
    const seconds = (performance.now() - start) / 1000;
    const [serversPercent = NaN, sandboxPercent = NaN, payersPercent = NaN] = readCpuSeconds().map(
      (now, index) => ((now - (cpuBefore[index] ?? NaN)) / seconds) * 100,
    );
    calls.sort((a, b) => a.at - b.at);
    return {
      seconds,
      calls: (calls.at(-1)?.count ?? 0) - (calls[0]?.count ?? 0),
      callsInBusiestSecond: largestIncrease(calls, 1000),
      callsInBusiestTick: largestIncrease(calls, tickMs),
      memoryMegabytes: maxMemoryMegabytes,
      loopDelayMs: maxLoopDelayMs,
      cpu: { servers: serversPercent, sandbox: sandboxPercent, payers: payersPercent },
    };
  };
}

export const sumOf = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function readMetric(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
}

/** The largest growth of a count within any window of `windowMs` milliseconds, at the resolution of the samples. */
function largestIncrease(
  samples: readonly { readonly at: number; readonly count: number }[],
  windowMs: number,
): number {
  let largest = 0;
  let windowStart = 0;
  for (const { at, count } of samples) {
    while (windowStart < samples.length && at - (samples[windowStart]?.at ?? at) > windowMs + sampleIntervalMs / 2)
      windowStart += 1;
    largest = Math.max(largest, count - (samples[windowStart]?.count ?? count));
  }
  return largest;
}
