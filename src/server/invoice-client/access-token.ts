import { withTimeout, type Clock } from '../../base/clock.ts';
import type { TryFailure } from './retry-policy.ts';

/** The access token, or a function that is called for each request. */
export type TokenSource = string | (() => string | Promise<string>);

/** Whether a value can be sent as a token. */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,8192}$/.test(value);
}

/** The token of a request. An error of the function is not kept: it may contain the token. */
export async function readToken(
  source: TokenSource,
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<{ readonly ok: true; readonly token: string } | { readonly ok: false; readonly failure: TryFailure }> {
  if (typeof source === 'string') return { ok: true, token: source };
  const fail = (detail: string) => ({ ok: false, failure: { kind: 'no_token', detail } }) as const;
  const endsAt = clock.now() + timeoutMs;
  try {
    const token: unknown = await withTimeout(clock, timeoutMs, async () => source(), signal);
    return isToken(token) ? { ok: true, token } : fail('the token function returned no visible ASCII');
  } catch {
    if (signal?.aborted === true) return { ok: false, failure: { kind: 'canceled' } };
    return fail(clock.now() >= endsAt ? 'the token function did not answer in time' : 'the token function failed');
  }
}
