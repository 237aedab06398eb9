import type { Page } from 'playwright-core';

/** Resolves when the browser has drawn a frame, also where a test moves the clock of the page. */
export const drawFrame = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        new IntersectionObserver((_, observer) => {
          observer.disconnect();
          resolve();
        }).observe(document.documentElement);
      }),
  );
