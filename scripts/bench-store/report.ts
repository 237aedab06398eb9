// The figures of the store bench as test/bench/results/store.json and as docs/development/store-benchmarks.md.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { table } from '../markdown-table.ts';

/** One run; test/bench/results/store.json has the last one of each database and number of checkouts. */
export interface StoreResult {
  readonly database: string;
  readonly checkouts: number;
  readonly calls: number;
  readonly date: string;
  readonly node: string;
  readonly machine: string;
  readonly loadAverage: string;
  readonly fillSeconds: number;
  readonly columns: readonly string[];
  /** One row for each method; times are in milliseconds. */
  readonly rows: readonly (readonly string[])[];
  /** Name, size, updates and HOT updates of each table; empty for SQLite. */
  readonly tables: readonly (readonly string[])[];
  /** Changes of the code since the run that affect the figures. */
  readonly note?: string;
}

const resultsFile = 'test/bench/results/store.json';
/** The target for the database's work in one call, p99, in milliseconds. */
const targetMs = 5;

export function writeStoreResult(result: StoreResult): void {
  const otherResults = readStoreResults().filter(
    ({ database, checkouts }) => database !== result.database || checkouts !== result.checkouts,
  );
  const results = [...otherResults, result].sort(
    (result, otherResult) =>
      result.database.localeCompare(otherResult.database) || result.checkouts - otherResult.checkouts,
  );
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync('docs/development/store-benchmarks.md', storePage(results));
}

export function readStoreResults(): readonly StoreResult[] {
  return existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, 'utf8')) as readonly StoreResult[]) : [];
}

/** Formats the tables of one run. */
export function storeTable({ columns, rows, tables }: StoreResult): string {
  const sizes = tables.length === 0 ? '' : `\n\n${table(['table', 'size', 'updates', 'of them HOT'], tables)}`;
  return `${table(columns, rows)}${sizes}`;
}

function resultSection(result: StoreResult): string {
  const { database, checkouts, calls, date, node, machine, loadAverage, fillSeconds, columns, rows } = result;
  const p99Index = columns.findIndex((name) => name.endsWith('p99, ms') && !name.startsWith('wall'));
  const slowMethods = rows
    .filter((row) => Number(row[p99Index]) > targetMs)
    .map(([name = '', ...times]) => `${name} (${times[p99Index - 1] ?? ''} ms)`);
  return `## ${database === 'postgres' ? 'PostgreSQL' : 'SQLite'}, ${checkouts.toLocaleString('en')} checkouts

- command: \`npx tsx scripts/bench-store.ts --database ${database} --checkouts ${checkouts} --calls ${calls} --write\`
- date: ${date}; Node ${node}
- machine: ${machine}; filled in ${fillSeconds} s
- load average before the run: ${loadAverage}; above 0 means that others used the machine too${result.note === undefined ? '' : `\n- **note**: ${result.note}`}
- above ${targetMs} ms at p99 (${columns[p99Index] ?? ''}): ${slowMethods.length === 0 ? 'none' : slowMethods.join(', ')}

${storeTable(result)}
`;
}

export function storePage(results: readonly StoreResult[]): string {
  return `# The store on a full database

Written by \`scripts/bench-store.ts\` from \`test/bench/results/store.json\`; no figure is typed by hand. Each checkout has an attempt
and a schedule, and an outcome unless it is open; one in a hundred is open. Commits of orders and invoices wait for the disk. The
methods are called one at a time; claims, reschedules and expedites take about 100 attempts, a purge about 25 checkouts. "wall" is how
long the caller waits, "server" how long PostgreSQL works on the statements, "CPU" the processor time of the process, in which SQLite runs.

${results.map(resultSection).join('\n')}`;
}
