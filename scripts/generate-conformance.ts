// Writes the table of checks into docs/conformance.md. `--check` only tells whether it is current.
import { readFile, writeFile } from 'node:fs/promises';
import { withTable } from './conformance-table.ts';

const target = new URL('../docs/conformance.md', import.meta.url);
const current = await readFile(target, 'utf8');
const text = withTable(current);
if (!process.argv.includes('--check')) await writeFile(target, text);
else if (current !== text) {
  console.error('docs/conformance.md is not current: run `npx tsx scripts/generate-conformance.ts`');
  process.exitCode = 1;
}
