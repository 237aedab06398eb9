// The first page of the demo: the payment of an order that is ready, and three things to try with it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findHeading, shopAndBrowser, visit } from './visit-page.ts';

const { shop, browser } = await shopAndBrowser();
const desktop = { viewport: { width: 1280, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describe('the first page of the demo', { timeout: 300_000 }, () => {
  for (const [device, options] of [
    ['a desktop', desktop],
    ['a phone', phone],
  ] as const)
    it(`shows an invoice to pay and three things to try without a press, on ${device}`, async () => {
      const { page, widget, browserErrors } = await visit(browser, shop.url, options);
      await widget.getByRole('timer').waitFor();
      assert.equal(await page.locator('#developer').getAttribute('open'), null);
      const buttons = page.getByRole('region', { name: 'Three things to try' }).locator('#things button');
      assert.deepEqual(await buttons.allTextContents(), ['Pay it', 'Let it expire', 'Cut the connection']);
      await page.locator('#things button[aria-disabled=true]').waitFor({ state: 'detached' });
      for (const button of await buttons.all()) {
        const box = await button.boundingBox();
        assert.ok(box && box.y + box.height <= options.viewport.height, 'each of them is in view');
        assert.ok(box.height >= 44);
      }
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
      assert.deepEqual(browserErrors, []);
    });

  it('does what each of the three buttons says, and begins again', async () => {
    const { page, widget } = await visit(browser, shop.url);
    const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
    const newOrder = page.getByRole('button', { name: 'New order' });
    await widget.getByRole('timer').waitFor();
    await press('Cut the connection');
    const status = widget.getByText('The connection was lost').first();
    await status.waitFor();
    const { y = Infinity, height = 0 } = (await status.boundingBox()) ?? {};
    assert.ok(y + height <= (page.viewportSize()?.height ?? 0), 'what the button does is in view');
    await status.waitFor({ state: 'detached' });
    assert.equal(await newOrder.isVisible(), false);
    await press('Let it expire');
    await findHeading(widget, 'Payment time has run out').waitFor();
    await newOrder.press('Enter');
    await widget.getByRole('timer').waitFor();
    await press('Pay it');
    await findHeading(widget, 'Payment received').waitFor();
    await page.getByText('this order is paid').waitFor();
  });

  it('keeps its order after a reload, and leads to the shop', async () => {
    const { page, widget } = await visit(browser, shop.url);
    await widget.getByRole('timer').waitFor();
    const address = page.url();
    await page.reload();
    await widget.getByRole('timer').waitFor();
    assert.equal(page.url(), address);
    await page.getByRole('button', { name: 'Back to the shop' }).click();
    await page.getByRole('button', { name: 'Add: Tea bowl' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Add: Tea bowl' }).waitFor();
  });
});
