import type { PageLifecycle } from '../core.ts';

/** Whether the page is visible, and when it is shown, focused, restored from the back-forward cache or back online. */
export const browserPageLifecycle: PageLifecycle = {
  isVisible: () => document.visibilityState !== 'hidden',
  onResume(callback) {
    const wake = (): void => {
      if (browserPageLifecycle.isVisible()) callback();
    };
    const events = ['pageshow', 'focus', 'online'];
    document.addEventListener('visibilitychange', wake);
    for (const event of events) window.addEventListener(event, wake);
    return () => {
      document.removeEventListener('visibilitychange', wake);
      for (const event of events) window.removeEventListener(event, wake);
    };
  },
};
