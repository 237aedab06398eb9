import { after, before, describe } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../support/launch-browser.ts';
import { RunningShop } from '../support/running-shop.ts';
import { until } from '../server-example/until.ts';
import { panelRules } from './developer-panel.ts';
import { visit } from './visit.ts';

let shop: RunningShop;
let browser: Browser;

before(async () => {
  [shop, browser] = await Promise.all([RunningShop.start(), launchBrowser()]);
});

after(async () => {
  await browser.close();
  await shop.stop();
});

/** The sandbox counts how often each fault struck. */
async function untilUnknownStatus(): Promise<void> {
  await until('an unknown status was given', async () => {
    const { faults } = (await (await fetch(`${shop.sandbox}/sandbox/faults`)).json()) as {
      faults: readonly { readonly kind: string; readonly fired: number }[];
    };
    return faults.some(({ kind, fired }) => kind === 'unknown_status' && fired > 0);
  });
}

describe('the developer’s panel of the shop', { timeout: 240_000 }, () => {
  panelRules(() => visit(browser, shop.url), untilUnknownStatus);
});
