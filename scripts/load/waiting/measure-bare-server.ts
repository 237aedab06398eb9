import { setTimeout as sleep } from 'node:timers/promises';
import type { BuiltPrograms } from '../../build/build-programs.ts';
import type { WaitingOptions } from './run-waiting-payers.ts';
import { startPayersProcess, startServerProcess } from './start-processes.ts';

export interface BareServerMemory {
  readonly payers: number;
  readonly kilobytesPerPayer: Record<'resident' | 'heap', number>;
}

/** Payers whose memory does not count: with them the bare server runs and compiles all of its code. */
const warmUpPayers = 500;

/** Measures the memory that a bare node:http server needs for the long polls of as many payers as one of the run's servers. */
export async function measureBareServer(
  { waiting, processes, opensPerSecond, waitSeconds, log }: WaitingOptions,
  builtPrograms: BuiltPrograms,
): Promise<BareServerMemory> {
  const server = await startServerProcess(builtPrograms.file('bareServer'), String(waitSeconds));
  const payersProcess = startPayersProcess(builtPrograms.file('payers'), () => undefined);
  try {
    const port = Number(new URL(server.url).port);
    const openUntil = async (count: number): Promise<void> => {
      const { opened } = await payersProcess.report();
      const checkoutIds = Array.from({ length: count - opened }, (_, index) => `chk_${opened + index}`);
      payersProcess.open({ port, checkoutIds, perSecond: opensPerSecond, waitSeconds });
      while ((await payersProcess.report()).opened < count) await sleep(500);
      await sleep(waitSeconds * 1000); // until each payer has sent a second long poll
    };
    await openUntil(warmUpPayers);
    const before = await server.memory();
    const payers = Math.ceil(waiting / processes);
    await openUntil(warmUpPayers + payers);
    const after = await server.memory();
    const perPayer = (key: keyof typeof before): number =>
      Math.round(((after[key] - before[key]) / payers / 1024) * 10) / 10;
    const kilobytesPerPayer = { resident: perPayer('residentBytes'), heap: perPayer('heapBytes') };
    log(`a bare server needs for each of ${payers} payers: ${JSON.stringify(kilobytesPerPayer)} kB`);
    return { payers, kilobytesPerPayer };
  } finally {
    await payersProcess.stop();
    await server.stop();
  }
}
