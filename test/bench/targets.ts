// The targets of the bench: each row limits the ratio of one subject to a floor in the same run.
import type { BrowserResult, Moment, ProfileResult, SubjectResult } from './browser-result.ts';
import { profileIds, type ProfileId } from './profiles.ts';
import { median } from './statistics.ts';
import type { Scene } from './subjects.ts';

export interface Row {
  readonly id: string;
  readonly title: string;
  readonly subject: string;
  readonly floor: string;
  readonly scene: Scene;
  /** The values that are compared. */
  readonly of: (result: SubjectResult) => readonly number[];
  /** The most that the ratio may be. A profile without one is not judged. */
  readonly most: Readonly<Partial<Record<ProfileId, number>>>;
}

const times = (moments: readonly Moment[]): readonly number[] => moments.map(({ ms }) => ms);
const both = (M: number, S: number): Row['most'] => ({ M, S });

const options = (id: string, title: string, subject: string, most: Row['most']): Row => ({
  id: `options-${id}`,
  title: `options, ${title}`,
  subject,
  floor: 'lit-floor',
  scene: 'choose',
  of: (result) => times(result.options),
  most,
});

const qr = (id: string, title: string, subject: string, most: Row['most']): Row => ({
  id: `qr-${id}`,
  title: `QR of a waiting invoice, ${title}`,
  subject,
  floor: 'lit-floor-qr',
  scene: 'resume',
  of: (result) => times(result.resume),
  most,
});

export const rows: readonly Row[] = [
  options('plain', 'plain tag', 'pay-invoice', both(1.15, 1.05)),
  options('hints', 'files and JSON announced', 'pay-invoice-hints', both(0.92, 0.75)),
  options('initial', '`initial` in the page', 'pay-invoice-initial', both(0.95, 0.8)),
  options('server', 'rendered on the server', 'pay-invoice-server', both(0.65, 0.36)),
  qr('plain', 'plain tag', 'pay-invoice', both(1.3, 1.36)),
  qr('remembered', 'remembered by the device', 'pay-invoice-remembered', both(1.1, 1.05)),
  qr('initial', '`initial` in the page', 'pay-invoice-initial', both(1.1, 1.05)),
  qr('hints', 'files and JSON announced', 'pay-invoice-hints', both(0.95, 0.75)),
  qr('initial-hints', '`initial`, files announced', 'pay-invoice-initial-hints', both(0.95, 0.75)),
  qr('server', 'rendered on the server', 'pay-invoice-server', both(0.65, 0.42)),
  {
    id: 'click',
    title: 'click to QR',
    subject: 'pay-invoice',
    floor: 'lit-floor',
    scene: 'choose',
    of: (result) => times(result.click),
    most: both(1.05, 1.05),
  },
  {
    id: 'main-thread',
    title: 'main thread until options',
    subject: 'pay-invoice',
    floor: 'lit-floor',
    scene: 'choose',
    of: (result) => result.options.map(({ taskMs }) => taskMs),
    most: both(1.25, 1.25),
  },
  {
    id: 'waiting',
    title: 'processor time of 60 s of waiting',
    subject: 'pay-invoice',
    floor: 'text-update',
    scene: 'wait',
    of: (result) => result.waiting.map(({ taskMs }) => taskMs),
    most: { M: 0.7 },
  },
];

/** The most style recalculations in 60 s of waiting. */
const mostRecalculations = 10;

export const ratioOf = ({ subjects }: ProfileResult, { subject, floor, of }: Row): number => {
  const [one, other] = [subjects[subject], subjects[floor]];
  return one && other ? median(of(one)) / median(of(other)) : NaN;
};

/** A target and what was measured; `reached` is NaN where the run did not measure it. */
export interface Verdict {
  readonly id: string;
  readonly title: string;
  readonly profile: ProfileId;
  readonly most: number;
  readonly reached: number;
}

/** Every target of the profiles that were run. */
export function verdicts({ profiles, waitSeconds }: BrowserResult): readonly Verdict[] {
  return profileIds.flatMap((profile) => {
    const result = profiles[profile];
    if (result === undefined) return [];
    const ratios = rows.flatMap((row): readonly Verdict[] => {
      const most = row.most[profile];
      return most === undefined ? [] : [{ id: row.id, title: row.title, profile, most, reached: ratioOf(result, row) }];
    });
    const waits = result.subjects['pay-invoice']?.waiting ?? [];
    const recalculations = (median(waits.map((wait) => wait.recalculations)) / waitSeconds) * 60;
    if (profile === 'M')
      ratios.push({
        id: 'recalculations',
        title: 'style recalculations in 60 s of waiting',
        profile,
        most: mostRecalculations,
        reached: recalculations,
      });
    return ratios;
  });
}

/** The targets that were measured and missed. */
export const missed = (result: BrowserResult): readonly Verdict[] =>
  verdicts(result).filter(({ reached, most }) => reached > most);
