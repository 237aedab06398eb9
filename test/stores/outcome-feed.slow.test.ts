import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { StoreUnavailableError, type FeedOutcome } from '../../src/server.ts';
import type { SqlStore } from '../../src/stores/sql-store.ts';
import { openStore } from '../support/open-database.ts';
import { databasesOfFile } from './databases.ts';

const systems = await databasesOfFile();

const program = fileURLToPath(new URL('outcome-writer-process.ts', import.meta.url));
/** Two processes wait for each other at each write to a SQLite file. */
const outcomeCountOf = (name: string): number => (name === 'PostgreSQL' ? 10_000 : 1000);

/** Reads a page of the feed; again when two processes keep the only writer of a SQLite file busy. */
async function readWhenFree(store: SqlStore, position: number): Promise<readonly FeedOutcome[]> {
  for (;;)
    try {
      return (await store.readOutcomes(position, 500)).outcomes;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
    }
}

for (const system of systems) {
  const outcomeCount = outcomeCountOf(system.name);
  test(`the feed on ${system.name} has each of ${outcomeCount} outcomes of two processes once, while they are killed`, async () => {
    const place = await system.fresh();
    const store = await openStore(place);
    const committed = new Set<string>();
    const running = new Set<ChildProcess>();
    let runCount = 0;
    let killAt = outcomeCount / 15;
    const startWriter = (): void => {
      const child = spawn(
        process.execPath,
        ['--import', 'tsx', program, JSON.stringify(place), `w${(runCount += 1)}`],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      running.add(child);
      createInterface({ input: child.stdout }).on('line', (id) => {
        committed.add(id);
        if (committed.size < killAt) return;
        killAt += outcomeCount / 15;
        child.kill('SIGKILL');
      });
      child.once('exit', () => running.delete(child));
    };
    const seen = new Set<string>();
    const lastOfCheckout = new Map<string, number>();
    let position = 0;
    const readOn = async (): Promise<number> => {
      const page = await readWhenFree(store, position);
      for (const outcome of page) {
        assert.ok(outcome.position > position);
        position = outcome.position;
        assert.ok(!seen.has(outcome.id), 'an outcome was read twice');
        seen.add(outcome.id);
        assert.equal(outcome.sequence, (lastOfCheckout.get(outcome.checkoutId) ?? 0) + 1);
        lastOfCheckout.set(outcome.checkoutId, outcome.sequence);
      }
      return page.length;
    };
    while (committed.size < outcomeCount) {
      while (running.size < 2) startWriter();
      await readOn();
    }
    for (const child of running) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    while ((await readOn()) > 0);
    const missed = [...committed].filter((id) => !seen.has(id));
    assert.deepEqual(missed, [], 'a committed outcome was missed');
    assert.ok(runCount > 10, `${runCount} processes`);
    await store.close();
  });
}
