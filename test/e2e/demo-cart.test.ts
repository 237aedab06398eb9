import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shopAndBrowser, visit, goodsOf } from './visit-page.ts';

const { shop, browser } = await shopAndBrowser();

describe('the cart of the demo', { timeout: 120_000 }, () => {
  for (const width of [320, 390, 1280])
    it(`has no name that runs into a button, in a window of ${width} px`, async () => {
      const { page } = await visit(browser, goodsOf(shop), { locale: 'ru-RU', viewport: { width, height: 844 } });
      await page.locator('.product').first().waitFor();
      for (const add of await page.locator('.product button').all()) await add.click();
      const lines = await page.locator('#lines li').evaluateAll((items) =>
        items.map((item) => {
          const range = document.createRange();
          range.selectNodeContents(item.children[0] ?? item);
          const [name, buttons] = [range.getBoundingClientRect(), item.children[1]?.getBoundingClientRect()];
          const isApart = buttons !== undefined && (name.right <= buttons.left || name.bottom <= buttons.top);
          return `${item.children[0]?.textContent ?? ''}: ${isApart ? 'apart' : 'runs into the button'}`;
        }),
      );
      assert.ok(lines.length > 3);
      assert.deepEqual(
        lines.filter((line) => !line.endsWith(': apart')),
        [],
      );
    });
});
