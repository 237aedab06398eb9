import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { states } from '../../demo/gallery-states.ts';
import { stateTitle } from '../../demo/gallery-titles.ts';
import { findHeading, shopAndBrowser, visit } from './visit-page.ts';

const { shop, browser } = await shopAndBrowser();

describe('the gallery', { timeout: 300_000 }, () => {
  it('has a link to each state, in each theme and language, and marks the open state, theme and language', async () => {
    const { page, widget, browserErrors } = await visit(browser, `${shop.url}/demo/gallery.html`);
    const titles = Object.keys(states).map((name) => stateTitle(name, 'en'));
    assert.deepEqual(await page.locator('#states a').allTextContents(), titles);
    const readGroups = (selector: string): Promise<string[]> => page.locator(selector).allTextContents();
    assert.deepEqual(await readGroups('#states h2'), [
      'Choosing',
      'Asking for an invoice',
      'Waiting for the money',
      'Trouble on the way',
      'The end',
      'Hostile data',
    ]);
    const clickLink = (name: string): Promise<void> => page.getByRole('link', { name, exact: true }).click();
    const readMarkedLinks = (): Promise<string[]> => page.locator('main a[aria-current]').allTextContents();

    assert.deepEqual(
      await readMarkedLinks(),
      ['Options', 'Light', 'English', '100%'],
      'in the language of the browser',
    );
    await clickLink('Paid late');
    await findHeading(widget, 'Payment received').waitFor();
    await clickLink('Dark');
    // The state before has the same heading.
    await page.locator('main a[aria-current]', { hasText: 'Dark' }).waitFor();
    assert.deepEqual(await readMarkedLinks(), ['Paid late', 'Dark', 'English', '100%']);
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
    await clickLink('Expired');
    await findHeading(widget, 'Payment time has run out').waitFor();
    await clickLink('Русский');
    await findHeading(widget, 'Время на оплату вышло').waitFor();
    assert.deepEqual(await readMarkedLinks(), ['Срок истёк', 'Тёмная', 'Русский', '100%']);

    const home = await page.locator('.brand').evaluate((link: HTMLAnchorElement) => link.href);
    assert.equal(home, `${shop.url}/`);

    const secondVisit = await visit(browser, page.url());
    await findHeading(secondVisit.widget, 'Время на оплату вышло').waitFor();
    assert.deepEqual([...browserErrors, ...secondVisit.browserErrors], []);
  });

  it('begins on a phone with the widget, and has a select for the widget’s state', async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const { page, widget } = await visit(browser, `${shop.url}/demo/gallery.html`, phone);
    await widget.getByRole('radio').first().waitFor();
    assert.ok(((await widget.boundingBox())?.y ?? Infinity) < 844 / 2, 'the widget begins in the upper half');
    assert.equal(await page.locator('#states').isVisible(), false);
    await page.getByLabel('State of the widget').selectOption({ label: 'Expired' });
    await findHeading(widget, 'Payment time has run out').waitFor();
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
  });
});
