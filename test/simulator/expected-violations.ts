import type { RuleName, Violation } from './rules.ts';

/** A violation that the simulator finds in today's code. An entry goes when its cause is mended. */
interface ExpectedViolation {
  readonly rule: RuleName;
  /** What is wrong in the code. */
  readonly cause: string;
}

const expectedViolations: readonly ExpectedViolation[] = [
  {
    rule: 'no invoice is payable after its deadline',
    cause:
      'the answer to a create that was sent before the device slept is read after it, and its remaining time counts from then, until the next answer (seed 1014, hour 3.44); seeds 1002 and 1004 are not looked into yet',
  },
];

export function isExpected({ rule }: Violation): boolean {
  return expectedViolations.some((expected) => expected.rule === rule);
}
