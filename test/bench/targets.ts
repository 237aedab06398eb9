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
  /** The moments of the subject and of the floor whose medians are compared. */
  readonly moments: readonly [subject: Screen, floor: Screen];
  /** The greatest ratio that meets the target, by profile. */
  readonly maxRatio: Readonly<Record<ProfileId, number>>;
}

/** The moments that a visit may have. */
export type Screen = 'options' | 'click' | 'resume' | 'requisites';

const makeRow = (
  id: string,
  title: string,
  subject: string,
  [M, S]: readonly [M: number, S: number],
  scene: Scene = id.startsWith('options') ? 'choose' : 'resume',
  moments: TargetRow['moments'] = scene === 'choose' ? ['options', 'options'] : ['resume', 'resume'],
): TargetRow => ({
  id,
  title,
  subject,
  floor: scene === 'choose' ? 'lit-floor' : 'lit-floor-qr',
  scene,
  moments,
  maxRatio: { M, S },
});

export const targetRows: readonly TargetRow[] = [
  makeRow('options-plain', 'options, plain tag', 'pay-invoice', [1.19, 1.07]),
  makeRow('options-hints', 'options, JSON announced', 'pay-invoice-hints', [0.97, 0.77]),
  makeRow('options-initial', 'options, `initial` in the page', 'pay-invoice-initial', [0.96, 0.76]),
  makeRow('options-server', 'options, rendered on the server', 'pay-invoice-server', [0.54, 0.36]),
  makeRow('options-pay-page', 'options, the pay page', 'pay-page', [0.54, 0.36]),
  makeRow('qr-plain', 'QR of a waiting invoice, plain tag', 'pay-invoice', [1.12, 1.05]),
  makeRow('qr-initial', 'QR, `initial` in the page', 'pay-invoice-initial', [1, 0.78]),
  makeRow('qr-hints', 'QR, JSON announced', 'pay-invoice-hints', [1.02, 0.79]),
  makeRow('qr-server', 'QR, rendered on the server', 'pay-invoice-server', [0.54, 0.36]),
  makeRow('qr-pay-page', 'QR, the pay page', 'pay-page', [0.54, 0.36]),
  makeRow('requisites', 'requisites of a waiting invoice, plain tag', 'pay-invoice', [1.2, 1.08], 'requisites', [
    'requisites',
    'resume',
  ]),
  makeRow('click', 'click to QR', 'pay-invoice', [1, 1], 'choose', ['click', 'click']),
];

/** The longest time, in ms, from a click on options that were just painted to its request: less than a frame. */
const maxLiveMs = 16;

const medianMs = (moments: readonly Moment[] = []): number => median(moments.map(({ ms }) => ms));
const resultOf = ({ subjects }: ProfileResult, id: string): SubjectResult | undefined => subjects[id];

/** The ratio of the medians; NaN when the run did not measure both subjects. */
export const computeRatio = (
  result: ProfileResult,
  { subject, floor, moments: [screen, floorScreen] }: TargetRow,
): number => medianMs(resultOf(result, subject)?.[screen]) / medianMs(resultOf(result, floor)?.[floorScreen]);

/** A target of one profile, and what was measured; `measured` is NaN when the run did not measure it. */
export interface Verdict {
  readonly id: string;
  readonly title: string;
  readonly profile: ProfileId;
  readonly limit: number;
  readonly measured: number;
}

/** Compares each target with what was measured, in the profiles that were run. */
export function judgeTargets({ profiles }: BrowserResult): readonly Verdict[] {
  return profileIds.flatMap((profile) => {
    const result = profiles[profile];
    if (result === undefined) return [];
    const live = {
      id: 'live',
      title: 'from a click on options that were just painted to its request, ms',
      profile,
      limit: maxLiveMs,
      measured: median(resultOf(result, 'pay-invoice')?.live ?? []),
    };
    return [
      ...targetRows.map((row) => ({
        id: row.id,
        title: row.title,
        profile,
        limit: row.maxRatio[profile],
        measured: computeRatio(result, row),
      })),
      live,
    ];
  });
}

/** Returns the targets that were measured and missed. */
export const findMissedTargets = (result: BrowserResult): readonly Verdict[] =>
  judgeTargets(result).filter(({ measured, limit }) => measured > limit);
