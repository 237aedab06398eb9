/** The port for randomness. Tests pass fixed or seeded values, so that a run can be repeated. */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive), for pauses and samples. It may be guessable. */
  readonly number: () => number;
  /** Returns bytes that nobody can guess, for identifiers and secrets. */
  readonly bytes: (count: number) => Uint8Array;
}

/** The randomness of the machine. */
export const systemRandom: Random = {
  number: () => Math.random(),
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
};

/** The size of an identifier: 144 random bits are 24 characters of base64url without padding. */
const idBytes = 18;
/** The number of characters of an identifier. */
export const idLength = (idBytes / 3) * 4;

/** Returns an identifier of 24 characters that nobody can guess, in the alphabet of base64url. */
export function randomId(random: Random): string {
  return Buffer.from(random.bytes(idBytes)).toString('base64url');
}
