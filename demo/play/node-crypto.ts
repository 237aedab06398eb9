// What the backend's code uses of `node:crypto`, for a browser: the build puts it in its place.
import { sha256 } from '@noble/hashes/sha2.js';

/** Bytes that can be written down. */
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

/** A hash over texts, always SHA-256: nobody asks for another. */
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

export function randomBytes(count: number): Digest {
  return crypto.getRandomValues(new Digest(count));
}

/** Not in pages that are neither local nor https. */
export function randomUUID(): string {
  return randomBytes(16).toString();
}

export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
