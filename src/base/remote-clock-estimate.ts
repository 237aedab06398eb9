/** An estimate of another machine's clock from the times in its responses. Between responses the local clock advances it. */
export interface RemoteClock {
  /** The other machine's time in milliseconds since 1970; undefined before the first response. */
  now(): number | undefined;
  /** The same, or the earlier time that one response has shown, while that step is not confirmed. */
  earliestNow(): number | undefined;
  /**
   * Adds a response. Call it when the response arrives. `sentAt` is when its request was sent, by the local clock. `time` is
   * the other machine's time in the response, rounded down to a multiple of `precisionMs`.
   */
  observe(time: number, sentAt: number, precisionMs: number): void;
}

/**
 * @param monotonic The local clock: milliseconds from any moment. `sentAt` is a time of this clock.
 * @param unconfirmedStepMs A step of the other clock by more than this, in ms, is applied only after two consecutive responses
 *   have shown it, so that a single wrong time changes nothing. By default every step is applied immediately.
 */
export function createRemoteClock(monotonic: () => number, unconfirmedStepMs = Infinity): RemoteClock {
  let offset: number | undefined;
  /** Whether two consecutive responses agreed with `offset`. */
  let isOffsetConfirmed = false;
  /** The new offset by a step that is not confirmed yet. */
  let candidate: number | undefined;
  return {
    now: () => (offset === undefined ? undefined : monotonic() + offset),
    earliestNow: () => (offset === undefined ? undefined : monotonic() + Math.min(offset, candidate ?? offset)),
    observe(time, sentAt, precisionMs) {
      // The other machine read its clock between sending and receiving, so the offset is between these bounds. An offset that
      // is known and between them is kept.
      const minOffset = time - monotonic();
      const maxOffset = time + precisionMs - sentAt;
      const clamp = (value: number): number => Math.min(Math.max(value, minOffset), maxOffset);
      const nextOffset = offset === undefined ? (minOffset + maxOffset) / 2 : clamp(offset);
      const isStep = Math.abs(nextOffset - (offset ?? nextOffset)) > unconfirmedStepMs;
      const isStepConfirmed = candidate !== undefined && Math.abs(clamp(candidate) - candidate) <= unconfirmedStepMs;
      if (isStep && isOffsetConfirmed && !isStepConfirmed) {
        candidate = nextOffset;
        return;
      }
      isOffsetConfirmed = offset !== undefined && (!isStep || isStepConfirmed);
      offset = nextOffset;
      candidate = undefined;
    },
  };
}
