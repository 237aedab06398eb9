// What the bench has measured: its targets, and the tables for the terminal and for docs/development/benchmarks.md.
import { table } from '../../scripts/markdown-table.ts';
import { subjects } from './subjects.ts';

/** A network and a processor, slowed down by the DevTools protocol. */
export interface Profile {
  readonly title: string;
  /** The delay before each response's first byte, in ms. */
  readonly latency: number;
  /** In bytes a second. */
  readonly downloadThroughput: number;
  readonly uploadThroughput: number;
  /** How many times slower the processor is. */
  readonly cpuRate: number;
}

export const profileIds = ['M', 'S'] as const;
export type ProfileId = (typeof profileIds)[number];

export const profiles: Readonly<Record<ProfileId, Profile>> = {
  M: {
    title: 'M, Lighthouse’s mobile profile',
    latency: 150,
    downloadThroughput: 200_000,
    uploadThroughput: 93_750,
    cpuRate: 4,
  },
  S: {
    title: 'S, "Slow 4G" of Chrome’s DevTools',
    latency: 562.5,
    downloadThroughput: 180_000,
    uploadThroughput: 84_375,
    cpuRate: 4,
  },
};

/** When something appeared in a visit, and what the page had requested, loaded and used by then. */
export interface Moment {
  /** From the start of the navigation, or from the click. */
  readonly ms: number;
  /** How many requests had begun; after a click, only those since the click. */
  readonly requests: number;
  /** Bytes over the wire of the responses that were complete, headers included. */
  readonly bytes: number;
  /** The time of the main thread's tasks until the moment, those of the probe included. */
  readonly taskMs?: number;
  /** Bytes on the JavaScript heap after garbage collections. */
  readonly heapBytes?: number;
}

/**
 * `options`, `resume` and `requisites`: from the navigation until the options, the QR of an invoice that exists, or the requisites
 * of one without a QR are visible. `click`: from the click until the QR is visible. `live`: from a click in the frame in which the
 * options are seen until its request is sent.
 */
type Screen = 'options' | 'click' | 'resume' | 'requisites' | 'live';

/** The measurements of one subject, with one entry for each run. */
export type SubjectResult = Readonly<Record<Screen, Moment[]>>;
/** The measurements by profile and subject. */
export type Results = Readonly<Partial<Record<ProfileId, Readonly<Record<string, SubjectResult>>>>>;

/** The middle of the values, or the mean of the two in the middle; NaN when there are no values. */
function median(values: readonly (number | undefined)[]): number {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  const [low = NaN, high = NaN] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return (low + high) / 2;
}

const medianMs = (moments: readonly Moment[] = []): number => median(moments.map(({ ms }) => ms));

/** The subject and the screen to whose time each screen is compared; the time of `live` is compared to nothing. */
const floors: Readonly<Partial<Record<Screen, readonly [subject: string, screen: Screen]>>> = {
  options: ['lit-floor', 'options'],
  click: ['lit-floor', 'click'],
  resume: ['lit-floor-qr', 'resume'],
  requisites: ['lit-floor-qr', 'resume'],
};

/** The ratio of the medians of a screen and its floor; NaN when the run did not measure both. */
function ratioOf(results: Readonly<Record<string, SubjectResult>> = {}, subject: string, screen: Screen): number {
  const [floor = '', floorScreen = screen] = floors[screen] ?? [];
  const ms = medianMs(results[subject]?.[screen]);
  return screen === 'live' ? ms : ms / medianMs(results[floor]?.[floorScreen]);
}

/** The greatest ratios that meet a target; for `live`, milliseconds: less than a frame. */
const targets: readonly (readonly [title: string, subject: string, Screen, M: number, S: number])[] = [
  ['options, plain tag', 'pay-invoice', 'options', 1.19, 1.07],
  ['options, JSON announced', 'pay-invoice-hints', 'options', 0.97, 0.77],
  ['options, `initial` in the page', 'pay-invoice-initial', 'options', 0.96, 0.76],
  ['options, rendered on the server', 'pay-invoice-server', 'options', 0.54, 0.36],
  ['options, the pay page', 'pay-page', 'options', 0.54, 0.36],
  ['QR of a waiting invoice, plain tag', 'pay-invoice', 'resume', 1.12, 1.05],
  ['QR, `initial` in the page', 'pay-invoice-initial', 'resume', 1, 0.78],
  ['QR, JSON announced', 'pay-invoice-hints', 'resume', 1.02, 0.79],
  ['QR, rendered on the server', 'pay-invoice-server', 'resume', 0.54, 0.36],
  ['QR, the pay page', 'pay-page', 'resume', 0.54, 0.36],
  ['requisites of a waiting invoice, plain tag', 'pay-invoice', 'requisites', 1.2, 1.08],
  ['click to QR', 'pay-invoice', 'click', 1, 1],
  ['from a click on options that were just painted to its request, ms', 'pay-invoice', 'live', 16, 16],
];

