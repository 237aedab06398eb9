import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { states } from '../../demo/gallery-states.ts';
import { stateTitle } from '../../demo/gallery-titles.ts';
import { findHeading, shopAndBrowser, visit } from './visit-page.ts';

const { shop, browser } = await shopAndBrowser();

const groups = [
  'Choosing',
  'Filling in the amount',
  'Asking for an invoice',
  'Waiting for the money',
  'Trouble on the way',
  'Paid',
  'Not paid',
  'Hostile data',
];

describe('the gallery', { timeout: 300_000 }, () => {
  it('is a wall with a picture of every state in groups, where a tile opens the state and the way back leads to the tile', async () => {
    const { page, widget, browserErrors } = await visit(browser, `${shop.url}/demo/gallery.html`);
    assert.deepEqual(await page.locator('#wall > section > h2').allTextContents(), groups);
    const titles = Object.keys(states).map((name) => stateTitle(name, 'en'));
    assert.deepEqual(await page.locator('#wall li > a').allTextContents(), titles);
    for (const tile of await page.locator('#wall .picture').all()) {
      await tile.scrollIntoViewIfNeeded();
      await tile.locator('.still').waitFor();
    }
    // The last has a page's clock that was moved, which moves nothing in the others.
    for (const [state, shown] of [
      ['paid', 'Payment received'],
      ['copied', 'Copied'],
      ['qr', '14:3'],
      ['long', 'Your bank may be checking it'],
    ] as const)
      assert.ok((await page.locator(`[data-state=${state}] .still`).getByText(shown).count()) > 0, state);
    assert.equal(await page.locator('#wall pay-invoice').count(), 0, 'nothing goes on in a picture');

    await page.getByRole('link', { name: 'Closed by the shop' }).press('Enter');
    await findHeading(widget, 'This payment is closed').waitFor();
    await page.locator('#back a:focus').press('Enter');
    await page.locator('#wall a:focus').waitFor();
    assert.equal(await page.locator('#wall a:focus').textContent(), 'Closed by the shop');
    await page.getByRole('link', { name: 'Русский' }).click();
    await page.locator('#wall').getByText('Оплачено', { exact: true }).first().waitFor();
    assert.deepEqual(browserErrors, []);
  });

  it('has a link to each state, in each theme and language, and marks the open state, theme and language', async () => {
    const { page, widget, browserErrors } = await visit(browser, `${shop.url}/demo/gallery.html#state=options`);
    const titles = Object.keys(states).map((name) => stateTitle(name, 'en'));
    assert.deepEqual(await page.locator('#states a').allTextContents(), titles);
    const readGroups = (selector: string): Promise<string[]> => page.locator(selector).allTextContents();
    assert.deepEqual(await readGroups('#states h2'), groups);
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
    const { page, widget } = await visit(browser, `${shop.url}/demo/gallery.html#state=options`, phone);
    await widget.getByRole('radio').first().waitFor();
    assert.ok(((await widget.boundingBox())?.y ?? Infinity) < 844 / 2, 'the widget begins in the upper half');
    assert.equal(await page.locator('#states').isVisible(), false);
    await page.getByLabel('State of the widget').selectOption({ label: 'Expired' });
    await findHeading(widget, 'Payment time has run out').waitFor();
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
  });
});
