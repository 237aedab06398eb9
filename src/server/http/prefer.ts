import { maxWaitSeconds } from '../../protocol.ts';

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const preference = new RegExp(`^\\s*(${token})(?:\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${token}))?)?\\s*(?:;|$)`);

/** Splits a header at commas that are not inside a quoted string. */
function listOf(header: string): readonly string[] {
  return header.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? [];
}

/**
 * The seconds of `Prefer: wait=N` (RFC 7240), at most `maxWaitSeconds`; undefined where there is no such preference.
 * The first of several counts, other preferences and parameters are passed over.
 */
export function waitPreference(header: string | null): number | undefined {
  if (header === null || header.length > 1000) return undefined;
  for (const item of listOf(header)) {
    const [, name, quoted, bare] = preference.exec(item) ?? [];
    if (name?.toLowerCase() !== 'wait') continue;
    const value = quoted ?? bare ?? '';
    return /^\d{1,9}$/.test(value) ? Math.min(Number(value), maxWaitSeconds) : undefined;
  }
  return undefined;
}
