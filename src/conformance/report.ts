/** The outcome of a check; `not_run` is no statement about the backend. */
export type Verdict = 'passed' | 'violation' | 'not_run';

/** The result of one check. */
export interface CheckResult {
  readonly id: string;
  readonly group: string;
  /** The part of docs/checkout-api.md that it proves. */
  readonly clause: string;
  readonly rule: string;
  readonly verdict: Verdict;
  /**
   * Of a violation: the request that was sent, its method and path first, then its headers and its body, a line each; what
   * the API requires, what the backend did, and how to fix it.
   */
  readonly request?: readonly string[];
  readonly expected?: string;
  readonly got?: string;
  readonly fix?: string;
  /** Why it was not run. */
  readonly reason?: string;
  readonly took_ms: number;
}

/** The result of a conformance run. */
export interface Report {
  readonly endpoint: string;
  readonly passed: number;
  readonly violations: number;
  readonly not_run: number;
  /** How many requests the backend was sent. */
  readonly requests: number;
  readonly results: readonly CheckResult[];
}

/** The run could not start or continue. This is no statement about the backend. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
}

type Colour = 'green' | 'red' | 'grey' | 'bold';
const codes: Readonly<Record<Colour, readonly [number, number]>> = {
  green: [32, 39],
  red: [31, 39],
  grey: [90, 39],
  bold: [1, 22],
};

/** Colours a text for a terminal, or returns it unchanged where colours are off. */
export type Colorize = (colour: Colour, text: string) => string;

export function colorizer(isColoured: boolean): Colorize {
  return (colour, text) => {
    const [on, off] = codes[colour];
    return isColoured ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  };
}

const marks = { passed: ['green', '✓'], violation: ['red', '✗'], not_run: ['grey', '–'] } as const;

// Text from the backend must not control the terminal that it is printed on.
const withoutControlCharacters = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd').slice(0, 500);

/** One result as lines. */
export function resultText(result: CheckResult, paint: Colorize): string {
  const [colour, mark] = marks[result.verdict];
  const head = `  ${paint(colour, mark)} ${result.id}`;
  if (result.verdict === 'passed') return `${head}  ${paint('grey', result.rule)}`;
  if (result.verdict === 'not_run') return `${head}  ${paint('grey', `not run: ${result.reason ?? ''}`)}`;
  const line = (name: string, text = ''): string =>
    `      ${paint('grey', name.padEnd(9))} ${withoutControlCharacters(text)}`;
  return [
    `${head}  ${result.rule}`,
    line('clause', result.clause),
    ...(result.request ?? []).map((text, index) => line(index === 0 ? 'request' : '', text)),
    line('expected', result.expected),
    line('got', result.got),
    line('fix', result.fix),
  ].join('\n');
}

/** The line before a group's results. */
export function groupText(group: string, paint: Colorize): string {
  return `\n${paint('bold', group)}`;
}

/** Every violation again, so that none has to be searched for; empty when there is none. */
export function violationsText({ results }: Report, paint: Colorize): string {
  const found = results.filter(({ verdict }) => verdict === 'violation');
  if (found.length === 0) return '';
  const texts = found.map((result) => `${resultText(result, paint)}\n`);
  return [`${groupText('Violations', paint)}\n`, ...texts].join('');
}

/** The last line. */
export function totalText({ passed, violations, not_run, requests, results }: Report, paint: Colorize): string {
  const parts = [
    paint(passed > 0 ? 'green' : 'grey', `${passed} passed`),
    paint(violations > 0 ? 'red' : 'grey', `${violations} ${violations === 1 ? 'violation' : 'violations'}`),
    paint('grey', `${not_run} not run`),
  ];
  const checks = `${results.length} ${results.length === 1 ? 'check' : 'checks'}`;
  return `\n${checks} in ${requests} requests: ${parts.join(', ')}`;
}
