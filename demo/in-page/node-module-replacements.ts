// Replaces Node's modules in a browser: in the demo's build, the backend's code imports this file instead of `node:crypto`,
// `node:diagnostics_channel`, `node:stream`, `node:tls` and `node:util` (scripts/build/replace-node-modules.ts).
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { base64url } from '../../src/base/base64url.ts';

/** The digest of a text. Always SHA-256: the backend uses no other algorithm. */
export function hash(algorithm: string, text: string, encoding: 'buffer'): Uint8Array;
export function hash(algorithm: string, text: string, encoding: 'hex' | 'base64url'): string;
export function hash(_: string, text: string, encoding: 'buffer' | 'hex' | 'base64url'): Uint8Array | string {
  const bytes = sha256(new TextEncoder().encode(text));
  if (encoding === 'buffer') return bytes;
  return encoding === 'hex' ? bytesToHex(bytes) : base64url(bytes);
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
