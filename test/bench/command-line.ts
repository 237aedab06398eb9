import { parseArgs } from 'node:util';
import { profileIds, type ProfileId } from './profiles.ts';
import { subjects, type Scene, type Subject } from './subjects.ts';
import { rows, type Row } from './targets.ts';

/** What a run measures. */
export interface Plan {
  readonly runs: number;
  readonly waitSeconds: number;
  readonly profiles: readonly ProfileId[];
  /** The rows to print; all of them unless some are named. */
  readonly rows: readonly Row[];
  /** The scenes to visit for each subject; a subject without one is left out. */
  readonly scenesOf: (subject: Subject) => readonly Scene[];
  /** Whether the run measures everything, so that its results are written. */
  readonly isComplete: boolean;
}

const listed = <T extends string>(option: string, text: string | undefined, known: readonly T[]): readonly T[] => {
  if (text === undefined) return known;
  return text.split(',').map((name) => {
    const found = known.find((one) => one === name);
    if (found === undefined) throw new RangeError(`--${option} takes ${known.join(', ')}`);
    return found;
  });
};

/** Reads `--runs N --profile M,S --rows id,id --only subject,subject --quick`. */
export function planOf(args: readonly string[]): Plan {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: 'string' },
      profile: { type: 'string' },
      rows: { type: 'string' },
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  });
  const runs = Number(values.runs ?? (values.quick ? 1 : 9));
  if (!Number.isInteger(runs) || runs < 1) throw new RangeError('--runs takes a whole number from 1');
  const ids = subjects.map(({ id }) => id);
  const only = listed('only', values.only, ids);
  const rowIds = listed(
    'rows',
    values.rows,
    rows.map(({ id }) => id),
  );
  const wanted = rows.filter(({ id }) => rowIds.includes(id));
  const isWanted = (subject: string, scene: Scene): boolean =>
    values.rows === undefined ||
    wanted.some((row) => row.scene === scene && (row.subject === subject || row.floor === subject));
  return {
    runs,
    waitSeconds: values.quick ? 5 : 60,
    profiles: listed('profile', values.profile, profileIds),
    rows: wanted,
    scenesOf: ({ id, scenes }) => (only.includes(id) ? scenes.filter((scene) => isWanted(id, scene)) : []),
    isComplete: !values.quick && [values.profile, values.rows, values.only].every((value) => value === undefined),
  };
}
