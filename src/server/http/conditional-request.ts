import { hash } from 'node:crypto';
import { type Checkout, maxWaitSeconds } from '../../checkout-api.ts';

/**
 * The weak validator (ETag) of a checkout. It covers everything that the widget uses, including the poll interval. It does not
 * cover clock values and the service's own status, because their changes have no visible effect.
 */
export function etagOf(checkout: Checkout): string {
  const invoice = checkout.invoice && {
    ...checkout.invoice,
    expires_in_ms: undefined,
    service_status: undefined,
    checked_at: undefined,
  };
  const text = JSON.stringify({ ...checkout, server_time: undefined, invoice });
  return `W/"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
}

/** Whether an `If-None-Match` header contains a validator, by the weak comparison (RFC 9110, 13.1.2). */
export function matchesEtag(header: string | null, etag: string): boolean {
  if (header === null) return false;
  if (header.trim() === '*') return true;
  const withoutWeakPrefix = (tag: string): string => tag.replace(/^W\//, '');
  const tags = header.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];
  return tags.some((tag) => withoutWeakPrefix(tag) === withoutWeakPrefix(etag));
}

/** A token of HTTP (RFC 9110, 5.6.2). */
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** One preference: its name, and its quoted or unquoted value. */
const preference = new RegExp(`^\\s*(${token})(?:\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${token}))?)?\\s*(?:;|$)`);

/** Splits a header at its commas, except those inside a quoted string. */
function splitList(header: string): readonly string[] {
  return header.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? [];
}

/**
 * The seconds of `Prefer: wait=N` (RFC 7240), at most `maxWaitSeconds`; undefined when the header has no valid `wait`.
 * The first `wait` is used; other preferences and parameters are ignored.
 */
export function waitPreference(header: string | null): number | undefined {
  if (header === null || header.length > 1000) return undefined;
  for (const item of splitList(header)) {
    const [, name, quotedValue, unquotedValue] = preference.exec(item) ?? [];
    if (name?.toLowerCase() !== 'wait') continue;
    const value = quotedValue ?? unquotedValue ?? '';
    return /^\d{1,9}$/.test(value) ? Math.min(Number(value), maxWaitSeconds) : undefined;
  }
  return undefined;
}
