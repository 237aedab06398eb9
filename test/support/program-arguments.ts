import process from 'node:process';
import type { TestedProgram } from '../../scripts/test-node/tested-programs.ts';

/** Node's arguments that run a program of this repository: as compiled with the tests, or where they were not, from its source. */
export function programArguments(program: TestedProgram): readonly string[] {
  const folder = process.env['TEST_PROGRAMS'];
  return folder === undefined ? ['--import', 'tsx', program] : [`${folder}/${program.replace(/\.ts$/, '.mjs')}`];
}
