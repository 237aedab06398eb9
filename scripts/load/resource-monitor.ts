// Measures what a phase of the load run costs: calls to the service, memory, event loop delay, processor time.
import type { Program } from './start-program.ts';
import type { SandboxControl } from './sandbox-control.ts';

/** The resources that a phase used. */
export interface ResourceUsage {
  readonly seconds: number;
  readonly calls: number;
  readonly callsInBusiestSecond: number;
  readonly callsInBusiestTick: number;
  readonly memoryMegabytes: number;
  /** The worst p99 of any second. */
  readonly loopDelayMs: number;
  /** Percent of one core. */
  readonly cpu: { readonly server: number; readonly sandbox: number; readonly payers: number };
}

interface MonitoredPrograms {
  readonly server: Program;
  readonly sandboxProgram: Program;
  readonly sandbox: SandboxControl;
  readonly tickMs: number;
}

const sampleIntervalMs = 100;

/** Measures the server and the sandbox until the returned function is called. */
export async function startResourceMonitor({
  server,
  sandboxProgram,
  sandbox,
  tickMs,
}: MonitoredPrograms): Promise<() => Promise<ResourceUsage>> {
  const calls: { readonly at: number; readonly count: number }[] = [];
  let maxMemoryMegabytes = 0;
  let maxLoopDelayMs = 0;
  const readCpuSeconds = (): readonly number[] => {
    const { user, system } = process.cpuUsage();
    return [server.cpu(), sandboxProgram.cpu(), (user + system) / 1e6];
  };
  const countCalls = async (): Promise<void> => {
    calls.push({ at: performance.now(), count: await sandbox.calls() });
  };
  const scrape = async (): Promise<void> => {
    const text = await (await fetch(server.addresses.get('Metrics') ?? '')).text();
    maxMemoryMegabytes = Math.max(maxMemoryMegabytes, readMetric(text, 'process_resident_memory_bytes') / 2 ** 20);
    maxLoopDelayMs = Math.max(maxLoopDelayMs, readMetric(text, 'nodejs_eventloop_lag_p99_seconds') * 1000);
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
    const [serverPercent = NaN, sandboxPercent = NaN, payersPercent = NaN] = readCpuSeconds().map(
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
      cpu: { server: serverPercent, sandbox: sandboxPercent, payers: payersPercent },
    };
  };
}

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
