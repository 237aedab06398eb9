import type { Clock } from '../core.ts';

/** The longest delay of a browser's timer, in ms. A timer with a longer delay would fire immediately. */
const longestDelayMs = 2 ** 31 - 1;

/** The browser's clock. A delay of more than 24 days is shortened to 24 days, so a callback may come early. */
export const browserClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  schedule(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), longestDelayMs));
    return () => clearTimeout(timer);
  },
};
