import { hash, timingSafeEqual } from 'node:crypto';
import { withoutEndSlashes } from '../../base/addresses.ts';
import type { Clock } from '../../base/clock.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';
import type { Timing } from '../timing-and-limit-defaults.ts';
import { idLength, randomId, type Random } from '../../base/random.ts';

// Identifiers and secrets that nobody can guess.

/** Returns a new identifier of a checkout, which opens nothing. */
export const createCheckoutId = (random: Random): string => `co_${randomId(random)}`;

/**
 * Returns a new capability for a checkout: the checkout's identifier and a secret. So the record is found by its identifier, and
 * the capability is only compared. Without the secret nobody can make it from the identifier.
 */
export const createCapability = (checkoutId: string, random: Random): string =>
  `chk_${checkoutId.slice('co_'.length)}${randomId(random)}`;

/** The identifier of the only checkout that may have a capability. */
export const checkoutIdOf = (capability: string): string =>
  `co_${capability.slice('chk_'.length, 'chk_'.length + idLength)}`;

/** Whether a loaded checkout belongs to a capability that has not expired. */
export function isOpenedBy<T extends Pick<CheckoutRecord, 'capability' | 'capabilityAt'>>(
  { time, timing }: { readonly time: Pick<Clock, 'now'>; readonly timing: Pick<Timing, 'lifetimeMs'> },
  capability: string,
  loaded: T | undefined,
): loaded is T {
  return loaded?.capability === capability && time.now() - loaded.capabilityAt <= timing.lifetimeMs;
}

/** Returns a new `external_id`. */
export const createExternalId = (random: Random): string => `att_${randomId(random)}`;

/**
 * The identifier of the attempt for a second invoice, which the service returned with the `external_id` of the first one: each
 * stored attempt needs a different one.
 */
export const secondExternalId = (externalId: string, attemptCount: number): string => `${externalId}~${attemptCount}`;

/** The `external_id` that was sent to the service for an attempt. */
export const sentExternalId = (externalId: string): string => externalId.replace(/~.*/, '');

/** Compares two secrets in constant time. */
export function isSameSecret(left: string, right: string): boolean {
  return timingSafeEqual(hash('sha256', left, 'buffer'), hash('sha256', right, 'buffer'));
}

/** A digest of a request's body. A request that repeats an idempotency key must have the same digest. */
export function fingerprintOf(parts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22);
}

/** Matches the end of the path of `webhookUrl`. */
export const webhookPath = /\/hook\/([A-Za-z0-9_-]{1,1100})\/([A-Za-z0-9_-]{10,100})$/;

/** The `hook_url` of an order's invoices. It contains a separate secret instead of the payer's capability. */
export function webhookUrl(endpoint: string, orderId: string, secret: string): string {
  const name = Buffer.from(orderId).toString('base64url');
  return `${withoutEndSlashes(endpoint)}/hook/${name}/${secret}`;
}

/** Decodes the order's identifier in the path of `webhookUrl`. */
export const orderIdOf = (text: string): string => Buffer.from(text, 'base64url').toString();
