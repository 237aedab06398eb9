// Compares, screen by screen, the style rules of the widget that ships with those of its source: the files in dist/cdn are made
// by several build steps, and each of them could lose a rule.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { states } from '../../demo/gallery-states.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { GalleryPage, serveGalleryPage } from '../visual/gallery-page.ts';
import { openForFile } from '../support/open-for-file.ts';

const device = { width: 390, isTouch: true };

const browser = await openForFile(launchChromium());
const server = await openForFile(serveGalleryPage());
const built = await GalleryPage.open(browser, server.url, device);
const source = await GalleryPage.open(browser, `${server.url}?source`, device);
// From here on all files of the source are loaded too.
await source.show('paid', 'light', 'ru');
await source.page.locator('pay-invoice [part=outcome]').waitFor();

/**
 * The rules of the style sheets that the widget on the page adopts, as the browser has parsed them. It keeps the white space in the
 * value of a custom property; that after a comma means nothing.
 */
const adoptedRules = ({ page }: GalleryPage): Promise<string[]> =>
  page
    .locator('pay-invoice')
    .evaluate(({ shadowRoot }) =>
      (shadowRoot?.adoptedStyleSheets ?? []).flatMap(({ cssRules }) =>
        [...cssRules].map(({ cssText }) => cssText.replaceAll(', ', ',').replaceAll(/(?<![\d.])0(?=\.)/g, '')),
      ),
    );

describe('the built widget', { timeout: 300_000 }, () => {
  for (const name of Object.keys(states))
    it(`adopts the style rules of its source on the screen "${name}"`, async () => {
      await Promise.all([built, source].map((gallery) => gallery.show(name, 'light', 'ru')));
      const rules = await adoptedRules(source);
      assert.ok(rules.length > 20, `${rules.length} rules`);
      const builtRules = await adoptedRules(built);
      const missing = rules.filter((rule) => !builtRules.includes(rule));
      const added = builtRules.filter((rule) => !rules.includes(rule));
      assert.deepEqual({ missing, added }, { missing: [], added: [] });
      assert.deepEqual(builtRules, rules, 'in another order');
    });
});
