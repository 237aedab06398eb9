import { chromium, type Browser, type LaunchOptions } from 'playwright-core';
import { chrome } from './browser/chrome.mjs';

/** A browser for end-to-end tests: the one that the component tests use. Variables of `env` come atop of those it needs. */
export async function launchBrowser(options: LaunchOptions = {}): Promise<Browser> {
  const { executablePath, args, env } = await chrome();
  return chromium.launch({ executablePath, args: [...args], ...options, env: { ...env, ...options.env } });
}
