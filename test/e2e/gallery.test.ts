import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { states } from '../../demo/gallery-states.ts';
import { shopAndBrowser } from './shop-and-browser.ts';
import { heading, visit } from './visit-page.ts';

const { shop, browser } = await shopAndBrowser();

describe('the gallery', { timeout: 120_000 }, () => {
  it('has a link to each state, in each theme and language, and says which is open', async () => {
    const { context, page, widget, complaints } = await visit(browser, `${shop.url}/demo/gallery.html`);
    const titles = Object.values(states).map(({ title }) => title);
    assert.deepEqual(await page.locator('#states a').allTextContents(), titles);
    const follow = (name: string): Promise<void> => page.getByRole('link', { name, exact: true }).click();
    const opened = (): Promise<string[]> => page.locator('a[aria-current]').allTextContents();

    assert.deepEqual(
      await opened(),
      [states['options']?.title, 'light', 'en', '100%'],
      'in the language of the browser',
    );
    await follow('Paid late');
    await follow('dark');
    await heading(widget, 'Paid').waitFor();
    assert.deepEqual(await opened(), ['Paid late', 'dark', 'en', '100%']);
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
    await follow('Expired');
    await heading(widget, 'Time to pay is over').waitFor();
    await follow('ru');
    await heading(widget, 'Время на оплату вышло').waitFor();
    assert.deepEqual(await opened(), ['Expired', 'dark', 'ru', '100%']);

    const home = await page.locator('#home').evaluate((link: HTMLAnchorElement) => link.href);
    assert.equal(home, `${shop.url}/`);

    const shared = await visit(browser, page.url());
    await heading(shared.widget, 'Время на оплату вышло').waitFor();
    assert.deepEqual([...complaints, ...shared.complaints], []);
    await Promise.all([context.close(), shared.context.close()]);
  });
});
