// The kinds of pages that are not made for the widget, in `npm test`. All of them: host-pages.test.ts.
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
  for (const row of hostPages.filter(({ isQuick }) => isQuick))
    it(`on a page with ${row.name}`, () => buyOn(row, browser, site));
});
