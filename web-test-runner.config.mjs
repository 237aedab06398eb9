// Component tests, through Vite, so that tests see the same modules as a build does: in Chromium, or in those engines
// that WTR_BROWSERS names (all three: `npm run test:browsers`). It goes without one that is not installed, and says so.
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { chromeLauncher, defaultReporter } from '@web/test-runner';
import puppeteer from 'puppeteer-core';
import { chrome } from './test/support/browser/chrome.mjs';
import { firefox, firefoxPage } from './test/support/browser/firefox.mjs';
import { miniBrowser } from './test/support/browser/webkit-driver.mjs';
import { webkitLauncher } from './test/support/browser/webkit.mjs';
import { viewport } from './test/support/browser/viewport.mjs';
import { viteForWtr } from './test/support/browser/wtr-vite.mjs';

/** Each gives a launcher, or undefined where the engine is not installed. */
const engines = {
  chromium: async () => chromeLauncher({ launchOptions: await chrome() }),
  firefox() {
    const executablePath = firefox();
    if (executablePath === undefined) return undefined;
    const launchOptions = { browser: 'firefox', executablePath, headless: true, defaultViewport: null };
    return chromeLauncher({ puppeteer, launchOptions, createPage: firefoxPage });
  },
  webkit: () => (miniBrowser() === undefined ? undefined : webkitLauncher()),
};

/** Debian's packages of what is missing. */
const packages = { firefox: 'firefox-esr', webkit: 'webkit2gtk-driver xvfb' };

async function launcherOf(name) {
  if (!(name in engines)) throw new Error(`WTR_BROWSERS: no engine is called ${name}`);
  return { name, launcher: await engines[name]() };
}

const names = (process.env.WTR_BROWSERS ?? 'chromium').split(',');
const found = await Promise.all(names.map(launcherOf));
const browsers = found.map(({ launcher }) => launcher).filter((launcher) => launcher !== undefined);

function warnOfMissingEngines() {
  for (const { name, launcher } of found)
    if (launcher === undefined)
      console.warn(`\nNOT TESTED IN ${name.toUpperCase()}: it is not installed (apt-get install ${packages[name]})\n`);
}

const testsIn = ({ tests, suites }) => [...tests, ...suites.flatMap(testsIn)];

/**
 * Prints the files that failed, the numbers of passed and failed tests, and which engines were not tested. The runner prints
 * each failure itself, but the name of its file stands before all that the browser logged.
 */
const counts = {
  onTestRunFinished({ sessions }) {
    const results = sessions.flatMap(({ testResults }) => (testResults ? testsIn(testResults) : []));
    for (const { passed, testFile } of sessions) if (!passed) console.log(`❌ in ${relative('', testFile)}`);
    const countTests = (isCounted) => results.filter((result) => !result.skipped && isCounted(result)).length;
    console.log(
      `${countTests(({ passed }) => passed)} tests passed, ${countTests(({ passed }) => !passed)} failed in ` +
        `${new Set(sessions.map(({ testFile }) => testFile)).size} files`,
    );
    warnOfMissingEngines();
  },
};
warnOfMissingEngines();
if (browsers.length === 0) process.exit(0);

/** Fails the first request for each file of /fails-once/, and gives a module to the others. */
const requested = new Set();
function failsOnce(context, next) {
  if (!context.path.startsWith('/fails-once/')) return next();
  context.status = requested.has(context.path) ? 200 : 503;
  requested.add(context.path);
  context.type = 'text/javascript';
  context.body = 'export const value = 1;';
}

/** Sends the built files as they are, and not as Vite changes modules. */
async function sendsBuiltFiles(context, next) {
  if (!/^\/dist\/cdn\/[\w.-]+\.js$/.test(context.path)) return next();
  context.type = 'text/javascript';
  context.body = await readFile(`.${context.path}`);
}

const vite = await viteForWtr();

export default {
  files: ['test/view/**/*.test.ts'],
  // With two at once an accessibility check runs out of time now and then.
  concurrency: 1,
  concurrentBrowsers: 1,
  // A busy machine may take its time; what never comes fails all the same.
  testFramework: { config: { timeout: 60_000 } },
  testsFinishTimeout: 600_000,
  middleware: [failsOnce, sendsBuiltFiles, vite.middleware],
  plugins: [vite.plugin, viewport],
  browsers,
  // A reader of the output wants the failures, and not each of the tests that passed.
  reporters: [defaultReporter({ reportTestResults: true, reportTestProgress: false }), counts],
  filterBrowserLogs: ({ args }) => !args.some((arg) => typeof arg === 'string' && arg.includes('Lit is in dev mode')),
};
