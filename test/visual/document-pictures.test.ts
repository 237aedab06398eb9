// Compares the pictures of the documents with new ones: `npm run test:visual`.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { PNG } from 'pngjs';
import { launchChromium } from '../support/launch-chromium.ts';
import { readAnimation } from './animated-webp.ts';
import { differenceOf } from './compare-png.ts';
import { takeDocumentPictures } from './document-pictures.ts';
import { PictureStudio } from './picture-studio.ts';

const folder = 'docs/pictures';
const outputFolder = '.screens/documents';
/** Its serif font is the machine's: the page has only the project's own font. */
const withFontOfMachine = 'theming-type';
const animationName = 'purchase';
const names = readdirSync(folder).map((file) => file.replace('.webp', ''));

let newPictures: ReadonlyMap<string, Buffer>;
let browser: Browser;
let studio: PictureStudio;

before(async () => {
  mkdirSync(outputFolder, { recursive: true });
  newPictures = await takeDocumentPictures();
  browser = await launchChromium();
  studio = await PictureStudio.open(browser, 1);
});

after(() => browser.close());

interface Moment {
  readonly end: number;
  readonly picture: Buffer;
}

const storedPicture = (name: string): Buffer => readFileSync(`${folder}/${name}.webp`);
const newPicture = (name: string): Buffer => newPictures.get(name) ?? assert.fail(`nothing takes ${name}`);

/** What is shown for less is only a step of a movement, in milliseconds. */
const timeToSee = 150;

/** What one has time to see in an animation, and until when, in milliseconds from its beginning. Each picture (PNG) is whole. */
async function momentsOf(file: Buffer): Promise<readonly Moment[]> {
  const { width, height, frames } = readAnimation(file) ?? assert.fail('it is no animation');
  const shown = new PNG({ width, height });
  let end = 0;
  const moments: Moment[] = [];
  for (const { left, top, duration, picture } of frames) {
    const changed = PNG.sync.read(await studio.decode(picture));
    PNG.bitblt(changed, shown, 0, 0, changed.width, changed.height, left, top);
    end += duration;
    if (duration >= timeToSee) moments.push({ end, picture: PNG.sync.write(shown, { deflateLevel: 1 }) });
  }
  return moments;
}

function assertLooksAlike(name: string, expected: Buffer, actual: Buffer): void {
  const difference = differenceOf(expected, actual, 'webp');
  if (difference === undefined) return;
  writeFileSync(`${outputFolder}/${name}.png`, actual);
  writeFileSync(`${outputFolder}/${name}.difference.png`, difference.picture);
  assert.fail(`${name}: ${difference.description}
    actual:     ${outputFolder}/${name}.png
    difference: ${outputFolder}/${name}.difference.png
    If the change is intended, run \`npm run pictures\` and look at it.`);
}

describe('the pictures of the documents', { timeout: 5 * 60_000 }, () => {
  it('are those that are taken, and no others', () => {
    assert.deepEqual([...newPictures.keys()].sort(), names.sort());
  });

  for (const name of names.filter((one) => one !== withFontOfMachine && one !== animationName))
    it(`show the widget of today: ${name}`, async () => {
      assertLooksAlike(name, await studio.decode(storedPicture(name)), await studio.decode(newPicture(name)));
    });

  it('show a purchase with the widget of today, at each moment', async () => {
    const [stored, taken] = await Promise.all(
      [storedPicture, newPicture].map((read) => momentsOf(read(animationName))),
    );
    assert.ok(stored !== undefined && taken !== undefined);
    for (const { end, picture } of stored) {
      const moment = taken.find((one) => one.end >= end) ?? assert.fail(`the animation has no longer ${end} ms`);
      assertLooksAlike(`${animationName}-${end}`, picture, moment.picture);
    }
    assert.equal(taken.at(-1)?.end, stored.at(-1)?.end);
  });

  it('have an animation that a browser reads, of less than 400 kB', async () => {
    const file = storedPicture(animationName);
    const [first] = readAnimation(file)?.frames ?? [];
    assert.equal(differenceOf(await studio.decode(file), await studio.decode(first?.picture ?? file)), undefined);
    assert.ok(file.length < 400_000, `${file.length} bytes`);
  });
});
