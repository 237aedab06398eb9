import { chromium, type Browser, type LaunchOptions } from 'playwright-core';
import { chrome } from './browser/chrome.mjs';

/** Launches the Chromium that the component tests use. `env` is added to the variables that the browser needs. */
export async function launchChromium(options: LaunchOptions = {}): Promise<Browser> {
  const { executablePath, args, env } = await chrome();
  return chromium.launch({ executablePath, args: [...args], ...options, env: { ...env, ...options.env } });
}
