import { setTimeout as delay } from 'node:timers/promises';
import { runningTime } from '../support/stall-meter.ts';
import { audit, unsettled } from './audit.ts';
import type { KillPoint } from './kill-points.ts';
import type { Payer } from './payer.ts';
import type { Plan } from './plan.ts';
import { TestEnvironment, type EnvironmentParts } from './test-environment.ts';
import type { Violation } from './violation.ts';

/** What a run came to. */
export interface Report {
  readonly plan: Plan;
  readonly violations: readonly Violation[];
  readonly died: readonly KillPoint[];
  /** How often each kind of fault was applied, at the service and in the proxies. */
  readonly applied: ReadonlyMap<string, number>;
  readonly trace: readonly string[];
  readonly ms: number;
}

/**
 * Runs a plan and checks the results.
 * @param patienceMs The maximum time from the first fault until all work is finished, in milliseconds in which this process
 *   runs.
 */
export async function run(plan: Plan, parts: EnvironmentParts, patienceMs: number): Promise<Report> {
  const start = performance.now();
  const patience = new AbortController();
  const startTimer = () => {
    const endsAt = runningTime() + patienceMs;
    return setInterval(() => {
      if (runningTime() >= endsAt) patience.abort(new Error('patience is over'));
    }, 100);
  };
  let timer = startTimer();
  const stage = await TestEnvironment.open(plan, parts, patience.signal).finally(() => clearInterval(timer));
  timer = startTimer();
  try {
    const found = [...(await play(stage, patience.signal)), ...(await check(stage))];
    const texts = new Set<string>();
    const violations = found.filter(({ text }) => !texts.has(text) && texts.add(text));
    const died = stage.shops.flatMap((shop) => shop.died);
    return { plan, violations, died, applied: stage.applied, trace: stage.trace, ms: performance.now() - start };
  } finally {
    clearInterval(timer);
    await stage.close();
  }
}

/** Runs the faults and the payers. Resolves with a violation for all that did not finish in time. */
async function play(stage: TestEnvironment, over: AbortSignal): Promise<readonly Violation[]> {
  const { payers, plan } = stage;
  try {
    await stage.startFaults();
    const lives = Promise.all(payers.map((payer) => payer.live()));
    lives.catch(() => undefined); // it is waited for below
    await Promise.race([lives, delay(plan.faultsForMs)]);
    await stage.stopFaults();
    await lives;
    await Promise.all(payers.map((payer) => payer.finish()));
    await meetFates(stage);
    await rest(stage, over);
    for (const payer of payers) await payer.lookAround();
    return [];
  } catch (error) {
    const text =
      error instanceof Error ? (over.aborted ? error.message : (error.stack ?? error.message)) : String(error);
    return [{ invariant: 'I7', text }];
  }
}

async function check(stage: TestEnvironment): Promise<readonly Violation[]> {
  const showings = stage.payers.map(({ witness }) => witness);
  const found = audit(await stage.ledger.read(), await stage.service.invoices(), showings);
  return [...showings.flatMap(({ violations }) => violations), ...found];
}

/** Every invoice that a payer was shown and that may still be paid gets its end, or is left alone. */
async function meetFates({ payers, service }: TestEnvironment): Promise<void> {
  for (const payer of payers) await meetFate(payer, service);
}

async function meetFate(
  { plan: { invoiceEnd: fate }, witness }: Payer,
  service: TestEnvironment['service'],
): Promise<void> {
  if (fate === 'leave') return;
  const held = await service.invoices(witness.orderId);
  for (const { id, status } of held) {
    if (status !== 'PENDING' || !witness.shown.includes(id)) continue;
    if (fate === 'pay late') await service.simulate(id, 'expire');
    await service.simulate(id, fate === 'pay late' ? 'pay' : fate);
  }
}

/** An invoice that cannot be paid for longer than this may end at any moment of a run, also between two looks of it. */
const longRunMs = 600_000;

/** Waits until nothing is under way any more, nor will be by itself before the run is over. */
async function rest({ ledger, service, plan }: TestEnvironment, over: AbortSignal): Promise<void> {
  for (;;) {
    const held = await service.invoices();
    const mayEnd = plan.lifetimeMs < longRunMs && held.some(({ status }) => status === 'PENDING');
    if (!mayEnd && unsettled(await ledger.read(), held).length === 0) return;
    over.throwIfAborted();
    await delay(50);
  }
}
