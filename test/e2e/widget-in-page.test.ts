import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { PNG } from 'pngjs';
import { shopAndBrowser } from './shop-and-browser.ts';
import { scan } from './scan-qr.ts';
import { choose, copyButton, heading, order, sbp, valueOf, visit } from './visit-page.ts';

const { shop, browser } = await shopAndBrowser();

/** The address beside the QR, once the QR is painted. */
async function addressOfQr(widget: Locator): Promise<string> {
  await widget.locator('svg[part=qr]').waitFor();
  return (await widget.locator('[part=qr-link]').getAttribute('href')) ?? '';
}

/** The seconds left that the widget shows. */
async function secondsLeft(widget: Locator): Promise<number> {
  const [minutes, seconds] = ((await widget.getByRole('timer').textContent()) ?? '').split(':');
  return Number(minutes) * 60 + Number(seconds);
}

describe('the widget in a page', { timeout: 300_000, concurrency: 3 }, () => {
  it('completes a payment under a strict policy with Trusted Types, without a violation and without a request to a third party', async () => {
    const { context, page, widget, complaints, origins } = await visit(browser, shop.url);
    const policy = (await page.reload())?.headers()['content-security-policy'] ?? '';
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "require-trusted-types-for 'script'",
    ])
      assert.ok(policy.includes(rule), policy);
    assert.doesNotMatch(policy, /unsafe/);

    await order(page);
    await choose(widget, sbp);
    await addressOfQr(widget);
    await page.getByRole('button', { name: 'Pay it' }).click();
    await heading(widget, 'Paid').waitFor();
    assert.deepEqual(complaints, []);
    assert.deepEqual([...origins].sort(), [shop.url, shop.sandbox].sort());
    await context.close();
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`shows a QR that is read from a screenshot 320 px wide: ${colorScheme}`, async () => {
      const { context, page, widget } = await visit(browser, shop.url, {
        viewport: { width: 320, height: 640 },
        colorScheme,
      });
      await order(page);
      await choose(widget, sbp);
      const address = await addressOfQr(widget);
      assert.equal(scan(await page.screenshot({ fullPage: true })), address);
      await context.close();
    });

  it('keeps the QR dark on white in forced colours, and moves nothing where motion is reduced', async () => {
    const { context, page, widget } = await visit(browser, shop.url, {
      forcedColors: 'active',
      colorScheme: 'dark',
      reducedMotion: 'reduce',
    });
    await order(page);
    await choose(widget, sbp);
    const address = await addressOfQr(widget);
    assert.equal(scan(await widget.screenshot()), address);
    const moving = await page.evaluate(() =>
      document
        .getAnimations()
        .filter(
          ({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().iterations === Infinity,
        )
        .map((animation) => animation.id || animation.constructor.name),
    );
    assert.deepEqual(moving, []);
    await context.close();
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`shows the remaining time as a bar in forced colours: ${colorScheme}`, async () => {
      const { context, page, widget } = await visit(browser, shop.url, { forcedColors: 'active', colorScheme });
      await order(page);
      await choose(widget, 'Карта');
      const bar = widget.locator('progress');
      await bar.evaluate((progress) => {
        progress.setAttribute('value', '0.5');
        Object.defineProperty(progress, 'value', { set: Boolean }); // The countdown does not change it.
      });
      const { width, height, data } = PNG.sync.read(await bar.screenshot());
      const redAt = (part: number, row: number): number => data[(row * width + Math.floor(part * width)) * 4] ?? NaN;
      const middle = Math.floor(height / 2);
      const [filled, empty] = [redAt(0.25, middle), redAt(0.75, middle)];
      assert.ok(Math.abs(filled - empty) > 200, `${filled} where it is filled, ${empty} where it is empty`);
      const column = Array.from({ length: height }, (_, row) => redAt(0.75, row));
      assert.ok(Math.max(...column) - Math.min(...column) > 200, `the empty part has no frame: ${column.join(' ')}`);
      await context.close();
    });

  for (const yearsAhead of [10, -10])
    it(`shows the same time left on a device whose clock is ${yearsAhead} years ahead`, async () => {
      const { context, page, widget } = await visit(browser, shop.url);
      await order(page);
      await choose(widget, 'Карта');
      await widget.getByRole('timer').waitFor();
      const wrong = await visit(browser, page.url(), { yearsAhead });
      const year = await wrong.page.evaluate(() => new Date().getFullYear());
      assert.ok(Math.abs(year - new Date().getFullYear()) >= 9, `the device shows the year ${year}`);
      await wrong.widget.getByRole('timer').waitFor();
      const [here, there] = await Promise.all([secondsLeft(widget), secondsLeft(wrong.widget)]);
      assert.ok(here > 600 && Math.abs(here - there) <= 10, `${here} s and ${there} s`);
      await Promise.all([context.close(), wrong.context.close()]);
    });

  it('follows the language and the theme of the page', async () => {
    const { context, page, widget } = await visit(browser, shop.url, { colorScheme: 'light' });
    await order(page);
    await choose(widget, sbp);
    const number = await valueOf(widget, 'Phone number');
    const surface = (): Promise<string> =>
      widget.locator('[part=base]').evaluate((base) => getComputedStyle(base).backgroundColor);
    const light = await surface();
    await page.getByRole('button', { name: 'Dark', exact: true }).click();
    assert.notEqual(await surface(), light);
    await page.getByRole('button', { name: 'Русский' }).click();
    await heading(widget, 'Отсканируйте QR-код').waitFor();
    assert.equal((await widget.locator('[part=value]').first().textContent())?.replace(/\s/g, ''), number);
    await context.close();
  });

  it('prints the receipt alone, black on white in a dark theme too', async () => {
    const { context, page, widget } = await visit(browser, shop.url, { colorScheme: 'dark' });
    await order(page);
    await choose(widget, 'Карта');
    await page.getByRole('button', { name: 'Pay it' }).click();
    await heading(widget, 'Paid').waitFor();
    await page.emulateMedia({ media: 'print' });
    const base = widget.locator('[part=base]');
    const left = page.locator('button, a, h1, aside, progress').filter({ visible: true });
    assert.deepEqual(await left.allTextContents(), []);
    assert.match(await base.innerText(), /1,500\.00[^]*Leaf & Clay[^]*Paid[^]*Order number[^]*Date and time/);
    const colours = await widget
      .locator('[part=base], [part=base] *:not(svg, svg *, .sr, slot)')
      .evaluateAll((all) =>
        all.map((one) => getComputedStyle(one)).flatMap(({ display, color }) => (display === 'none' ? [] : [color])),
      );
    // The badge of a test is brown.
    assert.deepEqual(new Set(colours.filter((colour) => colour !== 'rgb(122, 75, 0)')), new Set(['rgb(0, 0, 0)']));
    assert.equal(await base.evaluate((one) => getComputedStyle(one).backgroundColor), 'rgb(255, 255, 255)');
    await context.close();
  });

  it('works by keyboard alone, from the options to the requisites and a copy button', async () => {
    const { context, page, widget } = await visit(browser, shop.url);
    await order(page);
    await widget.getByRole('radio').first().waitFor();
    const isInside = (): Promise<boolean> => widget.evaluate((element) => element.matches(':focus-within'));
    for (let presses = 0; !(await isInside()); presses += 1) {
      assert.ok(presses < 60, 'Tab never came to the widget');
      await page.keyboard.press('Tab');
    }
    const card = widget.getByRole('radio', { name: 'Карта', exact: true });
    for (let presses = 0; !(await card.isChecked()); presses += 1) {
      assert.ok(presses < 5, 'the arrows never came to the card');
      await page.keyboard.press('ArrowDown');
    }
    await page.keyboard.press('Enter');
    const copy = copyButton(widget, 'Card number');
    await copy.waitFor();
    for (let presses = 0; !(await copy.evaluate((element) => element.matches(':focus'))); presses += 1) {
      assert.ok(presses < 10, 'Tab never came to the copy button');
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    // The result is shown, whether or not the browser allowed the copy.
    await widget
      .locator('dt', { hasText: 'Card number' })
      .getByText(/Cop(ied|y)/i)
      .waitFor();
    await context.close();
  });

  it('copies the raw value: no spaces between the digits of a card, a plain amount', async () => {
    const { context, page, widget } = await visit(browser, shop.url, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await order(page);
    await choose(widget, 'Карта');
    for (const [label, raw] of [
      ['Card number', /^\d{16}$/],
      ['Amount', /^1500(\.00)?$/],
    ] as const) {
      await copyButton(widget, label).click();
      await widget.locator('dt', { hasText: label }).getByText('Copied').waitFor();
      assert.match(await page.evaluate(() => navigator.clipboard.readText()), raw);
    }
    await context.close();
  });
});
