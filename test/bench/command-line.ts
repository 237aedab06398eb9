import { parseArgs } from 'node:util';
import { profileIds, type ProfileId } from './profiles.ts';
import { subjects, type Scene, type Subject } from './subjects.ts';
import { targetRows } from './targets.ts';

/** What a run of the bench measures. */
export interface Plan {
  readonly runs: number;
  readonly profiles: readonly ProfileId[];
  /** The scenes to visit for a subject; a subject without scenes is not measured. */
  readonly scenesOf: (subject: Subject) => readonly Scene[];
  /** Whether the run measures everything, so that its results are written. */
  readonly isComplete: boolean;
}

const parseList = <T extends string>(
  option: string,
  text: string | undefined,
  knownNames: readonly T[],
): readonly T[] => {
  if (text === undefined) return knownNames;
  return text.split(',').map((name) => {
    const knownName = knownNames.find((candidate) => candidate === name);
    if (knownName === undefined) throw new RangeError(`--${option} takes ${knownNames.join(', ')}`);
    return knownName;
  });
};

/** Reads `--runs N --profile M,S --rows id,id --only subject,subject --quick`. */
export function parseCommandLine(args: readonly string[]): Plan {
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
  const subjectIds = subjects.map(({ id }) => id);
  const selectedSubjectIds = parseList('only', values.only, subjectIds);
  const rowIds = parseList(
    'rows',
    values.rows,
    targetRows.map(({ id }) => id),
  );
  const selectedRows = targetRows.filter(({ id }) => rowIds.includes(id));
  const isSceneSelected = (subject: string, scene: Scene): boolean =>
    values.rows === undefined ||
    selectedRows.some(
      (row) =>
        (row.scene === scene && row.subject === subject) ||
        (row.floor === subject && (row.moments[1] === 'resume' ? 'resume' : 'choose') === scene),
    );
  return {
    runs,
    profiles: parseList('profile', values.profile, profileIds),
    scenesOf: ({ id, scenes }) =>
      selectedSubjectIds.includes(id) ? scenes.filter((scene) => isSceneSelected(id, scene)) : [],
    isComplete: !values.quick && [values.profile, values.rows, values.only].every((value) => value === undefined),
  };
}
