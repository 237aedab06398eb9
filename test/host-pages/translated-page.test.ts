// A purchase on a page that the browser translates. Browsers put elements of their own in the place of each text that they translate.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { card, sbp, transfer } from '../../demo/gallery-checkouts.ts';
import { closePagesAfterEachTest } from '../e2e/visit-page.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { openForFile } from '../support/open-for-file.ts';
import { startHostSite } from './host-site.ts';

const site = await openForFile(startHostSite());
const browser = await openForFile(launchChromium());
closePagesAfterEachTest(browser);

/** Does to the page, and to the widget in it, what a translator does, again after each change. It runs in the page. */
function translate(): void {
  const watch = (root: Document | ShadowRoot): void => {
    const rewrite = (): void => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const texts: Text[] = [];
      while (walker.nextNode()) if (walker.currentNode instanceof Text) texts.push(walker.currentNode);
      for (const text of texts) {
        const parent = text.parentElement;
        if (!parent?.translate || parent.matches('font, style, script') || text.data.trim() === '') continue;
        const font = document.createElementNS('http://www.w3.org/1999/xhtml', 'font');
        font.textContent = `\u00ab${text.data.toUpperCase()}\u00bb`;
        text.replaceWith(font);
      }
    };
    rewrite();
    new MutationObserver(rewrite).observe(root, { subtree: true, childList: true, characterData: true });
  };
  void customElements.whenDefined('pay-invoice').then(() => {
    watch(document);
    const { shadowRoot } = document.querySelector('pay-invoice') ?? {};
    if (shadowRoot) watch(shadowRoot);
  });
}

const head = `<script>addEventListener('load', ${String(translate).replaceAll('</', '<\\/')})</script>`;

/** The texts of the widget without spaces: those that stay as they are, and those that are translated, but for what is only read aloud. */
const readTexts = (page: Page): Promise<{ readonly kept: string; readonly translated: string }> =>
  page.locator('pay-invoice').evaluate(({ shadowRoot }) => {
    const textOf = (selector: string): string =>
      [...(shadowRoot?.querySelectorAll(selector) ?? [])].map(({ textContent }) => textContent).join('\n');
    const withoutSpaces = (text: string): string => text.replaceAll(/[\s\u00a0\u202f]/g, '');
    return { kept: withoutSpaces(textOf('[translate=no]')), translated: withoutSpaces(textOf('font:not(.sr *)')) };
  });

describe('what is copied or compared stays as it is on a page that is translated', { timeout: 120_000 }, () => {
  for (const [name, payTo] of Object.entries({ sbp, card, transfer }))
    it(`from the choice to the receipt: ${name}`, async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 1300 }, locale: 'en-GB' });
      const url = site.addPage({ head, body: '{widget}', payTo });
      await page.goto(url);
      await page.locator('[part=continue] font').waitFor();
      assert.match((await readTexts(page)).kept, /1,500/);
      await page.locator('[part=continue]').click();
      await page.locator('[part=value]').first().waitFor();
      await page.locator('h2 font').first().waitFor();
      const { kept, translated } = await readTexts(page);
      const values = Object.values<Readonly<Record<string, string>>>(payTo).flatMap((members) =>
        Object.entries(members),
      );
      for (const [member, value] of values.filter(([member]) => member !== 'id' && member !== 'code')) {
        const text = value.replaceAll(/[\s+]/g, '');
        assert.ok(kept.includes(text), `${member} in ${kept}`);
        assert.ok(!translated.includes(text.toUpperCase()), `${member} in ${translated}`);
      }
      assert.match(kept, /1,500/);
      assert.doesNotMatch(translated, /1,500/);
      site.pay(url);
      await page.locator('pay-invoice[status=paid]').waitFor();
      await page.getByRole('heading', { name: '\u00abPAYMENT RECEIVED\u00bb' }).waitFor();
      assert.match((await readTexts(page)).kept, /1,500/);
    });
});
