// The tables of the browser bench, for the terminal and for docs/development/benchmarks.md.
import { table } from '../../scripts/markdown-table.ts';
import type { BrowserResult, Moment, ProfileResult, SubjectResult } from './browser-result.ts';
import { profileIds, profiles, type ProfileId } from './profiles.ts';
import { median, minAndMax } from './statistics.ts';
import { subjects } from './subjects.ts';
import { targetRows, judgeTargets, type Screen } from './targets.ts';
import type { Breakdown } from './trace-breakdown.ts';

export const emptyCell = '–';
export const formatWhole = (value: number): string =>
  Number.isNaN(value) ? emptyCell : Math.round(value).toLocaleString('en');
const formatKilobytes = (bytes: number): string => (bytes / 1000).toFixed(1);
export const formatRatio = (ratio: number): string => (Number.isNaN(ratio) ? emptyCell : `${ratio.toFixed(2)} x`);
const findTitle = (id: string): string => subjects.find((subject) => subject.id === id)?.title ?? id;

const medianMs = (moments: readonly Moment[] | undefined): number => median((moments ?? []).map(({ ms }) => ms));

/** The id of the subject that is the floor for each screen. */
const floorOfScreen: Readonly<Record<Screen, string>> = {
  options: 'lit-floor',
  click: 'lit-floor',
  resume: 'lit-floor-qr',
  requisites: 'lit-floor-qr',
};

function formatTimeCells({ subjects: resultBySubject }: ProfileResult, id: string, screen: Screen): string[] {
  const moments = resultBySubject[id]?.[screen] ?? [];
  if (moments.length === 0) return [emptyCell, emptyCell];
  const [shortest, longest] = minAndMax(moments.map(({ ms }) => ms));
  return [
    `${formatWhole(medianMs(moments))} (${formatWhole(shortest)}-${formatWhole(longest)})`,
    formatRatio(
      medianMs(moments) /
        medianMs(resultBySubject[floorOfScreen[screen]]?.[screen === 'requisites' ? 'resume' : screen]),
    ),
  ];
}

function formatTimeTable(result: ProfileResult): string {
  const screens = ['options', 'click', 'resume', 'requisites'] as const;
  const lines = Object.keys(result.subjects)
    .filter((id) => screens.some((screen) => result.subjects[id]?.[screen].length))
    .map((id) => [findTitle(id), ...screens.flatMap((screen) => formatTimeCells(result, id, screen))]);
  return table(
    [
      '',
      'options, ms',
      'of Lit',
      'click to QR, ms',
      'of Lit',
      'QR of a waiting invoice, ms',
      'of Lit',
      'requisites, ms',
      'of the QR',
    ],
    lines,
  );
}

function formatCostCell(moments: readonly Moment[]): string {
  if (moments.length === 0) return emptyCell;
  return `${median(moments.map(({ requests }) => requests))} / ${formatKilobytes(median(moments.map(({ bytes }) => bytes)))}`;
}

const medianOfDefined = (values: readonly (number | undefined)[]): number =>
  median(values.filter((value) => value !== undefined));

function formatCostRow(id: string, { options, click, resume }: SubjectResult): string[] {
  const heap = medianOfDefined([...resume, ...(resume.length === 0 ? options : [])].map(({ heapBytes }) => heapBytes));
  return [
    findTitle(id),
    formatCostCell(options),
    formatWhole(medianOfDefined(options.map(({ taskMs }) => taskMs))),
    formatCostCell(click),
    formatCostCell(resume),
    formatWhole(medianOfDefined(resume.map(({ taskMs }) => taskMs))),
    (heap / 1e6).toFixed(2),
  ];
}

function formatCostTable({ subjects: resultBySubject }: ProfileResult): string {
  const lines = Object.entries(resultBySubject)
    .filter(([, { options, resume }]) => options.length + resume.length > 0)
    .map(([id, result]) => formatCostRow(id, result));
  return table(['', 'options', 'main thread, ms', 'from the click', 'QR', 'main thread, ms', 'heap then, MB'], lines);
}

