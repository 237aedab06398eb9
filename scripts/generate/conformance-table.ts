// Writes the table of checks into docs/conformance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listChecks } from '../../src/conformance.ts';

const place = /(<!-- checks: .*? -->\n)[^]*?(\n<!-- \/checks -->)/;

/** The document with the table of all checks between its two marks. Throws when a mark is missing. */
export function withTable(document: string): string {
  if (!place.test(document)) throw new Error('docs/conformance.md has lost the marks of its table');
  const rows = listChecks().map(
    ({ id, clause, rule, needs }) => `| \`${id}\` | ${rule} | ${clause.replaceAll('|', '\\|')} | ${needs.join(', ')} |`,
  );
  const table = ['| check | the backend … | clause | needs |', '| --- | --- | --- | --- |', ...rows].join('\n');
  return document.replace(place, (_, begin: string, end: string) => `${begin}\n${table}\n${end}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const target = fileURLToPath(new URL('../../docs/conformance.md', import.meta.url));
  writeFileSync(target, withTable(readFileSync(target, 'utf8')));
}
