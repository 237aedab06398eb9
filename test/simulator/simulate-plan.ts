import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteStore } from '../../src/sqlite.ts';
import type { Plan } from './plan.ts';
import type { ServerCode } from './shop.ts';
import { simulate, type Report } from './simulation.ts';

/** Simulates a plan on its store: in memory, or in a file of SQLite. */
export async function simulatePlan(plan: Plan, code?: ServerCode, keepsLines?: boolean): Promise<Report> {
  if (plan.store === 'memory') return simulate(plan, { code, keepsLines });
  const folder = await mkdtemp(join(tmpdir(), 'simulation-'));
  let close = (): Promise<void> => Promise.resolve();
  try {
    return await simulate(plan, {
      code,
      keepsLines,
      openStore: async (ports) => {
        const store = await createSqliteStore({ file: join(folder, 'checkouts.db'), ...ports });
        close = () => store.close();
        return store;
      },
    });
  } finally {
    await close();
    await rm(folder, { recursive: true });
  }
}
