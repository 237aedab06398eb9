import assert from 'node:assert/strict';
import type { Timing } from '../../src/server.ts';
import { nextFetchAt, type FetchedAttempt } from '../../src/server/domain/fetch-decisions.ts';

/**
 * Asserts that each fetch of an invoice comes when the table of the schedule says, counted from the fetch before it. Fetches are
 * at ticks, so that they share batches: a fetch is at most a tick early, and at most `lateByMs` late.
 */
export function assertFollowsTable(
  fetchedAt: readonly number[],
  invoice: FetchedAttempt,
  isViewed: boolean,
  { timing, lateByMs }: { readonly timing: Timing; readonly lateByMs: number },
): void {
  const { createdAt } = invoice;
  for (const [index, at] of fetchedAt.slice(0, -1).entries()) {
    const next = fetchedAt[index + 1] ?? Infinity;
    const planned = nextFetchAt(invoice, at, isViewed, timing) ?? Infinity;
    const text = `the fetch after ${at - createdAt} ms came at ${next - createdAt} ms; planned: ${planned - createdAt} ms`;
    assert.ok(next >= planned - timing.fastMs && next <= planned + lateByMs, text);
  }
}
