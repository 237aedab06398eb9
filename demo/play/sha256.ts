// SHA-256 (FIPS 180-4) at once: a browser's own comes only as a promise, and the backend's code does not wait for it.

/** The first 32 bits of the fractional part of a root of each of the first `count` primes. */
function fractionsOfRoots(count: number, exponent: number): Uint32Array {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  return Uint32Array.from(primes, (prime) => (prime ** exponent % 1) * 2 ** 32);
}

const initial = fractionsOfRoots(8, 1 / 2);
const constants = fractionsOfRoots(64, 1 / 3);

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** The 32 bytes of the digest. */
export function sha256(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(message.length) * 8n);

  const hash = initial.slice();
  for (let at = 0; at < padded.length; at += 64) mix(hash, view, at);
  const digest = new DataView(new ArrayBuffer(32));
  hash.forEach((word, index) => digest.setUint32(index * 4, word));
  return new Uint8Array(digest.buffer);
}

function mix(hash: Uint32Array, block: DataView, at: number): void {
  const w = new Uint32Array(64);
  for (let i = 0; i < 16; i += 1) w[i] = block.getUint32(at + i * 4);
  const word = (i: number): number => w[i] ?? 0;
  for (let i = 16; i < 64; i += 1) {
    const [before, last] = [word(i - 15), word(i - 2)];
    const s0 = rotate(before, 7) ^ rotate(before, 18) ^ (before >>> 3);
    const s1 = rotate(last, 17) ^ rotate(last, 19) ^ (last >>> 10);
    w[i] = word(i - 16) + s0 + word(i - 7) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let i = 0; i < 64; i += 1) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const one = (h + s1 + ((e & f) ^ (~e & g)) + (constants[i] ?? 0) + word(i)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, index) => (hash[index] = (hash[index] ?? 0) + value));
}
