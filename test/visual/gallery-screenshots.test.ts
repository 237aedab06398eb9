// Compares screenshots of every state with the baselines: `npm run test:visual`.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

  for (const shot of [
    { state: 'phone', theme: 'light', width: 1024 },
    { state: 'qr-picture', theme: 'light', width: 360 },
  ] as const)
    it(`shows the code for which the payer has asked: ${shot.state}`, async () => {
      await screenshotTaker.take(shot, async (page) => {
        assert.equal(await page.locator('pay-invoice [part=qr]').count(), 1);
      });
    });

  it('has one baseline for each screenshot, and no other baseline', () => {
    assert.deepEqual(readdirSync(folder).sort(), shots.map((shot) => `${nameOf(shot)}.png`).sort());
  });
});

it('the comparison finds a button that moved one pixel down', { timeout: 60_000 }, async () => {
  const moveButton = (page: Page): Promise<void> =>
    page.locator('pay-invoice [part=continue]').evaluate((button: HTMLElement) => {
      button.style.translate = '0 1px';
    });
  const moved = await screenshotTaker.take(optionsShot, moveButton);
  assert.match(differenceOf(await screenshotTaker.take(optionsShot), moved)?.description ?? '', /pixels of .* are off/);
});
