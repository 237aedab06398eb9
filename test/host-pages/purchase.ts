import assert from 'node:assert/strict';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { scan } from '../e2e/scan-qr.ts';
import { payAddress, type HostSite } from './host-site.ts';
import type { HostPageRow } from './host-pages.ts';

/** The smallest text and the smallest target of the widget, in CSS pixels. It runs in the page. */
function measure(widget: Element): { readonly text: number; readonly target: number } {
  const all = [...(widget.shadowRoot?.querySelectorAll<HTMLElement>('[part=base] *:not(.sr, svg *)') ?? [])];
  const texts = all.filter((one) =>
    [...one.childNodes].some((node) => node instanceof Text && node.data.trim() !== ''),
  );
  const targets = all.filter((one) => one.matches('a, button, label, summary') && one.offsetHeight > 0);
  return {
    text: Math.min(...texts.map((one) => parseFloat(getComputedStyle(one).fontSize))),
    target: Math.min(...targets.map((one) => one.offsetHeight)),
  };
}

/** Pays on the page as a payer does, and checks that the widget can be read, pressed and scanned, and that the page hears of it. */
export async function buyOn(row: HostPageRow, browser: Browser, site: HostSite): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1300 }, locale: 'en-GB' });
  const errors: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  const inner = row.isFramed ? site.addPage({ body: '{widget}' }) : site.addPage(row);
  await page.goto(row.isFramed ? site.addPage({ body: row.body.replace('<iframe', `<iframe src="${inner}"`) }) : inner);
  const place: Page | FrameLocator = row.isFramed ? page.frameLocator('iframe') : page;
  const widget = place.locator('pay-invoice');

  await widget.getByRole('radio').nth(1).check();
  await widget.locator('[part=continue]').click();
  const qr = widget.getByRole('img', { name: 'QR code to pay' });
  await qr.waitFor();
  const { width = 0 } = (await widget.locator('[part=base]').boundingBox()) ?? {};
  assert.ok(width >= 279 && width <= 1280, `${width} px wide`);
  const { text, target } = await widget.evaluate(measure);
  assert.ok(text >= 14 && target >= 44, `text of ${text} px, a target of ${target} px`);
  assert.equal(scan(await page.screenshot({ fullPage: true })), payAddress);

  await row.whileWaiting?.(page);
  await qr.waitFor();
  site.pay(inner);
  await place.getByRole('heading', { name: 'Payment received', exact: true }).waitFor();
  const attributes = await widget.evaluate((element) =>
    ['role', 'aria-label', 'status'].map((name) => element.getAttribute(name)),
  );
  assert.deepEqual(attributes, ['region', 'Payment', 'paid']);
  const heard = row.isFramed ? true : await page.evaluate('globalThis.heardPaid === true');
  assert.ok(heard, 'the page has not heard of the payment');
  assert.deepEqual(errors, []);
}
