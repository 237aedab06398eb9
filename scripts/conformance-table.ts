import { listChecks } from '../src/conformance.ts';

const begin = '<!-- checks: written by `npx tsx scripts/generate-conformance.ts` -->';
const end = '<!-- /checks -->';

/** The page with the table of all checks between its two marks. */
export function withTable(page: string): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error('docs/conformance.md has lost the marks of its table');
  const rows = listChecks().map(
    ({ id, clause, rule, needs }) => `| \`${id}\` | ${rule} | ${clause.replaceAll('|', '\\|')} | ${needs.join(', ')} |`,
  );
  const table = ['| check | the backend … | clause | needs |', '| --- | --- | --- | --- |', ...rows].join('\n');
  return `${page.slice(0, from)}${begin}\n\n${table}\n\n${page.slice(to)}`;
}
