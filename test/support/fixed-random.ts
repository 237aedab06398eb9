import { systemRandom, type Random } from '../../src/base/random.ts';

/** Randomness whose numbers are fixed, for tests of pauses. Identifiers stay different from each other. */
export function fixedRandom(number: number): Random {
  return { ...systemRandom, number: () => number };
}
