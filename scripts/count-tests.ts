// Counts the tests by running them: `npm run test:count [-- command …]`, all commands when none is named. The counts of a
// command whose tests hold go to test/results and docs/testing.md.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { machineOf } from './figures/machine.ts';
import { readResult, writeResult, type Row } from './figures/results.ts';
import { writePage } from './figures/testing-page.ts';

const commands = ['test:browsers', 'test:visual', 'test:node', 'test:faults', 'test:package', 'test:e2e'];
const ended = z.object({ where: z.string(), isSkipped: z.boolean() });
const counts = '.tmp/counts.jsonl';

/** test/server/ports/log.test.ts is of test/server. */
const folderOf = (where: string): string => where.split('/').slice(0, 2).join('/');

function rowsOf(text: string): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const line of text.trim().split('\n')) {
    const { where: file, isSkipped } = ended.parse(JSON.parse(line));
    const where = folderOf(file);
    const { tests, skipped } = rows.get(where) ?? { tests: 0, skipped: 0 };
    rows.set(where, { where, tests: tests + (isSkipped ? 0 : 1), skipped: skipped + (isSkipped ? 1 : 0) });
  }
  return [...rows.values()].sort((one, other) => one.where.localeCompare(other.where));
}

const named = process.argv.slice(2);
mkdirSync('.tmp', { recursive: true });
for (const command of commands.filter((known) => named.length === 0 || named.includes(known))) {
  rmSync(counts, { force: true });
  const startedAt = Date.now();
  const { status } = spawnSync('npm', ['run', command], {
    stdio: 'inherit',
    env: { ...process.env, TEST_COUNTS: counts },
  });
  if (status !== 0 || !existsSync(counts)) {
    console.error(`${command} failed: its tests are not counted`);
    process.exitCode = 1;
    continue;
  }
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  const rows = [...rowsOf(readFileSync(counts, 'utf8'))];
  // In the order of the commands, whichever was counted last.
  const kept = { ...readResult('suites'), [command]: { ...machineOf(), seconds, rows } };
  const inOrder = commands.flatMap((known) => (kept[known] === undefined ? [] : [[known, kept[known]] as const]));
  writeResult('suites', Object.fromEntries(inOrder));
  writePage();
}
