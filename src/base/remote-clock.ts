/** The clock of another machine, as its answers show it. It goes on evenly between two answers. */
export interface RemoteClock {
  /** Its time in milliseconds since 1970; undefined before the first answer. */
  now(): number | undefined;
  /**
   * An answer, received now, to a request sent at `sentAt` says that the time was `time`, rounded down to `precisionMs`.
   */
  observe(time: number, sentAt: number, precisionMs: number): void;
}

/** @param monotonic The time in milliseconds since any origin; `sentAt` is of this time. */
export function createRemoteClock(monotonic: () => number): RemoteClock {
  let offset: number | undefined;
  return {
    now: () => (offset === undefined ? undefined : monotonic() + offset),
    observe(time, sentAt, precisionMs) {
      // The answer was made between sending and receiving: an offset between these bounds agrees with it, and is kept.
      const least = time - monotonic();
      const most = time + precisionMs - sentAt;
      offset = offset === undefined ? (least + most) / 2 : Math.min(Math.max(offset, least), most);
    },
  };
}
