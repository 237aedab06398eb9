import type { RuleName, Violation } from './rules.ts';

/** A violation that the simulator finds in today's code. An entry goes when its cause is mended. */
interface ExpectedViolation {
  readonly rule: RuleName;
  /** Matches the violation's text, where the rule can be broken for other reasons too. */
  readonly text?: RegExp;
  /** What is wrong in the code. */
  readonly cause: string;
}

const expectedViolations: readonly ExpectedViolation[] = [
  {
    rule: 'each payment gives one outcome of its order and amount',
    text: /never hears/,
    cause:
      'was found before an operator checked what is told as invoice_unresolved; the entry goes when 1,000 hours have shown none',
  },
  {
    rule: 'an invoice is fetched once a second at most',
    cause: 'was found with seed 1007 in 4 hours, and is not any more; the entry goes when 1,000 hours have shown none',
  },
  {
    rule: 'no invoice is payable after its deadline',
    cause: 'found with seed 1002 in 20 hours, at hour 8.22: a tab shows it for 11.5 s; its cause is not known yet',
  },
];

export function isExpected(violation: Violation): boolean {
  return expectedViolations.some(
    ({ rule, text }) => rule === violation.rule && (text === undefined || text.test(violation.text)),
  );
}
