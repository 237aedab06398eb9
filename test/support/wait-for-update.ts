import type { Page } from 'playwright-core';

/** Waits for two frames, so that all earlier changes are painted. */
export const waitForFrames = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

/** Waits until the page's element has rendered in the browser: a server's markup alone has no listeners. */
export const waitForUpdate = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => Reflect.get(document.querySelector('pay-invoice') ?? {}, 'hasUpdated') === true);
