import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importChangedLoadCode, type Change } from './code-with-defect.ts';
import { loadPlanOf, type LoadPlan } from './load-plan.ts';
import { simulateLoad } from './load-simulation.ts';

/** Reads that wait for half a second are refused, and each poll reads the database. */
const refusals: readonly Change[] = [
  { file: 'stores/admission.ts', from: 'rank: 2, maxWaitMs: 10_000', to: 'rank: 1, maxWaitMs: 500' },
  { file: 'stores/admission.ts', from: 'rank: 1, maxWaitMs: 2000', to: 'rank: 1, maxWaitMs: 500' },
  { file: 'stores/admission.ts', from: '(waitingCount * turnMs) / size', to: '0' },
  { file: 'server/between-requests/known-views.ts', from: 'clock.now() < view.until', to: 'false' },
];
/** Who was refused comes back soon, and together with the others. */
const returns: Change = {
  file: 'core/session-commands.ts',
  from: 'backoff(failures, context.random, error?.retryAfterMs)',
  to: 'isRefusal(error) ? 1500 : backoff(failures, context.random, error?.retryAfterMs)',
};

interface Defect {
  readonly changes: readonly Change[];
  readonly plan: Partial<LoadPlan>;
  readonly rule: string;
}

const noRequestFails = 'a minute after a disturbance no request fails';

/** What the system had, so that it did not come back by itself, or only after more than a minute. */
const defects: Readonly<Record<string, Defect>> = {
  'more connections wait than are accepted within the patience of a payer': {
    changes: [{ file: 'standalone/http-server.ts', from: 'backlog = 128', to: 'backlog = 4096' }],
    plan: { disturbance: 'all connections are cut', payers: 250, requestMs: 6, turnMs: 180, pool: 12, databaseMs: 20 },
    rule: noRequestFails,
  },
  'late reads of payers who wait are refused': {
    changes: [...refusals, returns],
    plan: {
      ...{ disturbance: 'the database is away', lastsMs: 7000 },
      ...{ payers: 450, requestMs: 11, turnMs: 35, pool: 9, databaseMs: 16 },
    },
    rule: 'a minute after a disturbance everybody has had an answer',
  },
  'late reads of payers who wait are refused, and plain polls follow for five minutes': {
    changes: [
      ...refusals,
      { file: 'core/reducer.ts', from: 'heldMs < shortestCutMs || isRefusal(error)', to: 'heldMs === 0' },
      { file: 'core/reducer.ts', from: 'Math.min(cuts - 1, 10) * plainPollsMs', to: '300_000' },
    ],
    plan: { disturbance: 'the database is away', lastsMs: 7000 },
    rule: noRequestFails,
  },
};

for (const [name, { changes, plan, rule }] of Object.entries(defects))
  test(`the simulator finds a defect under load: ${name}`, async () => {
    const code = await importChangedLoadCode(changes);
    for (const seed of [1, 2]) {
      const changed = { ...loadPlanOf(seed), ...plan };
      assert.deepEqual((await simulateLoad(changed)).violations, [], `the present code, seed ${seed}`);
      const { violations } = await simulateLoad(changed, code);
      assert.ok(violations.includes(rule), `seed ${seed}: ${violations.join('; ') || 'no rule is broken'}`);
    }
  });
