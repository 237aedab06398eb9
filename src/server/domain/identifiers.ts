import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

// Identifiers and secrets that cannot be guessed: 144 random bits each.

function random(): string {
  return randomBytes(18).toString('base64url');
}

/** A new capability. */
export const createCheckoutId = (): string => `chk_${random()}`;

/** A new secret for the address of a webhook. */
export const createHookSecret = (): string => random();

/** A new `external_id`. */
export const createExternalId = (): string => `att_${random()}`;

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Compares two secrets in constant time. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

/** A digest of a request's body: a repeated idempotency key must come with the same one. */
export function fingerprintOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
}
