import { z } from 'zod';

/** Of 100 changes of a module so many have to be noticed. */
export const leastScore = 85;

/** How many changes of one module the tests noticed. */
export interface Score {
  readonly module: string;
  /** Changes that made a test fail, or that no longer came to an end. */
  readonly noticed: number;
  readonly survived: number;
  /** Changes that change nothing that can be seen, with the reason beside them in the source. */
  readonly explained: number;
  /** Noticed ones, in percent of those that are not explained. */
  readonly score: number;
}

const report = z.object({
  files: z.record(z.string(), z.object({ mutants: z.array(z.object({ status: z.string() })) })),
});

export function reportOf(group: string): string {
  return `.tmp/mutation/${group}.json`;
}

/** The scores in a report of Stryker's (JSON, mutation testing report schema), by module. */
export function readScores(text: string): readonly Score[] {
  return Object.entries(report.parse(JSON.parse(text)).files).map(([module, { mutants }]) => {
    const count = (...statuses: readonly string[]): number =>
      mutants.filter(({ status }) => statuses.includes(status)).length;
    const noticed = count('Killed', 'Timeout');
    const survived = count('Survived', 'NoCoverage');
    return { module, noticed, survived, explained: count('Ignored'), score: (100 * noticed) / (noticed + survived) };
  });
}
