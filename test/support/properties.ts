import fc from 'fast-check';

// Settings of all property tests. A failure prints `FC_SEED` and `FC_PATH`, which reproduce it. `FC_RUNS` replaces the number
// of runs of each property, and `FC_SECONDS` limits it by time instead.
const { FC_SEED, FC_PATH, FC_RUNS, FC_SECONDS } = process.env;

function parameters(defaultRuns: number) {
  return {
    numRuns: FC_SECONDS === undefined ? Number(FC_RUNS ?? defaultRuns) : Number.POSITIVE_INFINITY,
    ...(FC_SECONDS !== undefined && { interruptAfterTimeLimit: Number(FC_SECONDS) * 1000 }),
    ...(FC_SEED !== undefined && { seed: Number(FC_SEED) }),
    ...(FC_PATH !== undefined && { path: FC_PATH }),
  };
}

function throwWhenFailed<T>(details: fc.RunDetails<T>): void {
  if (!details.failed) return;
  const replay = `FC_SEED=${details.seed} FC_PATH=${details.counterexamplePath ?? ''}`;
  const message = details.errorInstance instanceof Error ? details.errorInstance.message : '';
  const report = fc.defaultReportMessage(details);
  throw new Error(`${replay} reproduces this\n${message}\n${report}`, { cause: details.errorInstance });
}

/** Records the last run of a property: a time limit does not stop the run that is under way, so `holds` waits for it. */
function recordLastRun<T>(property: fc.IRawProperty<T>): { readonly recording: fc.IRawProperty<T>; lastRun: unknown } {
  const recorded: { lastRun: unknown } = { lastRun: undefined };
  const recording: fc.IRawProperty<T> = {
    isAsync: () => property.isAsync(),
    generate: (random, runId) => property.generate(random, runId),
    shrink: (value) => property.shrink(value),
    runBeforeEach: () => property.runBeforeEach(),
    runAfterEach: () => property.runAfterEach(),
    run: (value) => {
      const run = property.run(value);
      recorded.lastRun = run;
      return run;
    },
  };
  return Object.assign(recorded, { recording });
}

/** Throws when the property fails for one of `runs` random values. The environment can set another number of runs. */
export function holds<T>(property: fc.IAsyncProperty<T>, runs?: number): Promise<void>;
export function holds<T>(property: fc.IProperty<T>, runs?: number): void;
export function holds<T>(property: fc.IRawProperty<T>, runs = 100): Promise<void> | void {
  const recorded = recordLastRun(property);
  const details: Promise<fc.RunDetails<T>> | fc.RunDetails<T> = fc.check(recorded.recording, parameters(runs));
  if (details instanceof Promise)
    return details.then(async (finished) => {
      await recorded.lastRun;
      throwWhenFailed(finished);
    });
  throwWhenFailed(details);
}
