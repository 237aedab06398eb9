import { setTimeout as delay } from 'node:timers/promises';
import { runningTime } from '../support/stall-meter.ts';
import { audit, findUnfinishedWork } from './audit.ts';
import type { KillPoint } from './kill-points.ts';
import type { Payer } from './payer.ts';
import type { Plan } from './plan.ts';
import { TestEnvironment, type EnvironmentParts } from './test-environment.ts';
import type { Violation } from './violation.ts';

/** The result of a run. */
export interface Report {
  readonly plan: Plan;
  readonly violations: readonly Violation[];
  /** The points at which processes were killed. */
  readonly killedAt: readonly KillPoint[];
  /** How often each kind of fault was applied, at the service and in the proxies. */
  readonly applied: ReadonlyMap<string, number>;
  readonly trace: readonly string[];
  readonly ms: number;
}

/**
 * Runs a plan and checks the results.
 * @param maxDurationMs The maximum time from the first fault until all work is finished. Time in which this process does not
 *   run is not counted.
 */
export async function run(plan: Plan, parts: EnvironmentParts, maxDurationMs: number): Promise<Report> {
  const startedAt = performance.now();
  const timeout = new AbortController();
  const startTimer = () => {
    const endsAt = runningTime() + maxDurationMs;
    return setInterval(() => {
      if (runningTime() >= endsAt) timeout.abort(new Error('the run exceeded its maximum duration'));
    }, 100);
  };
  let timer = startTimer();
  const environment = await TestEnvironment.open(plan, parts, timeout.signal).finally(() => clearInterval(timer));
  timer = startTimer();
  try {
    const violationsFound = [...(await runPlan(environment, timeout.signal)), ...(await checkResults(environment))];
    const texts = new Set<string>();
    const violations = violationsFound.filter(({ text }) => !texts.has(text) && texts.add(text));
    const killedAt = environment.shops.flatMap((shop) => shop.killedAt);
    return {
      plan,
      violations,
      killedAt,
      applied: environment.applied,
      trace: environment.trace,
      ms: performance.now() - startedAt,
    };
  } finally {
    clearInterval(timer);
    await environment.close();
  }
}

/** Runs the faults and the payers. Resolves with a violation if something did not finish in time. */
async function runPlan(environment: TestEnvironment, timeout: AbortSignal): Promise<readonly Violation[]> {
  const { payers, plan } = environment;
  try {
    await environment.startFaults();
    const actions = Promise.all(payers.map((payer) => payer.performActions()));
    actions.catch(() => undefined); // It is awaited below.
    await Promise.race([actions, delay(plan.faultsForMs)]);
    await environment.stopFaults();
    await actions;
    await Promise.all(payers.map((payer) => payer.finish()));
    await endInvoices(environment);
    await waitUntilFinished(environment, timeout);
    for (const payer of payers) await payer.readFromEachProcess();
    return [];
  } catch (error) {
    const text =
      error instanceof Error ? (timeout.aborted ? error.message : (error.stack ?? error.message)) : String(error);
    return [{ invariant: 'I7', text }];
  }
}

async function checkResults(environment: TestEnvironment): Promise<readonly Violation[]> {
  const checkers = environment.payers.map(({ checker }) => checker);
  const violationsFound = audit(await environment.ledger.read(), await environment.service.invoices(), checkers);
  return [...checkers.flatMap(({ violations }) => violations), ...violationsFound];
}

/** Ends every payable invoice that a payer was shown in the way that the plan determines. */
async function endInvoices({ payers, service }: TestEnvironment): Promise<void> {
  for (const payer of payers) await endInvoicesOf(payer, service);
}

async function endInvoicesOf(
  { plan: { invoiceEnd }, checker }: Payer,
  service: TestEnvironment['service'],
): Promise<void> {
  if (invoiceEnd === 'leave') return;
  const serviceInvoices = await service.invoices(checker.orderId);
  for (const { id, status } of serviceInvoices) {
    if (status !== 'PENDING' || !checker.shownInvoiceIds.includes(id)) continue;
    if (invoiceEnd === 'pay late') await service.simulate(id, 'expire');
    await service.simulate(id, invoiceEnd === 'pay late' ? 'pay' : invoiceEnd);
  }
}

/** An invoice with a shorter lifetime, in the run's milliseconds, may expire during a run. */
const maxRunMs = 600_000;

/** Waits until all work is finished, and no invoice can expire any more during the run. */
async function waitUntilFinished({ ledger, service, plan }: TestEnvironment, timeout: AbortSignal): Promise<void> {
  for (;;) {
    const serviceInvoices = await service.invoices();
    const mayExpire = plan.lifetimeMs < maxRunMs && serviceInvoices.some(({ status }) => status === 'PENDING');
    if (!mayExpire && findUnfinishedWork(await ledger.read(), serviceInvoices).length === 0) return;
    timeout.throwIfAborted();
    await delay(50);
  }
}
