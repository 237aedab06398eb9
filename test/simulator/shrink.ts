import type { Plan } from './plan.ts';
import type { RuleName, Violation } from './rules.ts';
import { simulatePlan } from './simulate-plan.ts';
import type { Report } from './simulation.ts';

/** Looks for the smallest plan that still breaks the rule: fewer hours and fewer faults. Resolves with its report. */
export async function shrink(plan: Plan, rule: RuleName): Promise<Report> {
  let best = await simulatePlan(plan, undefined, true);
  const tryPlan = async (change: Partial<Plan>): Promise<boolean> => {
    const report = await simulatePlan({ ...best.plan, ...change }, undefined, true);
    if (!report.violations.some((violation) => violation.rule === rule)) return false;
    best = report;
    return true;
  };
  // What happens later does not change what happened before.
  while (best.plan.hours > 0.1 && (await tryPlan({ hours: best.plan.hours / 2 })));
  for (const fault of plan.faults) await tryPlan({ faults: best.plan.faults.filter((name) => name !== fault) });
  for (const fault of plan.serviceFaults)
    await tryPlan({ serviceFaults: best.plan.serviceFaults.filter((name) => name !== fault) });
  while (best.plan.hours > 0.1 && (await tryPlan({ hours: best.plan.hours * 0.75 })));
  return best;
}

/** The lines of a report that concern the order of a violation, and what happened to servers and the service meanwhile. */
export function traceOf({ lines }: Report, { orderId, at }: Violation): readonly string[] {
  const ownLines = lines.filter((line) => line.includes(`"${orderId}"`));
  const ids = new Set(ownLines.flatMap((line) => [...line.matchAll(/(?:inv|att|chk)_[\w-]+/g)].map(([id]) => id)));
  const concerns = (line: string): boolean =>
    !line.includes('"FetchInvoices"') &&
    (line.includes(`"${orderId}"`) || !line.includes('{') || [...ids].some((id) => line.includes(id)));
  const firstAt = Number.parseFloat(ownLines[0] ?? '0') - 60_000;
  return lines.filter((line) => {
    const lineAt = Number.parseFloat(line);
    return lineAt >= firstAt && lineAt <= at + 1 && concerns(line);
  });
}
