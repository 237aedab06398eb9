import { after, before, describe } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../support/launch-browser.ts';
import { RunningShop } from '../support/running-shop.ts';
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

describe('the developer’s panel of the shop', { timeout: 240_000 }, () => panelRules(() => visit(browser, shop.url)));
