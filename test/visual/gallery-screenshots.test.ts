// Pictures of every state against those in baselines: `npm run test:visual`.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { differenceOf, packed } from './compare-png.ts';
import { nameOf, shots, ScreenshotTaker, type Shot } from './take-screenshots.ts';

const isUpdate = process.env['VISUAL_UPDATE'] === '1';
const folder = fileURLToPath(new URL('baselines/', import.meta.url));
const outputFolder = '.screens/visual';
const options: Shot = { state: 'options', theme: 'light', width: 360 };

let studio: ScreenshotTaker;

before(async () => {
  rmSync(outputFolder, { recursive: true, force: true });
  mkdirSync(outputFolder, { recursive: true });
  if (isUpdate) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  studio = await ScreenshotTaker.open();
});

after(() => studio.close());

function assertAsBefore(name: string, actual: Buffer): void {
  const file = `${folder}${name}.png`;
  if (isUpdate) writeFileSync(file, packed(actual));
  assert.ok(existsSync(file), `there is no ${file}: \`npm run test:visual -- --update\` makes it`);
  const difference = differenceOf(readFileSync(file), actual);
  if (difference === undefined) return;
  writeFileSync(`${outputFolder}/${name}.png`, actual);
  writeFileSync(`${outputFolder}/${name}.difference.png`, difference.picture);
  assert.fail(`${name}: ${difference.description}
    as it was:  ${file}
    as it is:   ${outputFolder}/${name}.png
    difference: ${outputFolder}/${name}.difference.png
    If that was meant, look at it and run \`npm run test:visual -- --update\`.`);
}

describe('the gallery', { timeout: 15 * 60_000 }, () => {
  for (const shot of shots)
    it(`has not changed: ${nameOf(shot)}`, async () => {
      assertAsBefore(nameOf(shot), await studio.take(shot));
    });

  it('has a picture for each, and no other', () => {
    assert.deepEqual(readdirSync(folder).sort(), shots.map((shot) => `${nameOf(shot)}.png`).sort());
  });
});

/** Adds a style to the first element of the widget that matches the selector. */
const change =
  (selector: string, css: string) =>
  (page: Page): Promise<void> =>
    page.locator('pay-invoice').evaluate(
      (widget, [what, style]) => {
        const found = widget.shadowRoot?.querySelector(what);
        if (!(found instanceof HTMLElement || found instanceof SVGElement)) throw new Error(`no ${what}`);
        found.style.cssText += style;
      },
      [selector, css] as const,
    );

describe('the comparison', { timeout: 5 * 60_000 }, () => {
  it('finds no difference between two pictures of the same state', async () => {
    assert.ok((await studio.take(options)).equals(await studio.take(options)));
  });

  it('finds no difference when the machine has other fonts', async () => {
    const fonts = mkdtempSync(`${tmpdir()}/fonts-`);
    writeFileSync(
      `${fonts}/fonts.conf`,
      `<fontconfig><dir>${process.cwd()}/node_modules/.cache/sparticuz/fonts</dir></fontconfig>`,
    );
    const env = { FONTCONFIG_PATH: fonts, FONTCONFIG_FILE: `${fonts}/fonts.conf` };
    for (const shot of [options, { ...options, state: 'card' }])
      assert.equal(
        differenceOf(await studio.take(shot), await studio.takeInBrowserWith(env, shot))?.description,
        undefined,
      );
    rmSync(fonts, { recursive: true });
  });

  for (const { what, selector, css } of [
    { what: 'a button that moved two pixels aside', selector: '[part=continue]', css: 'translate: 2px' },
    { what: 'a button that moved one pixel down', selector: '[part=continue]', css: 'translate: 0 1px' },
    { what: 'a button in a slightly other colour', selector: '[part=continue]', css: 'filter: brightness(1.1)' },
    { what: 'a text in a slightly other colour', selector: '[part=amount]', css: 'opacity: 0.9' },
    { what: 'a missing icon', selector: '[part=methods] svg', css: 'visibility: hidden' },
    { what: 'another space between the methods', selector: '[part=methods]', css: 'gap: 9px' },
    { what: 'a corner that is less round', selector: '[part=continue]', css: 'border-radius: 4px' },
  ])
    it(`finds ${what}`, async () => {
      const other = await studio.take(options, change(selector, css));
      assert.match(differenceOf(await studio.take(options), other)?.description ?? '', /pixels of .* are off/);
    });
});
