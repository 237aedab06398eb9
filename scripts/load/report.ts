// The figures of a load run as text for a terminal and for docs/development/load.md.
import process from 'node:process';
import { calibrate, hardware } from '../describe-hardware.ts';
import { table } from '../markdown-table.ts';
import { toldOnce, type Disturbance, type Run } from './disturbances.ts';
import {
  conditions,
  countBad,
  delayOf,
  isSuccess,
  mergeCounts,
  partOf,
  percentile,
  recoverySeconds,
  splitResults,
  sumOf,
  type Condition,
  type Sample,
} from './judge.ts';

/** Where and how a run was made. */
export interface RunFacts {
  readonly command: string;
  readonly setup: string;
  readonly loadAverage: string;
}

const conditionTexts: Readonly<Record<Condition, string>> = {
  served: '99 % of the payers are served',
  told: 'payments are told within 3 s',
  reads: 'no read fails',
};

/** Formats a run as Markdown: where it was made, what must hold, and what was measured before, during and after the disturbance. */
export function formatRun(
  run: Run,
  { title, mustHold }: Disturbance,
  { command, setup, loadAverage }: RunFacts,
): string {
  const { wallMs, cpuMs } = calibrate();
  const requirements = [...mustHold, toldOnce].map(({ text, measure }) => {
    const { measured, holds } = measure(run);
    return [text, measured, !holds ? 'NO' : run.failure === undefined ? 'yes' : 'as far as it was seen'];
  });
  return [
    `## ${title}`,
    '',
    ...(run.failure === undefined ? [] : [`**The run ended early: ${run.failure}**`, '']),
    `- command: \`${command}\``,
    `- ${setup}`,
    `- date: ${new Date().toISOString().slice(0, 10)}; Node ${process.version}`,
    `- machine: ${hardware()}; its calibration loop took ${Math.round(cpuMs)} ms of processor time, and ${Math.round(wallMs)} ms by the clock`,
    `- load average before the run: ${loadAverage}`,
    `- all payers were served after ${run.heldAfter?.toFixed(0) ?? 'more than 300'} s; the disturbance took ${(run.endedAt - run.disturbedAt).toFixed(1)} s`,
    '',
    table(['what must hold', 'measured', 'holds'], requirements),
    '',
    table(['as before, for good', 'after the disturbance', 'seconds without it: calm time / after'], recoveryRows(run)),
    '',
    table(['', ...partNames], partRows(run)),
    '',
    'As a line of the table in docs/development/load.md:',
    `| ${title}; ${setup} | ${[0, 1]
      .map((column) => requirements.map((row) => row[column] ?? '').join('; '))
      .reverse()
      .join(' | ')} | |`,
  ].join('\n');
}

function recoveryRows(run: Run): readonly (readonly string[])[] {
  const { samples, disturbedAt, endedAt } = run;
  const calmAt = samples.findLast(({ at, arriving }) => at < disturbedAt && arriving > 20)?.at ?? 0;
  const calm = samples.findLast(({ at }) => at < disturbedAt);
  const heldShare = (calm?.held ?? 0) / (calm?.waiting ?? 1);
  const holdsPolls = ({ held, waiting }: Sample): boolean => held >= 0.95 * heldShare * waiting;
  return [
    ...conditions.map((condition) => [
      conditionTexts[condition],
      formatSeconds(recoverySeconds(run, endedAt, condition)),
      `${countBad(run, condition, calmAt, disturbedAt)} / ${countBad(run, condition, endedAt, Infinity)}`,
    ]),
    ['for comparison: 95 % of the polls are held again', formatSeconds(recoverySeconds(run, endedAt, holdsPolls)), ''],
  ];
}

const partNames = ['until the disturbance', 'during it', 'after it'] as const;

function partRows(run: Run): readonly (readonly string[])[] {
  const borders = [0, run.disturbedAt, run.endedAt, Infinity];
  const parts = partNames.map((_, index) => ({
    samples: run.samples.filter(({ at }) => at > (borders[index] ?? 0) && at <= (borders[index + 1] ?? 0)),
    payments: run.payments.filter((payment) => partOf(payment, run) === index),
  }));
  type Part = (typeof parts)[number];
  const row = (name: string, format: (part: Part) => string): readonly string[] => [
    name,
    ...parts.map((part) => (part.samples.length === 0 ? '' : format(part))),
  ];
  const worst = (values: readonly (number | undefined)[]): string =>
    Math.round(Math.max(0, ...values.map((value) => value ?? 0))).toLocaleString('en');
  const mean = ({ samples }: Part, read: (sample: Part['samples'][number]) => number): number =>
    sumOf(samples.map(read)) / samples.length;
  return [
    row('seconds', ({ samples }) => String(samples.length)),
    row('polls held, fewest / most', ({ samples }) => {
      const held = samples.map((sample) => sample.held);
      return `${Math.min(...held)} / ${Math.max(...held)}`;
    }),
    row('reads answered', ({ samples }) => String(sumOf(samples.map(({ reads }) => splitResults(reads).good)))),
    row('reads failed', ({ samples }) => formatFailed(samples.map(({ reads }) => reads))),
    row('orders and creates answered', ({ samples }) =>
      String(sumOf(samples.map(({ creates }) => splitResults(creates).good))),
    ),
    row('orders and creates failed', ({ samples }) => formatFailed(samples.map(({ creates }) => creates))),
    row('from an order to its invoice, p50 / p99', ({ samples }) =>
      formatDelays(samples.flatMap(({ invoiceMs }) => invoiceMs.map((ms) => ms / 1000))),
    ),
    row('payments', ({ payments }) => String(payments.length)),
    row('from the payment to the payer, p50 / p99', ({ payments }) => formatDelays(payments.map(delayOf))),
    row('FetchInvoices a second', (part) => mean(part, ({ fetches }) => fetches).toFixed(1)),
    row(
      'event loop delay of a server, worst p99 of a second',
      ({ samples }) => `${worst(samples.map(({ loopDelayMs }) => loopDelayMs))} ms`,
    ),
    row(
      'resident memory of the servers, most',
      ({ samples }) => `${worst(samples.map(({ memoryMegabytes }) => memoryMegabytes))} MB`,
    ),
    row('processor: servers / sandbox / payers / everything, % of a core', (part) =>
      (['servers', 'sandbox', 'payers', 'machine'] as const)
        .map((name) => Math.round(mean(part, ({ cpu }) => cpu[name])))
        .join(' / '),
    ),
  ];
}

function formatDelays(seconds: readonly number[]): string {
  return seconds.length === 0 ? '' : [0.5, 0.99].map((share) => formatSeconds(percentile(seconds, share))).join(' / ');
}

const formatSeconds = (seconds: number): string => (Number.isFinite(seconds) ? `${seconds.toFixed(1)} s` : 'never');

function formatFailed(results: readonly Readonly<Record<string, number>>[]): string {
  const failed = Object.entries(mergeCounts(results)).filter(([result]) => !isSuccess(result));
  return failed.map(([result, count]) => `${count} × ${result}`).join(', ') || '0';
}
