import type { SimulationEvent } from './history.ts';
import { callRules } from './call-rules.ts';
import { createHistory } from './indexed-history.ts';
import { outcomeRules } from './outcome-rules.ts';
import { pageRules } from './page-rules.ts';

const rules = { ...outcomeRules, ...pageRules, ...callRules };

/** Something that must hold of the whole system, and did not. */
export interface Violation {
  readonly rule: RuleName;
  /** When it was seen, in ms since the simulation's start. */
  readonly at: number;
  readonly orderId: string;
  readonly text: string;
}

export type RuleName = keyof typeof rules;

const isRuleName = (name: string): name is RuleName => Object.hasOwn(rules, name);
export const ruleNames: readonly RuleName[] = Object.keys(rules).filter(isRuleName);

/** Judges what happened. The violations are in the order of their times. */
export function checkHistory(events: readonly SimulationEvent[]): readonly Violation[] {
  const history = createHistory(events);
  const violations: Violation[] = [];
  for (const rule of ruleNames)
    rules[rule](history, (at, orderId, text) => violations.push({ rule, at, orderId, text }));
  return violations.sort((one, other) => one.at - other.at);
}