const formatWhole = (value: number): string => Math.round(value).toLocaleString('en');

/** Each target that was measured, and the names of those that were missed. */
function judgeTargets(results: Results): { readonly table: string; readonly missed: readonly string[] } {
  const missed: string[] = [];
  const rows = targets.flatMap(([title, subject, screen, ...limits]) => {
    const cells = profileIds.flatMap((profile, index) => {
      const [measured, limit = NaN] = [ratioOf(results[profile], subject, screen), limits[index]];
      if (Number.isNaN(measured)) return ['–', '–'];
      if (measured > limit) missed.push(`${title} (${profile})`);
      const digits = screen === 'live' ? 0 : 2;
      return [`${measured.toFixed(digits)}${measured > limit ? ' **missed**' : ''}`, limit.toFixed(digits)];
    });
    return cells.every((cell) => cell === '–') ? [] : [[title, ...cells]];
  });
  const header = ['`<pay-invoice>`', ...profileIds.flatMap((id) => [`${id}, measured`, `${id}, at most`])];
  return { table: table(header, rows), missed };
}

function timeCells(results: Readonly<Record<string, SubjectResult>>, subject: string, screen: Screen): string[] {
  const times = (results[subject]?.[screen] ?? []).map(({ ms }) => ms);
  if (times.length === 0) return ['–', '–'];
  const ratio = ratioOf(results, subject, screen);
  return [
    `${formatWhole(median(times))} (${formatWhole(Math.min(...times))}-${formatWhole(Math.max(...times))})`,
    Number.isNaN(ratio) ? '–' : `${ratio.toFixed(2)} x`,
  ];
}

function costCells(moments: readonly Moment[]): string[] {
  if (moments.length === 0) return ['–', '–'];
  const [requests, bytes, taskMs] = (['requests', 'bytes', 'taskMs'] as const).map((name) =>
    median(moments.map((moment) => moment[name])),
  );
  return [`${requests ?? ''} / ${((bytes ?? NaN) / 1000).toFixed(1)}`, formatWhole(taskMs ?? NaN)];
}

/** The times and the costs of one profile. */
function formatProfile(id: ProfileId, results: Readonly<Record<string, SubjectResult>>): string {
  const measured = subjects.flatMap(({ id, title }) => {
    const result = results[id];
    return result === undefined ? [] : [{ id, title, result }];
  });
  const timeTable = table(
    ['', 'options, ms', 'of Lit', 'click to QR, ms', 'of Lit', 'QR of a waiting invoice, ms', 'of Lit', 'requisites, ms', 'of the QR'], // prettier-ignore
    measured.map(({ id, title }) => [
      title,
      ...(['options', 'click', 'resume', 'requisites'] as const).flatMap((screen) => timeCells(results, id, screen)),
    ]),
  );
  const costTable = table(
    ['', 'options', 'main thread, ms', 'from the click', 'QR', 'main thread, ms', 'heap then, MB'],
    measured.map(({ title, result: { options, click, resume } }) => {
      const heap = median((resume.length === 0 ? options : resume).map(({ heapBytes }) => heapBytes));
      const [fromClick = ''] = costCells(click);
      return [title, ...costCells(options), fromClick, ...costCells(resume), (heap / 1e6).toFixed(2)];
    }),
  );
  return `### ${profiles[id].title}\n\n${timeTable}\n\n${costTable}`;
}

/** Formats all figures, and returns the names of the targets that were missed. */
export function formatResults(results: Results): { readonly text: string; readonly missed: readonly string[] } {
  const { table: targetTable, missed } = judgeTargets(results);
  const sections = profileIds.flatMap((id) => (results[id] === undefined ? [] : [formatProfile(id, results[id])]));
  return { text: [targetTable, ...sections].join('\n\n'), missed };
}
