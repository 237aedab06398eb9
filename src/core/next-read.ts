import type { EndedState, WaitingState } from './public-state.ts';

/** Within these times, in ms, `planPoll` reads again: once the payer has waited long, and after the end of a payment. */
const [slowMs, endedMs, shortestMs, longestMs] = [15_000, 60_000, 1000, 60_000];

/**
 * Within how many ms a visible page reads the checkout again after a read that has succeeded. The true time (`planPoll`) grows with the
 * time that the payer has waited; this is its upper limit.
 */
export function msUntilNextRead(state: WaitingState | EndedState): number {
  const limitMs = state.status === 'waiting' ? (state.slow ? slowMs : shortestMs) : endedMs;
  return Math.min(longestMs, Math.max(limitMs, state.checkout.poll_after_ms));
}
