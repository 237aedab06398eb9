// Purchases on pages that are not made for the widget. `npm ci` in this folder, and two packages of Debian, bring the scripts.
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { closePagesAfterEachTest } from '../e2e/visit-page.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { openForFile } from '../support/open-for-file.ts';
import { hostPages } from './host-pages.ts';
import { startHostSite } from './host-site.ts';
import { buyOn } from './purchase.ts';

const site = await openForFile(startHostSite());
const browser = await openForFile(launchChromium());
closePagesAfterEachTest(browser);

describe('a payer buys', { timeout: 600_000 }, () => {
  for (const row of hostPages.filter(({ isQuick }) => !isQuick)) {
    const isMissing = row.needs !== undefined && !existsSync(row.needs);
    it(`on a page with ${row.name}`, { skip: isMissing ? `NOT INSTALLED: ${row.needs ?? ''}` : false }, () =>
      buyOn(row, browser, site),
    );
  }
});
