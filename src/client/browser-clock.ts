import type { Clock } from '../core.ts';

/** The longest delay that browsers keep; a longer one would fire at once. */
const longestMs = 2 ** 31 - 1;

/** The browser's time. A delay of more than 24 days is cut to that: whoever waits looks at the clock again anyway. */
export const browserClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  schedule(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), longestMs));
    return () => clearTimeout(timer);
  },
};
