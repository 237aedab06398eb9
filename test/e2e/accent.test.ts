// The shop's colour in the built widget and on the pay page, in Chromium: areas have it as it is, and what is read can be read.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { openForFile } from '../support/open-for-file.ts';
import { adminToken } from '../support/buyer.ts';
import { startStandalone } from '../support/start-standalone.ts';
import { openPage } from '../standalone/open-pay-page.ts';
import { openBrowser } from './visit-page.ts';

const browser = await openBrowser();
const yellow = '#ffd400';
const server = await openForFile(startStandalone({ SHOP_ACCENT: yellow }));

let orders = 0;

/** Opens a pay page. Where its scripts are blocked, it is as the server renders it. */
async function openPayPage(colorScheme: 'light' | 'dark', isScripted: boolean): Promise<Page> {
  const response = await fetch(`${server.url}/admin/checkouts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ order_id: `order-${(orders += 1)}`, amount: '1500.00', currency: 'RUB' }),
  });
  const { url } = z.object({ url: z.string() }).parse(await response.json());
  const page = await browser.newPage({ locale: 'ru-RU', colorScheme, viewport: { width: 1280, height: 900 } });
  if (!isScripted) await page.route('**/*.js', (route) => route.abort());
  await page.goto(url);
  if (isScripted) await page.locator('pay-invoice [aria-level="1"]').waitFor();
  return page;
}

interface Sign {
  readonly selector: string;
  readonly property: string;
  readonly pseudo?: string;
  /** The least contrast with what is behind it (WCAG 2.2, 1.4.3 and 1.4.11). */
  readonly least: number;
}

const radio: Sign = { selector: 'input[type=radio]:checked', property: 'borderTopColor', least: 3 };
const chosen = { selector: '.chosen, .method:has(:checked)', property: 'borderTopColor', least: 3 } as const;
const ring = { selector: '.chosen, .method:has(:checked)', property: 'outlineColor', least: 3 } as const;
const textOfButton: Sign = { selector: '.main', property: 'color', least: 4.5 };
const link: Sign = { selector: '.link', property: 'color', least: 4.5 };
const dot: Sign = { selector: '.status', property: 'backgroundColor', pseudo: '::before', least: 3 };

/** What of these signs cannot be read on what is behind it, and the colour of the main button. Runs in the page. */
function measure(signs: readonly Sign[]): { readonly low: string[]; readonly fill: string; readonly ink: string } {
  const root = document.querySelector('pay-invoice')?.shadowRoot ?? document;
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const paint = (...layers: readonly string[]): readonly number[] => {
    if (!canvas) throw new Error('no canvas');
    for (const colour of ['#fff', ...layers]) {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (colour: readonly number[]): number =>
    colour
      .map((value) => (value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4))
      .reduce((sum, value, index) => sum + value * ([0.2126, 0.7152, 0.0722][index] ?? 0), 0);
  const parentOf = (element: Element): Element | null => {
    const parent = element.parentNode;
    return parent instanceof ShadowRoot ? parent.host : element.parentElement;
  };
  const layersOf = (element: Element | null): string[] =>
    element ? [...layersOf(parentOf(element)), getComputedStyle(element).backgroundColor] : [];
  const find = (selector: string): Element => {
    const element = root.querySelector(selector);
    if (!element) throw new Error(`no ${selector}`);
    return element;
  };
  const low = signs.flatMap(({ selector, property, pseudo, least }) => {
    const element = find(selector);
    const behind = layersOf(property === 'color' || property === 'borderTopColor' ? element : parentOf(element));
    const colour = String(Reflect.get(getComputedStyle(element, pseudo), property));
    const [dark = 0, light = 0] = [luminance(paint(...behind, colour)), luminance(paint(...behind))].sort(
      (a, b) => a - b,
    );
    const ratio = (light + 0.05) / (dark + 0.05);
    return ratio < least ? [`${selector} ${property}: ${ratio.toFixed(2)}`] : [];
  });
  const hex = (colour: string): string =>
    `#${paint(colour)
      .map((value) => value.toString(16).padStart(2, '0'))
      .join('')}`;
  return {
    low,
    fill: hex(String(root.querySelector('.main') && getComputedStyle(find('.main')).backgroundColor)),
    ink: signs[0] ? hex(String(Reflect.get(getComputedStyle(find(signs[0].selector)), signs[0].property))) : '',
  };
}

/** Accents of shops, and the two greys between which the text on an accent changes from white to black. */
const brands = [
  yellow,
  '#ffcc00',
  '#ffffff',
  '#00ff00',
  '#00e5ff',
  '#ff8a00',
  '#ff9ecb',
  '#21a038',
  '#0a7cff',
  '#e30613',
  '#3451d1',
  '#0f172a',
  '#767676',
  '#777777',
];

/** What is wrong with an accent by what was measured: the fill is another colour, or something cannot be read. */
const faultsOf = (accent: string, { low, fill }: ReturnType<typeof measure>, hasButton = true): string[] => [
  ...low.map((fault) => `${accent} ${fault}`),
  ...(hasButton && fill !== accent ? [`${accent}: the button is ${fill}`] : []),
];

describe('the accent', { timeout: 300_000 }, () => {
  for (const theme of ['light', 'dark'] as const) {
    it(`of the widget stays itself on buttons, and can be read elsewhere, whichever it is (${theme})`, async () => {
      const page = await openPayPage(theme, true);
      const widget = page.locator('pay-invoice');
      const faults: string[] = [];
      const checkAll = async (signs: readonly Sign[], hasButton = true): Promise<void> => {
        for (const accent of brands) {
          await widget.evaluate((element, colour) => {
            // The page of the shop says nothing of the text on it.
            document.documentElement.style.setProperty('--pay-invoice-accent-text', 'initial');
            if (element instanceof HTMLElement) element.style.setProperty('--pay-invoice-accent', colour);
          }, accent);
          faults.push(...faultsOf(accent, await page.evaluate(measure, signs), hasButton));
        }
      };
      await widget.getByRole('radio').first().focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowUp');
      await checkAll([radio, chosen, ring, textOfButton]);
      await page.getByRole('radio', { name: /СБП/ }).check();
      await page.getByRole('button', { name: 'Оплатить через СБП' }).click();
      await widget.locator('[part=qr]').waitFor();
      await widget.locator('.tail').waitFor();
      await checkAll([link, dot], false);
      assert.deepEqual(faults, []);
    });

    it(`is not on a button that cannot be pressed, with the pointer on it either (${theme})`, async () => {
      const page = await openPayPage(theme, true);
      const button = page.locator('pay-invoice [part=continue]');
      const readColour = (): Promise<string> => button.evaluate((element) => getComputedStyle(element).backgroundColor);
      // As the widget does where no method can be chosen.
      await button.evaluate((element) => element.toggleAttribute('disabled', true));
      await page.mouse.move(0, 0);
      const colour = await readColour();
      await button.hover({ force: true });
      assert.equal(await readColour(), colour);
      assert.equal(await button.evaluate((element) => element.matches(':hover')), true);
    });

    it(`of the pay page stays itself on its button, and can be read elsewhere, whichever it is (${theme})`, async () => {
      const page = await browser.newPage({ colorScheme: theme, viewport: { width: 1280, height: 900 } });
      const faults: string[] = [];
      for (const accent of brands) {
        await page.setContent(await (await openPage({}, { accent })).read());
        faults.push(...faultsOf(accent, await page.evaluate(measure, [radio, chosen, textOfButton])));
      }
      assert.deepEqual(faults, []);
    });

    it(`of the pay page is the same before and after its script (${theme})`, async () => {
      const signs = [radio, chosen, textOfButton];
      const unscripted = await (await openPayPage(theme, false)).evaluate(measure, signs);
      const scripted = await (await openPayPage(theme, true)).evaluate(measure, signs);
      assert.deepEqual([unscripted.low, unscripted.fill], [[], yellow]);
      assert.deepEqual(scripted, unscripted);
    });
  }
});
