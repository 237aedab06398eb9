// Writes the table of checks into docs/conformance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listChecks } from '../../src/conformance.ts';

const marksPattern = /(<!-- checks: .*? -->\n)[^]*?(\n<!-- \/checks -->)/;

/** Writes the table of all checks between the two marks of the document. Throws when a mark is missing. */
export function updateTable(document: string): string {
  if (!marksPattern.test(document)) throw new Error('docs/conformance.md has lost the marks of its table');
  const rows = listChecks().map(
    ({ id, clause, rule, needs }) => `| \`${id}\` | ${rule} | ${clause.replaceAll('|', '\\|')} | ${needs.join(', ')} |`,
  );
  const table = ['| check | the backend … | clause | needs |', '| --- | --- | --- | --- |', ...rows].join('\n');
  return document.replace(
    marksPattern,
    (_, startMark: string, endMark: string) => `${startMark}\n${table}\n${endMark}`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const targetFile = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));
  writeFileSync(targetFile, updateTable(readFileSync(targetFile, 'utf8')));
}
