// Who comes back from his bank's app sees at once whether he has paid, and can ask: in every state that waits for money, on a
// phone and on a desktop, without scrolling.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { states } from '../../demo/gallery-states.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { openForFile } from '../support/open-for-file.ts';
import { GalleryPage, serveGalleryPage } from '../visual/gallery-page.ts';

const browser = await openForFile(launchChromium());
const server = await openForFile(serveGalleryPage());

/** Where the status and its check are, in pixels below the window's upper edge; undefined on a screen without them. */
const readPlaces = ({ page }: GalleryPage): Promise<readonly { top: number; bottom: number }[] | undefined> =>
  page.locator('pay-invoice').evaluate(({ shadowRoot }) => {
    const parts = [...(shadowRoot?.querySelectorAll('.status, .bar button') ?? [])];
    return parts[0] && parts.map((part) => part.getBoundingClientRect()).map(({ top, bottom }) => ({ top, bottom }));
  });

describe('the status of a payment', { timeout: 300_000 }, () => {
  for (const { width, height, isTouch } of [
    { width: 390, height: 664, isTouch: true },
    { width: 1280, height: 900, isTouch: false },
  ])
    it(`is in view with its check at ${width} × ${height} px in every waiting state`, async () => {
      const gallery = await GalleryPage.open(browser, server.url, { width, isTouch });
      await gallery.page.setViewportSize({ width, height });
      const [seen, unseen]: [string[], string[]] = [[], []];
      // Who has opened the QR code on a phone has it instead.
      for (const state of Object.keys(states).filter((name) => name !== 'qr-picture')) {
        await gallery.show(state, 'light', 'ru');
        const places = await readPlaces(gallery);
        if (!places) continue;
        const isSeen = places.length === 2 && places.every(({ top, bottom }) => top >= 0 && bottom <= height);
        (isSeen ? seen : unseen).push(state);
      }
      assert.deepEqual(unseen, []);
      assert.ok(seen.length > 10, seen.join());
      await gallery.close();
    });

  it('covers nothing in a low window, and no QR code that another device scans', async () => {
    const gallery = await GalleryPage.open(browser, server.url, { width: 390, isTouch: true });
    const { page } = gallery;
    const isCovering = async (): Promise<boolean> => {
      const [{ bottom } = { bottom: NaN }] = (await readPlaces(gallery)) ?? [];
      return bottom <= (page.viewportSize()?.height ?? NaN);
    };
    await page.setViewportSize({ width: 390, height: 664 });
    await gallery.show('transfer', 'light', 'ru');
    assert.equal(await isCovering(), true);
    await page.setViewportSize({ width: 390, height: 360 });
    assert.equal(await isCovering(), false);
    await page.setViewportSize({ width: 390, height: 664 });
    await gallery.show('qr-sbp', 'light', 'ru');
    assert.equal(await isCovering(), true);
    await page.locator('pay-invoice .fold summary').click();
    assert.equal(await isCovering(), false);
    await gallery.close();
  });
});
