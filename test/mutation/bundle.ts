// Stryker runs this script in its copy of the project. It bundles each test file of a group, with the mutants, into one file of
// JavaScript, so that a run for a mutant starts Node but compiles nothing.
import { build } from 'esbuild';
import { groupOf, testFilesOf } from './groups.ts';

await build({
  entryPoints: [...testFilesOf(groupOf(process.argv[2]))],
  outdir: '.mutation',
  outbase: '.',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
});
