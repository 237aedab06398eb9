// One load run: payers arrive until all are served, a calm time, the disturbance, the time after it. Some pay all the time.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Disturbance, Run } from './disturbances.ts';
import type { Sample } from './judge.ts';
import { readPaidOrders } from './place-orders.ts';
import { Recorder } from './recorder.ts';
import { startLoadPrograms, type LoadPrograms, type ServerOptions } from './start-load-programs.ts';

export interface LoadOptions extends ServerOptions {
  readonly disturbance: Disturbance;
  readonly payers: number;
  /** At all servers together. */
  readonly arrivalsPerSecond: number;
  readonly paymentsPerSecond: number;
  /** How long payers wait before the disturbance. */
  readonly calmSeconds: number;
  readonly disturbanceSeconds: number;
  readonly afterSeconds: number;
  readonly log: (line: string) => void;
  /** Ends the run early. */
  readonly signal: AbortSignal;
}

/** When the parts of a run began, in seconds. */
type Times = Partial<Record<'heldAfter' | 'disturbedAt' | 'endedAt', number>>;

/** The run goes on, or fails, when payers take longer to arrive, or a disturbance takes so much longer than it is said to. */
const arrivalSeconds = 300;
const lateSeconds = 120;
/** How long after the run payers may still be told. */
const toldSeconds = 30;
/** How long after that the shop may still be told. */
const shopSeconds = 10;

/** Starts the programs, runs, and stops them. What was recorded is returned, also when the run fails or is aborted. */
export async function runLoad(options: LoadOptions): Promise<Run> {
  const { programs, stop } = await startLoadPrograms(options);
  const recorder = new Recorder(programs, options.log);
  const times: Times = {};
  const aborted = once(options.signal, 'abort').then(() => {
    throw new Error('it was aborted');
  });
  try {
    if (options.signal.aborted) throw new Error('it was aborted while the programs were started');
    const failure = await Promise.race([runParts(options, programs, recorder, times), aborted]).then(
      () => undefined,
      String,
    );
    await Promise.race([recorder.stop(), sleep(toldSeconds * 1000)]);
    const paidOrders = await readToldOrders(programs.url, recorder.payments.length);
    const { samples, payments, wronglyTold } = recorder;
    const overAt = samples.at(-1)?.at ?? 0;
    return { samples, payments, wronglyTold, paidOrders, failure, disturbedAt: overAt, endedAt: overAt, ...times };
  } finally {
    // Otherwise thousands of them try to reach the servers while those stop.
    await Promise.allSettled(programs.payers.map((group) => group.call('leave')));
    await stop();
  }
}

/** The orders that the shop is told of, when they are as many as there were payments, or after some time. */
async function readToldOrders(url: string, payments: number): Promise<readonly string[] | undefined> {
  const readOrders = () => readPaidOrders(url).catch(() => undefined);
  let orders = await readOrders();
  for (let tries = 0; tries < shopSeconds && orders !== undefined && orders.length < payments; tries += 1) {
    await sleep(1000);
    orders = await readOrders();
  }
  return orders;
}

async function runParts(options: LoadOptions, programs: LoadPrograms, recorder: Recorder, times: Times): Promise<void> {
  const { disturbance, payers, calmSeconds, disturbanceSeconds, afterSeconds, log } = options;
  const groups = programs.payers;
  const ofEach = <T>(call: (group: (typeof groups)[number]) => Promise<T>): Promise<T[]> =>
    Promise.all(groups.map(call));
  const prepared = (await disturbance.prepare?.(programs)) ?? 0;
  if (prepared > 0) log(`the servers carry ${prepared.toFixed(1)} orders a second`);

  const count = Math.ceil(payers / groups.length);
  const arrivedFrom = recorder.now();
  await ofEach((group) => group.call('arrive', count, options.arrivalsPerSecond / groups.length));
  const heldAt = await recorder.until(
    ({ waiting, served }) => waiting >= count * groups.length && served >= 0.99 * waiting,
    arrivalSeconds,
  );
  if (heldAt !== undefined) times.heldAfter = heldAt - arrivedFrom;
  log(
    heldAt === undefined
      ? 'not all payers are served'
      : `all payers are served after ${times.heldAfter?.toFixed(0) ?? ''} s`,
  );
  await ofEach((group) => group.call('pay', options.paymentsPerSecond / groups.length));
  await recorder.wait(calmSeconds);

  log(`now: ${disturbance.title}`);
  times.disturbedAt = recorder.now();
  const disturbed = disturbance.disturb(programs, disturbanceSeconds, prepared);
  const late = recorder.wait(disturbanceSeconds + lateSeconds).then(() => {
    throw new Error('the disturbance does not end');
  });
  await Promise.race([disturbed, late]);
  times.endedAt = recorder.now();
  await ofEach((group) => group.call('markRecovery'));
  log(`over after ${(times.endedAt - times.disturbedAt).toFixed(1)} s`);
  await recorder.wait(afterSeconds);
  await ofEach((group) => group.call('pay', 0));
  const paidAt = recorder.now();
  const isTold = ({ at }: Sample): boolean =>
    at > paidAt + 1 && recorder.payments.every(({ toldAt }) => toldAt !== undefined);
  await recorder.until(isTold, toldSeconds);
}
