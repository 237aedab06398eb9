// Purchases in Firefox and WebKit on those pages that are not made for the widget where engines differ.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { firefoxAndWebKitLaunchers, type BrowserTab } from '../support/firefox-and-webkit.ts';
import { openForFile } from '../support/open-for-file.ts';
import { hostPages } from './host-pages.ts';
import { startHostSite } from './host-site.ts';
import { continueButton, readBox, waitForValue, widget, widgetPart } from './widget-in-tab.ts';

/** What the names of these rows contain. */
const differs = /unsets all|zoomed|right to left|top to bottom|dark page|Prototype|MooTools|with a sandbox/;

const site = await openForFile(startHostSite());
const tabs = new Map<string, BrowserTab>();
const launchers = firefoxAndWebKitLaunchers();
for (const [name, launch] of Object.entries(launchers)) if (launch) tabs.set(name, await openForFile(launch()));

for (const name of Object.keys(launchers))
  describe(`a payer buys in ${name}`, { skip: tabs.has(name) ? false : 'NOT INSTALLED', timeout: 300_000 }, () => {
    for (const row of hostPages.filter((one) => differs.test(one.name))) {
      const isMissing = row.needs !== undefined && !existsSync(row.needs);
      it(`on a page with ${row.name}`, { skip: isMissing ? `NOT INSTALLED: ${row.needs ?? ''}` : false }, async () => {
        const tab = tabs.get(name);
        assert.ok(tab);
        const inner = row.isFramed ? site.addPage({ body: '{widget}' }) : site.addPage(row);
        const inside = (expression: string): string =>
          row.isFramed
            ? expression.replace('document.', `document.querySelector('iframe').contentDocument?.`)
            : expression;
        await tab.resize(1280, 1300);
        await tab.goto(
          row.isFramed ? site.addPage({ body: row.body.replace('<iframe', `<iframe src="${inner}"`) }) : inner,
        );
        await waitForValue(tab, inside(continueButton));
        if (!row.isFramed) {
          const { width } = await readBox(tab);
          assert.ok(width >= 279 && width <= 1280 * 1.5, `${width} px wide`);
        }
        // A driver does not click into a frame, and WebKit's finds no place to click at on a zoomed page.
        if (row.isFramed || row.name.includes('zoomed')) await tab.evaluate(`void ${inside(continueButton)}.click()`);
        else await tab.click(continueButton);
        await waitForValue(tab, inside(widgetPart('qr')));
        site.pay(inner);
        await waitForValue(tab, `${inside(widget)}?.getAttribute('status') === 'paid'`);
        if (!row.isFramed) assert.equal(await tab.evaluate('globalThis.heardPaid'), true);
      });
    }
  });
