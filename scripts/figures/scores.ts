import { createHash } from 'node:crypto';
import { z } from 'zod';
import { explanationOf } from '../../test/mutation/equivalents.ts';

/** Of 100 changes of a module so many have to be noticed. */
export const leastScore = 85;

/** How many changes of one module the tests noticed. */
export interface Score {
  readonly module: string;
  /** Changes that made a test fail, or that no longer came to an end. */
  readonly noticed: number;
  /** Changes that no test noticed, though one could. */
  readonly survived: number;
  /** Changes that nobody can notice, or that do no harm: test/mutation/equivalents.ts says why. */
  readonly explained: number;
  /** Noticed ones in percent of all. */
  readonly score: number;
  /** Of the source that was measured. */
  readonly digest: string;
}

/** A short sha256 of a module's source: another one means that the module has changed. */
export function digestOf(source: string): string {
  return createHash('sha256').update(source).digest('hex').slice(0, 12);
}

const position = z.object({ line: z.number(), column: z.number() });
const report = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.string(),
      mutants: z.array(
        z.object({
          status: z.string(),
          replacement: z.string().default(''),
          location: z.object({ start: position, end: position }),
        }),
      ),
    }),
  ),
});

/** A change that was not noticed: what stood in the source, and what was put there instead. */
export interface Survivor {
  readonly module: string;
  readonly line: number;
  readonly was: string;
  readonly became: string;
  /** Why that is right, where it is. */
  readonly why: string | undefined;
}

export function reportOf(group: string): string {
  return `.tmp/mutation/${group}.json`;
}

/** Where in a text a position of Stryker's is: lines from 1, columns from 1. */
function indexOf(lines: readonly string[], { line, column }: z.infer<typeof position>): number {
  return lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0) + column - 1;
}

export function readSurvivors(text: string): readonly Survivor[] {
  return Object.entries(report.parse(JSON.parse(text)).files).flatMap(([module, { source, mutants }]) => {
    const lines = source.split('\n');
    return mutants
      .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
      .map(({ replacement, location: { start, end } }) => {
        const was = source.slice(indexOf(lines, start), indexOf(lines, end));
        return {
          module,
          line: start.line,
          was,
          became: replacement,
          why: explanationOf(module, lines[start.line - 1] ?? '', was, replacement),
        };
      });
  });
}

/** The scores in a report of Stryker's (JSON, mutation testing report schema), by module. */
export function readScores(text: string): readonly Score[] {
  const survivors = readSurvivors(text);
  return Object.entries(report.parse(JSON.parse(text)).files).map(([module, { source, mutants }]) => {
    const noticed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
    const left = survivors.filter((survivor) => survivor.module === module);
    const explained = left.filter(({ why }) => why !== undefined).length;
    const score = (100 * noticed) / (noticed + left.length);
    return {
      module,
      noticed,
      survived: left.length - explained,
      explained,
      score: Math.round(score * 10) / 10,
      digest: digestOf(source),
    };
  });
}

type Counts = Pick<Score, 'noticed' | 'survived' | 'explained'>;

/** The noticed changes of several modules, in percent of all. */
export function scoreOf(scores: readonly Counts[]): number {
  const sum = (count: (score: Counts) => number): number => scores.reduce((total, one) => total + count(one), 0);
  const noticed = sum((one) => one.noticed);
  return (100 * noticed) / (noticed + sum((one) => one.survived + one.explained));
}
