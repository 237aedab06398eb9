import { describe } from 'node:test';
import { until } from '../support/wait-until.ts';
import { panelRules } from './developer-panel.ts';
import { shopAndBrowser } from './shop-and-browser.ts';
import { visit } from './visit.ts';

const { shop, browser } = await shopAndBrowser();

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
