import { styleText } from 'node:util';
import { printable } from '../../base/printable.ts';

/** The result of a check; `not_run` says nothing about the backend. */
export type Verdict = 'passed' | 'violation' | 'not_run';

/** The result of one check. */
export interface CheckResult {
  readonly id: string;
  readonly group: string;
  readonly rule: string;
  readonly verdict: Verdict;
  /** Only with a violation: the request, one line for its method and path, for each header and for the body. */
  readonly request?: readonly string[];
  /** Only with a violation: what the API requires. */
  readonly expected?: string;
  /** Only with a violation: what the backend did. */
  readonly got?: string;
  /** Only with a violation: how to fix it. */
  readonly fix?: string;
  /** Only with `not_run`: why the check was not run. */
  readonly reason?: string;
  readonly took_ms: number;
}

/** The result of a conformance run. */
export interface Report {
  readonly endpoint: string;
  readonly passed: number;
  readonly violations: number;
  readonly not_run: number;
  /** How many requests the run sent to the backend. */
  readonly requests: number;
  readonly results: readonly CheckResult[];
}

/** The run could not start or continue. This says nothing about the backend. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
}

/** Colours a text for a terminal, or returns the text unchanged when colours are off. */
export type Colorize = (colour: 'green' | 'red' | 'grey' | 'bold', text: string) => string;

export function createColorizer(isColoured: boolean): Colorize {
  return (colour, text) => (isColoured ? styleText(colour, text, { validateStream: false }) : text);
}

const verdictMarks = { passed: ['green', '✓'], violation: ['red', '✗'], not_run: ['grey', '–'] } as const;

/** Formats one result as lines of text. */
export function formatResult(result: CheckResult, paint: Colorize): string {
  const [colour, mark] = verdictMarks[result.verdict];
  const head = `  ${paint(colour, mark)} ${result.id}`;
  if (result.verdict === 'passed') return `${head}  ${paint('grey', result.rule)}`;
  if (result.verdict === 'not_run') return `${head}  ${paint('grey', `not run: ${result.reason ?? ''}`)}`;
  const line = (name: string, text = ''): string =>
    `      ${paint('grey', name.padEnd(9))} ${printable(text.slice(0, 500)).replaceAll('\n', ' ')}`;
  return [
    `${head}  ${result.rule}`,
    ...(result.request ?? []).map((text, index) => line(index === 0 ? 'request' : '', text)),
    line('expected', result.expected),
    line('got', result.got),
    line('fix', result.fix),
  ].join('\n');
}

/** Formats the line before the results of a group. */
export function formatGroupTitle(group: string, paint: Colorize): string {
  return `\n${paint('bold', group)}`;
}

/** Formats all violations in one list for the end of the output; '' when there are none. */
export function formatViolations({ results }: Report, paint: Colorize): string {
  const violations = results.filter(({ verdict }) => verdict === 'violation');
  if (violations.length === 0) return '';
  const texts = violations.map((result) => `${formatResult(result, paint)}\n`);
  return [`${formatGroupTitle('Violations', paint)}\n`, ...texts].join('');
}

/** Formats the last line: the number of checks, requests and results of each kind. */
export function formatTotal({ passed, violations, not_run, requests, results }: Report, paint: Colorize): string {
  const parts = [
    paint(passed > 0 ? 'green' : 'grey', `${passed} passed`),
    paint(violations > 0 ? 'red' : 'grey', `${violations} ${violations === 1 ? 'violation' : 'violations'}`),
    paint('grey', `${not_run} not run`),
  ];
  const checks = `${results.length} ${results.length === 1 ? 'check' : 'checks'}`;
  return `\n${checks} in ${requests} requests: ${parts.join(', ')}`;
}
