import assert from 'node:assert/strict';
import type { Timing } from '../../src/server.ts';
import { nextFetchAt, type FetchedAttempt } from '../../src/server/domain/fetch-decisions.ts';

/**
 * Asserts that each fetch of an invoice comes when the table of the schedule says. Fetches are at ticks, so that they share
 * batches: a fetch starts at most a tick early, and arrives at most `lateByMs` late. `fetchedAt` says when each arrived, so that a
 * fetch that was late on its way is no reason to call the next one early: the earliest start is carried from fetch to fetch.
 */
export function assertFollowsTable(
  fetchedAt: readonly number[],
  invoice: FetchedAttempt,
  isViewed: boolean,
  { timing, lateByMs }: { readonly timing: Timing; readonly lateByMs: number },
): void {
  const { createdAt } = invoice;
  const planAfter = (time: number): number => nextFetchAt(invoice, time, isViewed, timing) ?? Infinity;
  let earliestStart = (fetchedAt[0] ?? 0) - lateByMs;
  for (const [index, at] of fetchedAt.slice(0, -1).entries()) {
    const next = fetchedAt[index + 1] ?? Infinity;
    const earliest = planAfter(earliestStart) - timing.fastMs;
    const latest = planAfter(at) + lateByMs;
    const text = `the fetch after ${at - createdAt} ms came at ${next - createdAt} ms; planned: ${earliest - createdAt} to ${latest - createdAt} ms`;
    assert.ok(next >= earliest && next <= latest, text);
    earliestStart = Math.max(earliest, next - lateByMs);
  }
}
