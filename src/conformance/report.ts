/** How a check ended: `not_run` says nothing about the backend. */
export type Verdict = 'passed' | 'finding' | 'not_run';

/** One check and what came of it. */
export interface CheckResult {
  readonly id: string;
  readonly group: string;
  /** The part of docs/checkout-api.md that it proves. */
  readonly clause: string;
  readonly rule: string;
  readonly verdict: Verdict;
  /** Of a finding: what the API says, what came, and what to do. */
  readonly expected?: string;
  readonly got?: string;
  readonly mend?: string;
  /** Why it was not run. */
  readonly reason?: string;
  readonly took_ms: number;
}

/** The result of a conformance run. */
export interface Report {
  readonly endpoint: string;
  readonly passed: number;
  readonly findings: number;
  readonly not_run: number;
  /** How many requests the backend was sent. */
  readonly requests: number;
  readonly results: readonly CheckResult[];
}

/** The run could not begin or go on: nothing is said about the backend. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
}
