// The tables of the browser bench, for the terminal and for docs/benchmarks.md.
import { table } from '../../scripts/markdown-table.ts';
import type { BrowserResult, Moment, ProfileResult, SubjectResult } from './browser-result.ts';
import { profileIds, profiles, type ProfileId } from './profiles.ts';
import { median, spread } from './statistics.ts';
import { subjects } from './subjects.ts';
import { rows, verdicts } from './targets.ts';
import type { Breakdown } from './trace-breakdown.ts';

export const nothing = '–';
export const whole = (value: number): string =>
  Number.isNaN(value) ? nothing : Math.round(value).toLocaleString('en');
const kB = (bytes: number): string => (bytes / 1000).toFixed(1);
export const times = (ratio: number): string => (Number.isNaN(ratio) ? nothing : `${ratio.toFixed(2)} x`);
const titleOf = (id: string): string => subjects.find((subject) => subject.id === id)?.title ?? id;

type Shown = 'options' | 'click' | 'resume';
const medianMs = (moments: readonly Moment[] | undefined): number => median((moments ?? []).map(({ ms }) => ms));

/** The floor of each figure. */
const floors: Readonly<Record<Shown, string>> = { options: 'lit-floor', click: 'lit-floor', resume: 'lit-floor-qr' };

function timeCells({ subjects: all }: ProfileResult, id: string, shown: Shown): string[] {
  const moments = all[id]?.[shown] ?? [];
  if (moments.length === 0) return [nothing, nothing];
  const [least, most] = spread(moments.map(({ ms }) => ms));
  return [
    `${whole(medianMs(moments))} (${whole(least)}-${whole(most)})`,
    times(medianMs(moments) / medianMs(all[floors[shown]]?.[shown])),
  ];
}

function timeTable(result: ProfileResult): string {
  const all = ['options', 'click', 'resume'] as const;
  const lines = Object.keys(result.subjects)
    .filter((id) => all.some((shown) => result.subjects[id]?.[shown].length))
    .map((id) => [titleOf(id), ...all.flatMap((shown) => timeCells(result, id, shown))]);
  return table(
    ['', 'options, ms', 'of Lit', 'click to QR, ms', 'of Lit', 'QR of a waiting invoice, ms', 'of Lit'],
    lines,
  );
}

function costCells(moments: readonly Moment[]): string {
  if (moments.length === 0) return nothing;
  return `${median(moments.map(({ requests }) => requests))} / ${kB(median(moments.map(({ bytes }) => bytes)))}`;
}

const medianOfKnown = (values: readonly (number | undefined)[]): number =>
  median(values.filter((value) => value !== undefined));

function costRow(id: string, { options, click, resume }: SubjectResult): string[] {
  const heap = medianOfKnown([...resume, ...(resume.length === 0 ? options : [])].map(({ heapBytes }) => heapBytes));
  return [
    titleOf(id),
    costCells(options),
    whole(medianOfKnown(options.map(({ taskMs }) => taskMs))),
    costCells(click),
    costCells(resume),
    whole(medianOfKnown(resume.map(({ taskMs }) => taskMs))),
    (heap / 1e6).toFixed(2),
  ];
}

function costTable({ subjects: all }: ProfileResult): string {
  const lines = Object.entries(all)
    .filter(([, { options, resume }]) => options.length + resume.length > 0)
    .map(([id, one]) => costRow(id, one));
  return table(['', 'options', 'main thread, ms', 'from the click', 'QR', 'main thread, ms', 'heap then, MB'], lines);
}

const breakdownKinds = ['parse', 'style', 'layout', 'compile', 'evaluate', 'script', 'paint', 'other'] as const;

function traceRow(title: string, breakdown: Breakdown | undefined): string[][] {
  return breakdown ? [[title, ...breakdownKinds.map((kind) => whole(breakdown[kind]))]] : [];
}

function traceTable({ subjects: all }: ProfileResult): string {
  const lines = Object.entries(all).flatMap(([id, { traces }]) => [
    ...traceRow(`${titleOf(id)}: options`, traces.options),
    ...traceRow(`${titleOf(id)}: QR`, traces.resume),
  ]);
  return lines.length === 0 ? 'Not measured yet.' : table(['', ...breakdownKinds], lines);
}

/** Times, costs and traces of one profile. */
export function profileTables(id: ProfileId, result: ProfileResult): string {
  const runs = Math.max(
    ...Object.values(result.subjects).map(({ resume, options }) => resume.length || options.length),
  );
  return `### ${profiles[id].title}

Medians of ${runs} runs, with the least and the greatest; "of Lit" is the ratio to the bare Lit element of that column.

${timeTable(result)}

Requests / kB over the wire until the moment of the table above: begun by then / complete by then, headers included; beside
them the tasks of the main thread until then. Medians.

${costTable(result)}

Where the main thread's time went until then, in ms of one visit under a trace: parsing HTML, style, layout, compiling script,
evaluating modules, other script (the first render among it), paint, and the rest.

${traceTable(result)}`;
}

/** Processor time of waiting pages. */
export function waitingTable({ profiles: { M, S } }: BrowserResult): string {
  const all = (M ?? S)?.subjects ?? {};
  const of = (id: string): number => medianOfKnown((all[id]?.waiting ?? []).map(({ taskMs }) => taskMs));
  const lines = Object.entries(all)
    .filter(([, one]) => one.waiting.length > 0)
    .map(([id, { waiting }]) => [
      titleOf(id),
      whole(of(id)),
      times(of(id) / of('text-update')),
      whole(medianOfKnown(waiting.map(({ recalculations }) => recalculations))),
    ]);
  return table(['', 'processor time, ms a minute', 'of a text update', 'style recalculations'], lines);
}

/** Every target of both profiles with what was measured. */
export function targetTable(result: BrowserResult): string {
  const all = verdicts(result);
  const ids = [...rows.map(({ id, title }) => ({ id, title })), { id: 'recalculations', title: '' }];
  const lines = ids.flatMap(({ id }) => {
    const own = all.filter((verdict) => verdict.id === id);
    if (own.every(({ reached }) => Number.isNaN(reached))) return [];
    const cells = profileIds.flatMap((profile) => {
      const verdict = own.find((one) => one.profile === profile);
      if (!verdict || Number.isNaN(verdict.reached)) return [nothing, nothing];
      const { reached, most } = verdict;
      const digits = id === 'recalculations' ? 0 : 2;
      return [`${reached.toFixed(digits)}${reached <= most ? '' : ' **missed**'}`, most.toFixed(digits)];
    });
    return [[own[0]?.title ?? id, ...cells]];
  });
  return table(['`<pay-invoice>`', ...profileIds.flatMap((id) => [`${id}, measured`, `${id}, at most`])], lines);
}

/** The figures alone, for the terminal. */
export function browserTables(result: BrowserResult): string {
  const each = profileIds.flatMap((id) => {
    const one = result.profiles[id];
    return one ? [profileTables(id, one)] : [];
  });
  return [...each, waitingTable(result), targetTable(result)].join('\n\n');
}

/** The files that each subject may load. */
export function filesTable({ files }: BrowserResult): string {
  const scripted = Object.entries(files).filter(([id]) => !/^pay-invoice-|text-update/.test(id));
  const lines = scripted.map(([id, sizes]) => {
    const short = Object.entries(sizes).map(([name, size]): [string, number] => [
      name.replace(/^assets\//, '').replace(/-[\w-]{8}(?=\.\w+$)/, ''),
      size,
    ]);
    return [titleOf(id), short.map(([name, size]) => `${name} ${kB(size)}`).join(', ')];
  });
  return table(['', 'kB in gzip'], lines);
}
