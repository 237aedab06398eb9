/** The clock of another machine, as its answers show it. It goes on evenly between two answers. */
export interface RemoteClock {
  /** Its time in milliseconds since 1970; undefined before the first answer. */
  now(): number | undefined;
  /**
   * An answer, received now, to a request sent at `sentAt` says that the time was `time`, rounded down to `precisionMs`.
   */
  observe(time: number, sentAt: number, precisionMs: number): void;
}

/**
 * @param monotonic The time in milliseconds since any origin; `sentAt` is of this time.
 * @param unconfirmedStepMs A step of the other clock that is larger is believed when two answers in a row show it: a single
 *   wrong time changes nothing. By default every step is believed at once.
 */
export function createRemoteClock(monotonic: () => number, unconfirmedStepMs = Infinity): RemoteClock {
  let offset: number | undefined;
  /** Whether two answers in a row agreed with `offset`. */
  let isKnown = false;
  /** The offset that a step would lead to which is not confirmed yet. */
  let candidate: number | undefined;
  return {
    now: () => (offset === undefined ? undefined : monotonic() + offset),
    observe(time, sentAt, precisionMs) {
      // The answer was made between sending and receiving: an offset between these bounds agrees with it, and is kept.
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
