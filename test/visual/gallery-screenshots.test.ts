// Compares screenshots of every state with the baselines: `npm run test:visual`.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { differenceOf, compress } from './compare-png.ts';
import { nameOf, shots, ScreenshotTaker, type Shot } from './take-screenshots.ts';

const isUpdate = process.env['VISUAL_UPDATE'] === '1';
const folder = fileURLToPath(new URL('baselines/', import.meta.url));
const outputFolder = '.screens/visual';
const optionsShot: Shot = { state: 'options', theme: 'light', width: 360 };

let screenshotTaker: ScreenshotTaker;

before(async () => {
  rmSync(outputFolder, { recursive: true, force: true });
  mkdirSync(outputFolder, { recursive: true });
  if (isUpdate) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  screenshotTaker = await ScreenshotTaker.open();
});

after(() => screenshotTaker.close());

function assertMatchesBaseline(name: string, actual: Buffer): void {
  const file = `${folder}${name}.png`;
  if (isUpdate) writeFileSync(file, compress(actual));
  assert.ok(existsSync(file), `there is no ${file}: \`npm run test:visual -- --update\` makes it`);
  const difference = differenceOf(readFileSync(file), actual);
  if (difference === undefined) return;
  writeFileSync(`${outputFolder}/${name}.png`, actual);
  writeFileSync(`${outputFolder}/${name}.difference.png`, difference.picture);
  assert.fail(`${name}: ${difference.description}
    expected:   ${file}
    actual:     ${outputFolder}/${name}.png
    difference: ${outputFolder}/${name}.difference.png
    If the change is intended, look at it and run \`npm run test:visual -- --update\`.`);
}

describe('the gallery', { timeout: 15 * 60_000 }, () => {
  for (const shot of shots)
    it(`looks like its baseline: ${nameOf(shot)}`, async () => {
      assertMatchesBaseline(nameOf(shot), await screenshotTaker.take(shot));
    });

  it('has one baseline for each screenshot, and no other baseline', () => {
    assert.deepEqual(readdirSync(folder).sort(), shots.map((shot) => `${nameOf(shot)}.png`).sort());
  });
});

/** Returns a function that adds a style to the first element of the widget that matches the selector. */
const addStyle =
  (selector: string, css: string) =>
  (page: Page): Promise<void> =>
    page.locator('pay-invoice').evaluate(
      (widget, [elementSelector, style]) => {
        const element = widget.shadowRoot?.querySelector(elementSelector);
        if (!(element instanceof HTMLElement || element instanceof SVGElement))
          throw new Error(`no ${elementSelector}`);
        element.style.cssText += style;
      },
      [selector, css] as const,
    );

describe('the comparison', { timeout: 5 * 60_000 }, () => {
  it('gets two equal screenshots of a state that has not changed', async () => {
    assert.ok((await screenshotTaker.take(optionsShot)).equals(await screenshotTaker.take(optionsShot)));
  });

  it('finds no difference when the machine has other fonts', async () => {
    const fonts = mkdtempSync(`${tmpdir()}/fonts-`);
    writeFileSync(
      `${fonts}/fonts.conf`,
      `<fontconfig><dir>${process.cwd()}/node_modules/.cache/sparticuz/fonts</dir></fontconfig>`,
    );
    const env = { FONTCONFIG_PATH: fonts, FONTCONFIG_FILE: `${fonts}/fonts.conf` };
    for (const shot of [optionsShot, { ...optionsShot, state: 'card' }])
      assert.equal(
        differenceOf(await screenshotTaker.take(shot), await screenshotTaker.takeInBrowserWith(env, shot))?.description,
        undefined,
      );
    rmSync(fonts, { recursive: true });
  });

  for (const { defect, selector, css } of [
    { defect: 'a button that moved two pixels aside', selector: '[part=continue]', css: 'translate: 2px' },
    { defect: 'a button that moved one pixel down', selector: '[part=continue]', css: 'translate: 0 1px' },
    { defect: 'a button in a slightly other colour', selector: '[part=continue]', css: 'filter: brightness(1.1)' },
    { defect: 'a text in a slightly other colour', selector: '[part=amount]', css: 'opacity: 0.9' },
    { defect: 'a missing icon', selector: '[part=methods] svg', css: 'visibility: hidden' },
    { defect: 'another space between the methods', selector: '[part=methods]', css: 'gap: 9px' },
    { defect: 'a corner that is less round', selector: '[part=continue]', css: 'border-radius: 4px' },
  ])
    it(`finds ${defect}`, async () => {
      const changedScreenshot = await screenshotTaker.take(optionsShot, addStyle(selector, css));
      assert.match(
        differenceOf(await screenshotTaker.take(optionsShot), changedScreenshot)?.description ?? '',
        /pixels of .* are off/,
      );
    });
});
