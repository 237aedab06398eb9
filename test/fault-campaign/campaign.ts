import { embeddedDatabases, postgresDatabases, type DatabaseSystem } from '../stores/databases.ts';
import { describePlan, type DatabaseKind, type Plan } from './plan.ts';
import { buildProgram, type Program } from './program.ts';
import { run, type Report } from './run.ts';
import { invariants } from './violation.ts';

type Kinds = Readonly<Record<DatabaseKind, DatabaseSystem | undefined>>;

/** Runs plans on the databases that this machine has. */
export class Campaign {
  readonly #program: Program;
  readonly #databases: Kinds;

  private constructor(program: Program, databases: Kinds) {
    this.#program = program;
    this.#databases = databases;
  }

  static async open(isEmbeddedOnly = false): Promise<Campaign> {
    const program = await buildProgram();
    const embedded = await embeddedDatabases();
    const postgres = isEmbeddedOnly ? undefined : await postgresDatabases();
    return new Campaign(program, { embedded, postgres });
  }

  has(kind: DatabaseKind): boolean {
    return this.#databases[kind] !== undefined;
  }

  /** @param maxDurationMs Only an endless run exceeds the default, even on a slow and busy machine. */
  async run(plan: Plan, maxDurationMs = 120_000): Promise<Report> {
    const databases = this.#databases[plan.database];
    if (databases === undefined) throw new Error(`there is no ${plan.database}`);
    const parts = { program: this.#program.file, createDatabase: () => databases.fresh() };
    return run(plan, parts, maxDurationMs);
  }

  async close(): Promise<void> {
    this.#program.remove();
    for (const databases of Object.values(this.#databases)) await databases?.end();
  }
}

/** Calls `handle` for each item, with at most `concurrency` calls at a time. */
export async function eachOf<T>(
  items: readonly T[],
  concurrency: number,
  handle: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const runWorker = async (): Promise<void> => {
    for (const item of queue) await handle(item);
  };
  await Promise.all(Array.from({ length: concurrency }, runWorker));
}

/** Describes a failed run by its plan, its violations, its trace and the command that repeats it. */
export function describeFailure({ plan, violations, trace }: Report): string {
  return [
    describePlan(plan),
    ...violations.map(({ invariant, text }) => `VIOLATION ${invariant} (${invariants[invariant]}): ${text}`),
    ...trace.slice(-400).map((line) => `    ${line}`),
    `Again: npx tsx scripts/run-fault-campaign.ts --seed ${plan.seed} --database ${plan.database}`,
  ].join('\n');
}
