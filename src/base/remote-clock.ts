/** An estimate of another machine's clock, made of the times in its answers. Between answers the local clock advances it. */
export interface RemoteClock {
  /** The other machine's time in milliseconds since 1970; undefined before the first answer. */
  now(): number | undefined;
  /**
   * Adds an answer that was received now, to a request sent at `sentAt`. `time` is the time in the answer, rounded down to a
   * multiple of `precisionMs`.
   */
  observe(time: number, sentAt: number, precisionMs: number): void;
}

/**
 * @param monotonic The time in milliseconds since any origin; `sentAt` is of this time.
 * @param unconfirmedStepMs A larger step of the other clock, in ms, is applied only once two answers in a row show it, so that
 *   a single wrong time changes nothing. By default every step is applied at once.
 */
export function createRemoteClock(monotonic: () => number, unconfirmedStepMs = Infinity): RemoteClock {
  let offset: number | undefined;
  /** Whether two answers in a row agreed with `offset`. */
  let isKnown = false;
  /** The offset after a step that is not confirmed yet. */
  let candidate: number | undefined;
  return {
    now: () => (offset === undefined ? undefined : monotonic() + offset),
    observe(time, sentAt, precisionMs) {
      // The time was read between sending and receiving, so the offset is between these bounds. A known one within is kept.
      const least = time - monotonic();
      const most = time + precisionMs - sentAt;
      const within = (known: number): number => Math.min(Math.max(known, least), most);
      const next = offset === undefined ? (least + most) / 2 : within(offset);
      const isStep = Math.abs(next - (offset ?? next)) > unconfirmedStepMs;
      const isConfirmed = candidate !== undefined && Math.abs(within(candidate) - candidate) <= unconfirmedStepMs;
      if (isStep && isKnown && !isConfirmed) {
        candidate = next;
        return;
      }
      isKnown = offset !== undefined && (!isStep || isConfirmed);
      offset = next;
      candidate = undefined;
    },
  };
}
