// Component tests: in Chromium, through Vite, so that tests see the same modules as a build does. WTR_BROWSERS=chromium,firefox chooses.
import { chromeLauncher, defaultReporter, summaryReporter } from '@web/test-runner';
import puppeteer from 'puppeteer-core';
import { chrome } from './test/support/browser/chrome.mjs';
import { mediaFeatures } from './test/support/browser/media-features.mjs';
import { viteForWtr } from './test/support/browser/wtr-vite.mjs';

const vite = await viteForWtr();

const launchers = {
  chromium: async () => chromeLauncher({ launchOptions: await chrome() }),
  firefox: () => {
    const executablePath = process.env.FIREFOX_PATH ?? '/usr/bin/firefox-esr';
    return chromeLauncher({ puppeteer, launchOptions: { browser: 'firefox', executablePath, headless: true } });
  },
};
const names = (process.env.WTR_BROWSERS ?? 'chromium').split(',');

export default {
  files: ['test/view/**/*.test.ts'],
  // With two at once an accessibility check runs out of time now and then.
  concurrency: 1,
  concurrentBrowsers: 1,
  testFramework: { config: { timeout: 10_000 } },
  middleware: [vite.middleware],
  plugins: [vite.plugin, mediaFeatures],
  browsers: await Promise.all(names.map((name) => launchers[name]())),
  reporters: [summaryReporter(), defaultReporter({ reportTestResults: true, reportTestProgress: false })],
  filterBrowserLogs: ({ args }) => !args.some((arg) => typeof arg === 'string' && arg.includes('Lit is in dev mode')),
};
