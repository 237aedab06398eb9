import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shopAndBrowser } from './shop-and-browser.ts';
import { confirmAndClose, findCopyButton, findHeading, sbp, valueOf, visit } from './visit-page.ts';

const { shop, browser } = await shopAndBrowser();

/** A slow mobile connection: 400 kbit/s with round trips of 400 ms, as the network panel of Chrome calls "3G". */
const slowNetwork = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };

describe('a payer on a phone with a slow connection', { timeout: 300_000 }, () => {
  it('orders, chooses a method, copies the number, pays in another tab and finds the order paid, by taps only', async () => {
    const phoneOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const { context, page, widget, browserErrors } = await visit(browser, 'about:blank', phoneOptions);
    context.setDefaultTimeout(45_000);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', slowNetwork);

    await page.goto(shop.url);
    await page.getByRole('button', { name: 'Add: Tea bowl' }).tap();
    await page.getByRole('button', { name: 'View your order (1)' }).tap();
    await page.getByRole('button', { name: 'Place the order' }).tap();
    await widget.getByRole('radio', { name: sbp }).tap();
    await widget.getByRole('button', { name: 'Continue', exact: true }).tap();

    const phoneNumber = await valueOf(widget, 'Phone number');
    await findCopyButton(widget, 'Phone number').tap();
    await widget.getByText('Copied').first().waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), phoneNumber);

    // The bank's page covers the shop's page, as a bank's app does. Then the payer returns.
    const address = await widget.getByRole('link', { name: 'Open your bank’s app' }).getAttribute('href');
    const bank = await context.newPage();
    await bank.goto(address ?? '');
    await confirmAndClose(bank, (payButton) => payButton.tap());
    await page.bringToFront();
    await findHeading(widget, 'Paid').waitFor();
    await page.getByRole('heading', { name: 'Thank you for your order' }).waitFor();
    assert.deepEqual(browserErrors, []);
    await context.close();
  });
});