const breakdownKinds = ['parse', 'style', 'layout', 'compile', 'evaluate', 'script', 'paint', 'other'] as const;

function formatTraceRows(title: string, breakdown: Breakdown | undefined): string[][] {
  return breakdown ? [[title, ...breakdownKinds.map((kind) => formatWhole(breakdown[kind]))]] : [];
}

function formatTraceTable({ subjects: resultBySubject }: ProfileResult): string {
  const lines = Object.entries(resultBySubject).flatMap(([id, { traces }]) => [
    ...formatTraceRows(`${findTitle(id)}: options`, traces.options),
    ...formatTraceRows(`${findTitle(id)}: QR`, traces.resume),
  ]);
  return lines.length === 0 ? 'Not measured yet.' : table(['', ...breakdownKinds], lines);
}

/** Formats the times, costs and traces of one profile. */
export function formatProfileTables(id: ProfileId, result: ProfileResult): string {
  const runs = Math.max(
    ...Object.values(result.subjects).map(({ resume, options }) => resume.length || options.length),
  );
  return `### ${profiles[id].title}

Medians of ${runs} runs, with the least and the greatest; "of Lit" is the ratio to the bare Lit element of that column.

${formatTimeTable(result)}

Requests / kB over the wire until the moment of the table above: begun by then / complete by then, headers included; beside
them the tasks of the main thread until then. Medians.

${formatCostTable(result)}

Where the main thread's time went until then, in ms of one visit under a trace: parsing HTML, style, layout, compiling script,
evaluating modules, other script (the first render among it), paint, and the rest.

${formatTraceTable(result)}`;
}

/** Formats every target of both profiles with what was measured. */
export function formatTargetTable(result: BrowserResult): string {
  const verdicts = judgeTargets(result);
  const ids = [...targetRows.map(({ id, title }) => ({ id, title })), { id: 'live', title: '' }];
  const lines = ids.flatMap(({ id }) => {
    const rowVerdicts = verdicts.filter((verdict) => verdict.id === id);
    if (rowVerdicts.every(({ measured }) => Number.isNaN(measured))) return [];
    const cells = profileIds.flatMap((profile) => {
      const verdict = rowVerdicts.find((candidate) => candidate.profile === profile);
      if (!verdict || Number.isNaN(verdict.measured)) return [emptyCell, emptyCell];
      const { measured, limit } = verdict;
      const digits = id === 'live' ? 0 : 2;
      return [`${measured.toFixed(digits)}${measured <= limit ? '' : ' **missed**'}`, limit.toFixed(digits)];
    });
    return [[rowVerdicts[0]?.title ?? id, ...cells]];
  });
  return table(['`<pay-invoice>`', ...profileIds.flatMap((id) => [`${id}, measured`, `${id}, at most`])], lines);
}

/** Formats all figures without explanations, for the terminal. */
export function formatBrowserTables(result: BrowserResult): string {
  const profileSections = profileIds.flatMap((id) => {
    const profileResult = result.profiles[id];
    return profileResult ? [formatProfileTables(id, profileResult)] : [];
  });
  return [...profileSections, formatTargetTable(result)].join('\n\n');
}

/** Formats the files that each subject may load, with their sizes. */
export function formatFilesTable({ files }: BrowserResult): string {
  const filesOfScriptedPages = Object.entries(files).filter(([id]) => !id.startsWith('pay-invoice-'));
  const lines = filesOfScriptedPages.map(([id, sizes]) => {
    const namedSizes = Object.entries(sizes).map(([name, size]): [string, number] => [
      name.replace(/^assets\//, '').replace(/-[\w-]{8}(?=\.\w+$)/, ''),
      size,
    ]);
    return [findTitle(id), namedSizes.map(([name, size]) => `${name} ${formatKilobytes(size)}`).join(', ')];
  });
  return table(['', 'kB in brotli'], lines);
}
