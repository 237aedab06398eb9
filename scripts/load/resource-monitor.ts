// Measures what a phase of the load run costs: calls to the service, memory, event loop delay, processor time.
import type { Program } from './start-program.ts';
import type { SandboxControl } from './sandbox-control.ts';

/** What a phase costs the server and the service. */
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

interface Measured {
  readonly server: Program;
  readonly sandboxProgram: Program;
  readonly sandbox: SandboxControl;
  readonly tickMs: number;
}

const everyMs = 100;

/** Measures the server and the sandbox until the returned function is called. */
export async function startResourceMonitor({
  server,
  sandboxProgram,
  sandbox,
  tickMs,
}: Measured): Promise<() => Promise<ResourceUsage>> {
  const calls: { readonly at: number; readonly count: number }[] = [];
  let memory = 0;
  let loopDelay = 0;
  const cpu = (): readonly number[] => {
    const { user, system } = process.cpuUsage();
    return [server.cpu(), sandboxProgram.cpu(), (user + system) / 1e6];
  };
  const countCalls = async (): Promise<void> => {
    calls.push({ at: performance.now(), count: await sandbox.calls() });
  };
  const scrape = async (): Promise<void> => {
    const text = await (await fetch(server.addresses.get('Metrics') ?? '')).text();
    memory = Math.max(memory, sample(text, 'process_resident_memory_bytes') / 2 ** 20);
    loopDelay = Math.max(loopDelay, sample(text, 'nodejs_eventloop_lag_p99_seconds') * 1000);
  };
  await scrape(); // resets the maxima of the time before
  [memory, loopDelay] = [0, 0];
  await countCalls();
  const start = performance.now();
  const cpuBefore = cpu();
  const timers = [
    setInterval(() => void countCalls().catch(() => undefined), everyMs),
    setInterval(() => void scrape().catch(() => undefined), 1000),
  ];
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await countCalls();
    await scrape();
    const seconds = (performance.now() - start) / 1000;
    const [forServer = NaN, forSandbox = NaN, forPayers = NaN] = cpu().map(
      (now, index) => ((now - (cpuBefore[index] ?? NaN)) / seconds) * 100,
    );
    calls.sort((one, other) => one.at - other.at);
    return {
      seconds,
      calls: (calls.at(-1)?.count ?? 0) - (calls[0]?.count ?? 0),
      callsInBusiestSecond: largestIncrease(calls, 1000),
      callsInBusiestTick: largestIncrease(calls, tickMs),
      memoryMegabytes: memory,
      loopDelayMs: loopDelay,
      cpu: { server: forServer, sandbox: forSandbox, payers: forPayers },
    };
  };
}

function sample(text: string, name: string): number {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
}

/** The largest growth of a count within any window of `windowMs` milliseconds, at the resolution of the samples. */
function largestIncrease(
  samples: readonly { readonly at: number; readonly count: number }[],
  windowMs: number,
): number {
  let most = 0;
  let from = 0;
  for (const { at, count } of samples) {
    while (from < samples.length && at - (samples[from]?.at ?? at) > windowMs + everyMs / 2) from += 1;
    most = Math.max(most, count - (samples[from]?.count ?? count));
  }
  return most;
}
