// The built files in an engine of 2022, which has neither `light-dark()` nor `color-mix()`.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { ExampleServerProcess } from '../support/example-server-process.ts';
import { launchOldChromium } from '../support/launch-old-chromium.ts';
import { scan } from './scan-qr.ts';
import {
  chooseMethod,
  closePagesAfterEachTest,
  findHeading,
  placeOrder,
  sbp,
  visit,
  type VisitOptions,
  goodsOf,
} from './visit-page.ts';

const browser = await launchOldChromium();
const shop = typeof browser === 'string' ? undefined : await ExampleServerProcess.start();

describe('Chromium 106', { timeout: 300_000, skip: typeof browser === 'string' && browser }, () => {
  if (typeof browser === 'string' || shop === undefined) return;
  after(() => browser.close());
  closePagesAfterEachTest(browser);
  after(() => shop.stop());

  it('is older than the colour functions that the styles use', async () => {
    const page = await browser.newPage();
    const newColours = ['light-dark(red, red)', 'color-mix(in srgb, red, red)'];
    assert.deepEqual(
      await page.evaluate((colours) => colours.map((colour) => CSS.supports('color', colour)), newColours),
      [false, false],
    );
  });

  const userAgent = 'Mozilla/5.0 (Linux; Android 12; K) AppleWebKit/537.36 Chrome/106.0.0.0 Mobile Safari/537.36';
  const phoneOptions: VisitOptions = { viewport: { width: 360, height: 740 }, hasTouch: true, userAgent };
  for (const { device, options } of [
    { device: 'a desktop', options: {} },
    { device: 'a phone', options: phoneOptions },
  ])
    it(`shows the options, a readable QR and the requisites, and then that the order is paid, on ${device}`, async () => {
      const { page, widget, browserErrors } = await visit(browser, goodsOf(shop), options);
      await placeOrder(page);
      await chooseMethod(widget, sbp);
      if (options === phoneOptions) await widget.getByText('Show QR code').click();
      const qr = widget.locator('canvas[part=qr]');
      await qr.waitFor();
      const link = await widget.locator('[part=qr-link]').getAttribute('href');
      assert.equal(scan(await qr.screenshot()), link);
      await page.reload(); // The invoice stays the same.
      assert.equal(await widget.locator('[part=qr-link]').getAttribute('href'), link);
      await page.getByRole('button', { name: 'Pay it' }).click();
      await findHeading(widget, 'Payment received').waitFor();
      assert.deepEqual(browserErrors, []);
    });
});
