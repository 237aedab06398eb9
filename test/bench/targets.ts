// The targets of the bench: each row limits the ratio of one subject to a floor in the same run.
import type { BrowserResult, Moment, ProfileResult, SubjectResult } from './browser-result.ts';
import { profileIds, type ProfileId } from './profiles.ts';
import { median } from './statistics.ts';
import type { Scene } from './subjects.ts';

/** Limits the ratio of a subject to a floor. */
export interface TargetRow {
  readonly id: string;
  readonly title: string;
  readonly subject: string;
  readonly floor: string;
  readonly scene: Scene;
  /** Reads the values whose medians are compared. */
  readonly readValues: (result: SubjectResult) => readonly number[];
  /** The greatest ratio that meets the target, by profile. A profile without a ratio has no target. */
  readonly maxRatio: Readonly<Partial<Record<ProfileId, number>>>;
}

const listMs = (moments: readonly Moment[]): readonly number[] => moments.map(({ ms }) => ms);
const makeLimits = (M: number, S: number): TargetRow['maxRatio'] => ({ M, S });

const makeOptionsRow = (id: string, title: string, subject: string, maxRatio: TargetRow['maxRatio']): TargetRow => ({
  id: `options-${id}`,
  title: `options, ${title}`,
  subject,
  floor: 'lit-floor',
  scene: 'choose',
  readValues: (result) => listMs(result.options),
  maxRatio,
});

const makeQrRow = (id: string, title: string, subject: string, maxRatio: TargetRow['maxRatio']): TargetRow => ({
  id: `qr-${id}`,
  title: `QR of a waiting invoice, ${title}`,
  subject,
  floor: 'lit-floor-qr',
  scene: 'resume',
  readValues: (result) => listMs(result.resume),
  maxRatio,
});

export const targetRows: readonly TargetRow[] = [
  makeOptionsRow('plain', 'plain tag', 'pay-invoice', makeLimits(1.15, 1.05)),
  makeOptionsRow('hints', 'files and JSON announced', 'pay-invoice-hints', makeLimits(0.92, 0.75)),
  makeOptionsRow('initial', '`initial` in the page', 'pay-invoice-initial', makeLimits(0.95, 0.8)),
  makeOptionsRow('server', 'rendered on the server', 'pay-invoice-server', makeLimits(0.65, 0.36)),
  makeQrRow('plain', 'plain tag', 'pay-invoice', makeLimits(1.3, 1.36)),
  makeQrRow('remembered', 'remembered by the device', 'pay-invoice-remembered', makeLimits(1.1, 1.05)),
  makeQrRow('initial', '`initial` in the page', 'pay-invoice-initial', makeLimits(1.1, 1.05)),
  makeQrRow('hints', 'files and JSON announced', 'pay-invoice-hints', makeLimits(0.95, 0.75)),
  makeQrRow('initial-hints', '`initial`, files announced', 'pay-invoice-initial-hints', makeLimits(0.95, 0.75)),
  makeQrRow('server', 'rendered on the server', 'pay-invoice-server', makeLimits(0.65, 0.42)),
  {
    id: 'click',
    title: 'click to QR',
    subject: 'pay-invoice',
    floor: 'lit-floor',
    scene: 'choose',
    readValues: (result) => listMs(result.click),
    maxRatio: makeLimits(1.05, 1.05),
  },
  {
    id: 'main-thread',
    title: 'main thread until options',
    subject: 'pay-invoice',
    floor: 'lit-floor',
    scene: 'choose',
    readValues: (result) => result.options.map(({ taskMs }) => taskMs),
    maxRatio: makeLimits(1.25, 1.25),
  },
  {
    id: 'waiting',
    title: 'processor time of 60 s of waiting',
    subject: 'pay-invoice',
    floor: 'text-update',
    scene: 'wait',
    readValues: (result) => result.waiting.map(({ taskMs }) => taskMs),
    maxRatio: { M: 0.7 },
  },
];

/** The greatest number of style recalculations in 60 s of waiting. */
const maxRecalculations = 10;

/** The ratio of the medians; NaN when the run did not measure both subjects. */
export const computeRatio = ({ subjects }: ProfileResult, { subject, floor, readValues }: TargetRow): number => {
  const [subjectResult, floorResult] = [subjects[subject], subjects[floor]];
  return subjectResult && floorResult ? median(readValues(subjectResult)) / median(readValues(floorResult)) : NaN;
};

/** A target of one profile, and what was measured; `measured` is NaN when the run did not measure it. */
export interface Verdict {
  readonly id: string;
  readonly title: string;
  readonly profile: ProfileId;
  readonly limit: number;
  readonly measured: number;
}

/** Compares each target with what was measured, in the profiles that were run. */
export function judgeTargets({ profiles, waitSeconds }: BrowserResult): readonly Verdict[] {
  return profileIds.flatMap((profile) => {
    const result = profiles[profile];
    if (result === undefined) return [];
    const ratios = targetRows.flatMap((row): readonly Verdict[] => {
      const limit = row.maxRatio[profile];
      return limit === undefined
        ? []
        : [{ id: row.id, title: row.title, profile, limit, measured: computeRatio(result, row) }];
    });
    const waitings = result.subjects['pay-invoice']?.waiting ?? [];
    const recalculations = (median(waitings.map((wait) => wait.recalculations)) / waitSeconds) * 60;
    if (profile === 'M')
      ratios.push({
        id: 'recalculations',
        title: 'style recalculations in 60 s of waiting',
        profile,
        limit: maxRecalculations,
        measured: recalculations,
      });
    return ratios;
  });
}

/** Returns the targets that were measured and missed. */
export const findMissedTargets = (result: BrowserResult): readonly Verdict[] =>
  judgeTargets(result).filter(({ measured, limit }) => measured > limit);
