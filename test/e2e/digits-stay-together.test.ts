// Text at 100 to 400 % on a phone: no line ends inside a number, a time, a date in figures or an amount with its currency, because a
// payer who reads half of a number enters half of it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { launchChromium } from '../support/launch-chromium.ts';
import { openForFile } from '../support/open-for-file.ts';
import { GalleryPage, serveGalleryPage } from '../visual/gallery-page.ts';

const browser = await openForFile(launchChromium());
const server = await openForFile(serveGalleryPage());

/** The numbers that are drawn on more than one line, each with the text around it. Runs in the page. */
function findBrokenNumbers(widget: Element): string[] {
  const root = widget.shadowRoot ?? widget;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const broken: string[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    // What is only heard has no lines.
    if (node.parentElement?.closest('.sr, style') || !node.parentElement?.checkVisibility()) continue;
    const text = node.nodeValue ?? '';
    for (const { 0: number, index } of text.matchAll(/\+?\d(?:[\d.,:]*\d)?(?:\s?[₽₸%])?/gu)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + number.length);
      const lines = new Set(
        [...range.getClientRects()].filter(({ width }) => width > 0).map(({ bottom }) => Math.round(bottom)),
      );
      if (lines.size > 1) broken.push(`${number} in “${text.trim()}”`);
    }
  }
  return broken;
}

const states = [
  'options',
  'amount',
  'test',
  'sbp',
  'card',
  'transfer',
  'qr',
  'qr-sbp',
  'qr-transfer',
  'days',
  'paid',
  'checking',
  'expired-confirm',
];

describe('the numbers of a widget on a phone', { timeout: 300_000 }, () => {
  for (const width of [320, 390])
    it(`are each on one line with a text of 100 to 400 % at ${width} px`, async () => {
      const gallery = await GalleryPage.open(browser, server.url, { width, isTouch: true });
      const widget = gallery.page.locator('pay-invoice');
      const broken: string[] = [];
      for (const state of states)
        for (const lang of ['ru', 'en']) {
          await gallery.show(state, 'light', lang);
          for (const percent of [100, 150, 200, 250, 300, 400]) {
            await widget.evaluate(
              (element, size) => {
                if (element instanceof HTMLElement) element.style.setProperty('--pay-invoice-font-size', size);
              },
              `${percent * 0.16}px`,
            );
            const numbers = await widget.evaluate(findBrokenNumbers);
            broken.push(...numbers.map((number) => `${state} ${lang} ${percent} %: ${number}`));
          }
        }
      assert.deepEqual(broken, []);
      await gallery.close();
    });
});
