import fc from 'fast-check';

// Settings of all property tests. `FC_RUNS` replaces the number of runs of each property. The report of a failure has a seed and
// a path: as `FC_SEED` and `FC_PATH` they reproduce it.
const { FC_SEED, FC_PATH, FC_RUNS } = process.env;

/** Throws when the property fails for one of `runs` random values. */
export function holds<T>(property: fc.IAsyncProperty<T>, runs?: number): Promise<void>;
export function holds<T>(property: fc.IProperty<T>, runs?: number): void;
export function holds<T>(property: fc.IAsyncProperty<T> | fc.IProperty<T>, runs = 100): Promise<void> | void {
  return fc.assert(property, {
    numRuns: Number(FC_RUNS ?? runs),
    ...(FC_SEED !== undefined && { seed: Number(FC_SEED) }),
    ...(FC_PATH !== undefined && { path: FC_PATH }),
  });
}
