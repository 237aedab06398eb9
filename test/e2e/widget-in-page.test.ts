import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { PNG } from 'pngjs';
import { scan } from './scan-qr.ts';
import {
  card,
  chooseMethod,
  findCopyButton,
  findHeading,
  placeOrder,
  sbp,
  shopAndBrowser,
  visit,
  goodsOf,
} from './visit-page.ts';

const { shop, browser } = await shopAndBrowser();

/** Waits for the QR, and returns the address of the link beside it. */
async function addressOfQr(widget: Locator): Promise<string> {
  await widget.locator('canvas[part=qr]').waitFor();
  return (await widget.locator('[part=qr-link]').getAttribute('href')) ?? '';
}

/** Reads the remaining seconds that the widget shows. */
async function readSecondsLeft(widget: Locator): Promise<number> {
  const [minutes, seconds] = ((await widget.getByRole('timer').textContent()) ?? '').split(':');
  return Number(minutes) * 60 + Number(seconds);
}

describe('the widget in a page', { timeout: 300_000 }, () => {
  it('keeps the QR dark on white in forced colours, and runs no animation where motion is reduced', async () => {
    const { page, widget } = await visit(browser, goodsOf(shop), {
      forcedColors: 'active',
      colorScheme: 'dark',
      reducedMotion: 'reduce',
    });
    await placeOrder(page);
    await chooseMethod(widget, sbp);
    const address = await addressOfQr(widget);
    assert.equal(scan(await widget.screenshot()), address);
    const runningAnimations = await widget.evaluate(({ shadowRoot }) =>
      [...document.getAnimations(), ...(shadowRoot?.getAnimations() ?? [])]
        .filter(({ playState }) => playState === 'running')
        .map((animation) => animation.id || animation.constructor.name),
    );
    assert.deepEqual(runningAnimations, []);
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`shows the remaining time as a bar in forced colours in the ${colorScheme} theme`, async () => {
      const { page, widget } = await visit(browser, goodsOf(shop), { forcedColors: 'active', colorScheme });
      await placeOrder(page);
      await chooseMethod(widget, card);
      const bar = widget.locator('progress');
      await bar.evaluate((progress) => {
        progress.setAttribute('value', '0.5');
        Object.defineProperty(progress, 'value', { set: Boolean }); // So the countdown does not change the value.
      });
      const { width, height, data } = PNG.sync.read(await bar.screenshot());
      const redAt = (part: number, row: number): number => data[(row * width + Math.floor(part * width)) * 4] ?? NaN;
      const middle = Math.floor(height / 2);
      const [filledRed, emptyRed] = [redAt(0.25, middle), redAt(0.75, middle)];
      assert.ok(Math.abs(filledRed - emptyRed) > 200, `${filledRed} where it is filled, ${emptyRed} where it is empty`);
      const column = Array.from({ length: height }, (_, row) => redAt(0.75, row));
      assert.ok(Math.max(...column) - Math.min(...column) > 200, `the empty part has no frame: ${column.join(' ')}`);
    });

  for (const yearsAhead of [10, -10])
    it(`shows the same time left on a device whose clock is ${Math.abs(yearsAhead)} years ${yearsAhead > 0 ? 'fast' : 'slow'}`, async () => {
      const { page, widget } = await visit(browser, goodsOf(shop));
      await placeOrder(page);
      await chooseMethod(widget, card);
      await widget.getByRole('timer').waitFor();
      const shiftedVisit = await visit(browser, page.url(), { yearsAhead });
      const year = await shiftedVisit.page.evaluate(() => new Date().getFullYear());
      assert.ok(Math.abs(year - new Date().getFullYear()) >= 9, `the device shows the year ${year}`);
      await shiftedVisit.widget.getByRole('timer').waitFor();
      const [expectedSeconds, shownSeconds] = await Promise.all([
        readSecondsLeft(widget),
        readSecondsLeft(shiftedVisit.widget),
      ]);
      assert.ok(
        expectedSeconds > 600 && Math.abs(expectedSeconds - shownSeconds) <= 10,
        `${expectedSeconds} s and ${shownSeconds} s`,
      );
    });

  it('prints only the receipt, black on white, also in the dark theme', async () => {
    const { page, widget } = await visit(browser, goodsOf(shop), { colorScheme: 'dark' });
    await placeOrder(page);
    await chooseMethod(widget, card);
    await page.getByRole('button', { name: 'Pay it' }).click();
    await findHeading(widget, 'Payment received').waitFor();
    await page.emulateMedia({ media: 'print' });
    const base = widget.locator('[part=base]');
    const visibleElements = page.locator('button, a, h1, aside, progress').filter({ visible: true });
    assert.deepEqual(await visibleElements.allTextContents(), []);
    assert.match(await base.innerText(), /1,500\.00[^]*Payment received[^]*Order number[^]*Date and time/);
    const shopName = widget.locator('[slot=logo]').filter({ visible: true });
    assert.equal(await shopName.innerText(), 'Leaf & Clay');
    assert.equal(await shopName.evaluate((one) => getComputedStyle(one).color), 'rgb(0, 0, 0)');
    const colours = await widget
      .locator('[part=base], [part=base] *:not(svg, svg *, .sr, slot)')
      .evaluateAll((all) => all.flatMap((one) => (one.checkVisibility() ? [getComputedStyle(one).color] : [])));
    // The badge of a test is brown.
    assert.deepEqual(new Set(colours.filter((colour) => colour !== 'rgb(122, 75, 0)')), new Set(['rgb(0, 0, 0)']));
    assert.equal(await base.evaluate((one) => getComputedStyle(one).backgroundColor), 'rgb(255, 255, 255)');
  });

  it('can be used by keyboard alone, from the options to the requisites and a copy button', async () => {
    const { page, widget } = await visit(browser, goodsOf(shop));
    await placeOrder(page);
    await widget.getByRole('radio').first().waitFor();
    const isInside = (): Promise<boolean> => widget.evaluate((element) => element.matches(':focus-within'));
    for (let presses = 0; !(await isInside()); presses += 1) {
      assert.ok(presses < 60, 'Tab never came to the widget');
      await page.keyboard.press('Tab');
    }
    const cardRadio = widget.getByRole('radio', { name: card });
    for (let presses = 0; !(await cardRadio.isChecked()); presses += 1) {
      assert.ok(presses < 5, 'the arrows never came to the card');
      await page.keyboard.press('ArrowDown');
    }
    await page.keyboard.press('Enter');
    const cardCopyButton = findCopyButton(widget, 'Card number');
    await cardCopyButton.waitFor();
    for (let presses = 0; !(await cardCopyButton.evaluate((element) => element.matches(':focus'))); presses += 1) {
      assert.ok(presses < 10, 'Tab never came to the copy button');
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    // The result is shown, whether or not the browser allowed the copy.
    await widget
      .locator('dt', { hasText: 'Card number' })
      .getByText(/Cop(ied|y)/i)
      .waitFor();
  });

  it('copies the raw value: no spaces between the digits of a card, a plain amount', async () => {
    const { page, widget } = await visit(browser, goodsOf(shop), {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await placeOrder(page);
    await chooseMethod(widget, card);
    for (const [label, rawValue] of [
      ['Card number', /^\d{16}$/],
      ['Amount', /^1500(\.00)?$/],
    ] as const) {
      await findCopyButton(widget, label).click();
      await widget.locator('dt', { hasText: label }).getByText('Copied').waitFor();
      assert.match(await page.evaluate(() => navigator.clipboard.readText()), rawValue);
    }
  });
});
