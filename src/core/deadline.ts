import type { Deadline } from './state.ts';

/** Estimates that differ by less than this are the same deadline seen through another delay on the way. */
const jitterMs = 1000;

/**
 * The deadline after an answer that came at `now` (monotonic) and said how long is left by the server's clock. Small
 * differences keep what is known, so that the countdown does not jump; a deadline that is not certain is replaced.
 */
export function refine(
  known: Deadline | undefined,
  leftMs: number | undefined,
  now: number,
  certain: boolean,
): Deadline | undefined {
  if (leftMs === undefined) return undefined;
  if (!known) return { at: now + leftMs, span: leftMs, certain };
  // 0 says "passed", not when: the moment that is known stays unless it still lies ahead.
  const at = leftMs === 0 ? Math.min(known.at, now) : now + leftMs;
  if (known.certain && Math.abs(at - known.at) <= jitterMs) return known;
  return { at, span: Math.max(known.span, leftMs), certain };
}

/** Whether the time is up; only the server says what that means. */
export function isOver(deadline: Deadline | undefined, now: number): boolean {
  return !!deadline && now >= deadline.at;
}
