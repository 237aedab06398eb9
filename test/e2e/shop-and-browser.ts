import { after } from 'node:test';
import type { Browser, LaunchOptions } from 'playwright-core';
import { launchChromium } from '../support/launch-chromium.ts';
import { ExampleServerProcess } from '../support/example-server-process.ts';

/** A shop of its own and a browser for the tests of a file, after which both end. */
export async function shopAndBrowser(
  options: LaunchOptions = {},
): Promise<{ readonly shop: ExampleServerProcess; readonly browser: Browser }> {
  const shop = await ExampleServerProcess.start();
  after(() => shop.stop());
  const browser = await launchChromium(options);
  after(() => browser.close());
  return { shop, browser };
}
