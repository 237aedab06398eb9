import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

// Identifiers and secrets that nobody can guess: each has 144 random bits.

function randomText(): string {
  return randomBytes(18).toString('base64url');
}

/** Returns a new capability. */
export const createCheckoutId = (): string => `chk_${randomText()}`;

/** Returns a new secret for the address of a webhook. */
export const createHookSecret = (): string => randomText();

/** Returns a new `external_id`. */
export const createExternalId = (): string => `att_${randomText()}`;

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Compares two secrets in constant time. */
export function isSameSecret(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

/** A digest of a request's body. A request that repeats an idempotency key must have the same digest. */
export function fingerprintOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}
