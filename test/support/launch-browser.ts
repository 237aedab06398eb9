import { chromium, type Browser } from 'playwright-core';
import { chrome } from './browser/chrome.mjs';

/** A browser for end-to-end tests: the one that the component tests use. */
export async function launchBrowser(): Promise<Browser> {
  const { executablePath, args } = await chrome();
  return chromium.launch({ executablePath, args: [...args] });
}
