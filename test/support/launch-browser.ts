import { chromium, type Browser, type LaunchOptions } from 'playwright-core';
import { chrome } from './browser/chrome.mjs';

/** A browser for end-to-end tests: the one that the component tests use. */
export async function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
  const { executablePath, args } = await chrome();
  return chromium.launch({ executablePath, args: [...args], ...options });
}
