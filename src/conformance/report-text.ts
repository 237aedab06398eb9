import type { CheckResult, Report } from './report.ts';

type Colour = 'green' | 'red' | 'grey' | 'bold';
const codes: Readonly<Record<Colour, readonly [number, number]>> = {
  green: [32, 39],
  red: [31, 39],
  grey: [90, 39],
  bold: [1, 22],
};

/** Paints a text, or leaves it as it is where nobody would see the colour. */
export type Paint = (colour: Colour, text: string) => string;

export function painter(isColoured: boolean): Paint {
  return (colour, text) => {
    const [on, off] = codes[colour];
    return isColoured ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  };
}

const marks = { passed: ['green', '✓'], finding: ['red', '✗'], not_run: ['grey', '–'] } as const;

// What came from the backend is printed on a terminal: nothing in it may steer one.
const harmless = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd').slice(0, 500);

/** One result as lines. */
export function resultText(result: CheckResult, paint: Paint): string {
  const [colour, mark] = marks[result.verdict];
  const head = `  ${paint(colour, mark)} ${result.id}`;
  if (result.verdict === 'passed') return `${head}  ${paint('grey', result.rule)}`;
  if (result.verdict === 'not_run') return `${head}  ${paint('grey', `not run: ${result.reason ?? ''}`)}`;
  const line = (name: string, text = ''): string => `      ${paint('grey', name.padEnd(9))} ${harmless(text)}`;
  return [
    `${head}  ${result.rule}`,
    line('clause', result.clause),
    line('expected', result.expected),
    line('came', result.got),
    line('mend', result.mend),
  ].join('\n');
}

/** The line before a group's results. */
export function groupText(group: string, paint: Paint): string {
  return `\n${paint('bold', group)}`;
}

/** The last line. */
export function totalText({ passed, findings, not_run, requests, results }: Report, paint: Paint): string {
  const parts = [
    paint(passed > 0 ? 'green' : 'grey', `${passed} passed`),
    paint(findings > 0 ? 'red' : 'grey', `${findings} ${findings === 1 ? 'finding' : 'findings'}`),
    paint('grey', `${not_run} not run`),
  ];
  const checks = `${results.length} ${results.length === 1 ? 'check' : 'checks'}`;
  return `\n${checks} in ${requests} requests: ${parts.join(', ')}`;
}
