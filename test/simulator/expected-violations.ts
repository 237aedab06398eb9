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
    cause:
      'found with seeds 1019 (12.5 s) and 1039 (655 s) in 4 hours and 1002 (11.5 s) in 20 hours; its cause is not known yet',
  },
  {
    rule: 'a page shows only invoices of its order and amount',
    text: /shows an invoice of order-/,
    cause:
      'found with seed 1008 in 4 hours: the answer to one order was lost, and the service gave its invoice to another order, as if it were its own. No answer names the owner: the first order that gets it keeps it',
  },
];

export function isExpected(violation: Violation): boolean {
  return expectedViolations.some(
    ({ rule, text }) => rule === violation.rule && (text === undefined || text.test(violation.text)),
  );
}
