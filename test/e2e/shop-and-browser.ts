import { after } from 'node:test';
import type { Browser, LaunchOptions } from 'playwright-core';
import { launchChromium } from '../support/launch-chromium.ts';
import { ExampleServerProcess } from '../support/example-server-process.ts';

/** Starts a shop and a browser for the tests of one file. Both end after them. */
export async function shopAndBrowser(
  options: LaunchOptions = {},
): Promise<{ readonly shop: ExampleServerProcess; readonly browser: Browser }> {
  const shop = await ExampleServerProcess.start();
  after(() => shop.stop());
  const browser = await launchChromium(options);
  after(() => browser.close());
  return { shop, browser };
}
