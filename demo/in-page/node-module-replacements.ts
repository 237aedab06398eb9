// Replaces Node's modules in a browser: in the demo's build, the backend's code imports this file instead of `node:crypto`,
// `node:diagnostics_channel`, `node:stream`, `node:tls` and `node:util` (scripts/build/replace-node-modules.ts).
import { sha256 } from '@noble/hashes/sha2.js';

/** Bytes with the `toString(encoding)` of Node's `Buffer`. */
class Digest extends Uint8Array {
  override toString(encoding: 'hex' | 'base64url' = 'hex'): string {
    return encoding === 'hex'
      ? Array.from(this, (byte) => byte.toString(16).padStart(2, '0')).join('')
      : base64url(this);
  }
}

function base64url(bytes: Uint8Array): string {
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

interface Hash {
  update(text: string): Hash;
  digest(): Uint8Array;
  digest(encoding: 'hex' | 'base64url'): string;
}

/** Always SHA-256: the backend uses no other algorithm. */
export function createHash(): Hash {
  let message = '';
  function digest(): Uint8Array;
  function digest(encoding: 'hex' | 'base64url'): string;
  function digest(encoding?: 'hex' | 'base64url'): Uint8Array | string {
    const bytes = new Digest(sha256(new TextEncoder().encode(message)));
    return encoding === undefined ? bytes : bytes.toString(encoding);
  }
  const hash: Hash = {
    update(text) {
      message += text;
      return hash;
    },
    digest,
  };
  return hash;
}

/** The digest of a text in one call. Always SHA-256. */
export function hash(_algorithm: string, text: string, encoding: 'hex' | 'base64url' = 'hex'): string {
  return createHash().update(text).digest(encoding);
}

export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** Whether two values of plain data are equal. The order of their members does not matter. */
export function isDeepStrictEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return Object.is(one, other);
  const [entries, others] = [Object.entries(one), new Map<string, unknown>(Object.entries(other))];
  return (
    entries.length === others.size &&
    entries.every(([key, value]) => others.has(key) && isDeepStrictEqual(value, others.get(key)))
  );
}

/** The browser's `fetch` publishes no errors of connections. */
export const subscribe = (): void => undefined;

// Only the adapter for node:http uses the two exports below. A page never calls the adapter, and the build drops it.
export const TLSSocket = Object;

export function finished(): void {
  throw new Error('a page has no sockets');
}
