import type { Clock, PageLifecycle } from '../core.ts';

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

/** Whether the page is visible, and when it is shown, focused, restored from the back-forward cache or back online. */
export const browserPageLifecycle: PageLifecycle = {
  isVisible: () => document.visibilityState !== 'hidden',
  onResume(callback) {
    // The first `pageshow` of a page is no return to it.
    const resume = (event: Event): void => {
      const isFirstShow = 'persisted' in event && !event.persisted;
      if (browserPageLifecycle.isVisible() && !isFirstShow) callback();
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

/** A random UUID (version 4). `crypto.randomUUID` exists in secure contexts only, `crypto.getRandomValues` everywhere. */
export function newKey(): string {
  const bytes = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0'));
  // The first digit of the third group is the version, that of the fourth the variant.
  return bytes.join('').replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-');
}

/** Does not exist on a server, which renders the first state. */
const browserGlobals: { readonly location?: Location } = globalThis;

/** The URL of the page. On a server, a URL that only serves as the base of relative URLs. */
export const pageAddress = (): string => browserGlobals.location?.href ?? 'https://localhost';
