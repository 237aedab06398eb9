// One file of JavaScript for each test file of a group, with the mutants in it: a mutant costs the start of Node, not a
// compilation. Run by Stryker in its copy of the project.
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
