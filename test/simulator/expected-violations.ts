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
    rule: 'no invoice is payable after its deadline',
    cause:
      'was found with seeds 1004 and 1014 (an answer that is read after a sleep) and 1002 (an answer that travels for 9 s) before both were mended; the entry goes when 1,000 hours have shown none',
  },
  {
    rule: 'each payment gives one outcome of its order and amount',
    text: /never hears/,
    cause:
      'the last fetch of an ended invoice, after `timing.lateMs`, is not repeated when it fails: found with seed 1019 in 20 hours, where the servers had stopped for 100 hours',
  },
  {
    rule: 'a paid invoice is not told as failed or expired',
    text: /^failed/,
    cause: 'found with seed 1017 in 20 hours (hour 200.76, 105.7 s after the payment); its cause is not known yet',
  },
];

export function isExpected(violation: Violation): boolean {
  return expectedViolations.some(
    ({ rule, text }) => rule === violation.rule && (text === undefined || text.test(violation.text)),
  );
}
