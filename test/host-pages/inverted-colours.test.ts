// The QR on a device that inverts colours, as "Invert colours" of macOS and iOS does. Firefox tells the page so by a setting.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PNG } from 'pngjs';
import { scan } from '../e2e/scan-qr.ts';
import { Buyer } from '../support/buyer.ts';
import { firefoxAndWebKitLaunchers, type BrowserTab } from '../support/firefox-and-webkit.ts';
import { openForFile } from '../support/open-for-file.ts';
import { startStandalone } from '../support/start-standalone.ts';
import { payAddress, startHostSite } from './host-site.ts';
import { continueButton, waitForValue, widgetPart } from './widget-in-tab.ts';

/** What the payer sees of a picture: the device exchanges light and dark after the browser has drawn the page. */
function asDeviceShows(picture: Buffer): Buffer {
  const png = PNG.sync.read(picture);
  png.data = Buffer.from(png.data.map((value, index) => (index % 4 === 3 ? value : 255 - value)));
  return PNG.sync.write(png);
}

const inverting = { 'layout.css.inverted-colors.enabled': true, 'ui.invertedColors': 1 };
const { Firefox: launch } = firefoxAndWebKitLaunchers(inverting);
const { Firefox: launchWithoutScript } = firefoxAndWebKitLaunchers({ ...inverting, 'javascript.enabled': false });

async function withTab(open: (() => Promise<BrowserTab>) | undefined, use: (tab: BrowserTab) => Promise<void>) {
  assert.ok(open);
  const tab = await open();
  try {
    await use(tab);
  } finally {
    await tab.close();
  }
}

describe('a device that inverts colours', { skip: launch ? false : 'NOT INSTALLED: Firefox', timeout: 120_000 }, () => {
  it('shows the QR of the widget dark on light', async () => {
    const site = await openForFile(startHostSite());
    await withTab(launch, async (tab) => {
      await tab.resize(1000, 1200);
      await tab.goto(site.addPage({ body: '{widget}' }));
      await waitForValue(tab, continueButton);
      await tab.click(continueButton);
      await waitForValue(tab, `${widgetPart('qr')} && ${widgetPart('requisites')}`);
      assert.equal(scan(asDeviceShows(await tab.screenshot())), payAddress);
    });
  });

  it('shows the QR of the pay page without script dark on light', async () => {
    const server = await openForFile(startStandalone());
    const buyer = new Buyer({ url: server.url, sandbox: null });
    await buyer.order();
    await buyer.createInvoice();
    const { invoice } = await buyer.readCheckout();
    await withTab(launchWithoutScript, async (tab) => {
      await tab.goto(`${server.url}/pay/${buyer.checkoutId}`);
      assert.equal(scan(asDeviceShows(await tab.screenshot())), invoice?.nspk_url);
    });
  });
});
