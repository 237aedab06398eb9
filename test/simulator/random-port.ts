import type { Random } from '../../src/base/random.ts';
import type { SeededRandom } from '../support/seeded-random.ts';

/** The programs' port of randomness, from a seed. */
export function randomPort(random: SeededRandom): Random {
  return {
    number: () => random.next(),
    bytes: (count) => Uint8Array.from({ length: count }, () => random.int(0, 255)),
  };
}
