import type { Clock, PageLifecycle } from '../core.ts';

/** The longest delay of a browser's timer, in ms; a longer one fires at once. */
const longestMs = 2 ** 31 - 1;

/** The browser's clock. A delay of more than 24 days is shortened to that; callers read the clock again when it fires. */
export const browserClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  schedule(ms, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(ms, 0), longestMs));
    return () => clearTimeout(timer);
  },
};

/** Whether the page is visible, and when it is shown, focused, restored from the back-forward cache or back online. */
export const browserPageLifecycle: PageLifecycle = {
  isVisible: () => document.visibilityState !== 'hidden',
  onResume(callback) {
    const resume = (): void => {
      if (browserPageLifecycle.isVisible()) callback();
    };
    const events = ['pageshow', 'focus', 'online'];
    document.addEventListener('visibilitychange', resume);
    for (const event of events) window.addEventListener(event, resume);
    return () => {
      document.removeEventListener('visibilitychange', resume);
      for (const event of events) window.removeEventListener(event, resume);
    };
  },
};

/** A random UUID. `crypto.randomUUID` exists in secure contexts only, `crypto.getRandomValues` everywhere. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte, index) => {
    const marked = index === 6 ? (byte & 15) | 64 : index === 8 ? (byte & 63) | 128 : byte;
    return marked.toString(16).padStart(2, '0');
  })
    .join('')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
