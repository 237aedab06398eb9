import { after } from 'node:test';
import type { Browser, LaunchOptions } from 'playwright-core';
import { launchBrowser } from '../support/launch-chromium.ts';
import { RunningShop } from '../support/example-server-process.ts';

/** A shop of its own and a browser for the tests of a file, after which both end. */
export async function shopAndBrowser(
  options: LaunchOptions = {},
): Promise<{ readonly shop: RunningShop; readonly browser: Browser }> {
  const shop = await RunningShop.start();
  after(() => shop.stop());
  const browser = await launchBrowser(options);
  after(() => browser.close());
  return { shop, browser };
}
