// What a screen reader reads in each state of the gallery, from Chromium's accessibility tree, against the texts in
// snapshots: `npm run test:reading`. After an intended change run `READING_UPDATE=1 npm run test:reading`, and read the new
// snapshots aloud.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, CDPSession } from 'playwright-core';
import { states } from '../../demo/gallery-states.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { GalleryPage, serveGalleryPage, type Device } from '../visual/gallery-page.ts';
import { readAccessibilityTree } from './read-accessibility-tree.ts';

const isUpdate = process.env['READING_UPDATE'] === '1';
const folder = fileURLToPath(new URL('snapshots/', import.meta.url));

/** Without the `hostile` states: their texts test the layout and have no meaning. */
const names = Object.keys(states).filter((name) => !name.startsWith('hostile'));
const devices: Readonly<Record<string, Device & { readonly states: readonly string[] }>> = {
  phone: { width: 360, isTouch: true, states: names },
  desktop: { width: 1024, isTouch: false, states: ['phone', 'sbp', 'qr', 'qr-sbp', 'everything', 'page'] },
};

/** The lines that differ, with the number of each in the snapshot. */
function differences(expected: readonly string[], actual: readonly string[]): string {
  const start = expected.findIndex((line, index) => line !== actual[index]);
  const from = start === -1 ? expected.length : start;
  let end = 0;
  while (end < Math.min(expected.length, actual.length) - from && expected.at(-1 - end) === actual.at(-1 - end))
    end += 1;
  const part = (lines: readonly string[], sign: string): readonly string[] =>
    lines.slice(from, lines.length - end).map((line) => `${sign} ${line}`);
  return [...part(expected, '-'), ...part(actual, '+')].join('\n');
}

let browser: Browser;
let served: Awaited<ReturnType<typeof serveGalleryPage>>;

before(async () => {
  if (isUpdate) rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  [served, browser] = await Promise.all([serveGalleryPage(), launchChromium()]);
});

after(async () => {
  await browser.close();
  await served.close();
});

/** The snapshot of a file by state: `## state` and its lines. */
function sectionsOf(file: string): ReadonlyMap<string, readonly string[]> {
  const sections = readFileSync(`${folder}${file}`, 'utf8').split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [name = '', ...lines] = section.trimEnd().split('\n');
      return [name, lines] as const;
    }),
  );
}

async function readAll(
  gallery: GalleryPage,
  session: CDPSession,
  lang: string,
  wanted: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const read = new Map<string, readonly string[]>();
  for (const name of wanted) {
    await gallery.show(name, 'light', lang);
    read.set(name, await readAccessibilityTree(session));
  }
  return read;
}

describe('a screen reader', { timeout: 5 * 60_000 }, () => {
  for (const [device, { states: wanted, ...size }] of Object.entries(devices))
    for (const lang of ['ru', 'en'])
      it(`reads each state as before on a ${device}: ${lang}`, async () => {
        const file = `${device}.${lang}.txt`;
        const gallery = await GalleryPage.open(browser, served.url, size);
        const session = await gallery.page.context().newCDPSession(gallery.page);
        const actual = await readAll(gallery, session, lang, wanted);
        await gallery.close();
        if (isUpdate)
          writeFileSync(
            folder + file,
            [...actual].map(([name, lines]) => `## ${name}\n${lines.join('\n')}\n`).join('\n'),
          );
        const expected = sectionsOf(file);
        const changed = [...new Set([...expected.keys(), ...actual.keys()])].flatMap((name) => {
          const difference = differences(expected.get(name) ?? [], actual.get(name) ?? []);
          return difference === '' ? [] : [`## ${name}\n${difference}`];
        });
        assert.equal(
          changed.length,
          0,
          `${file}, - as it was, + as it is:\n${changed.join('\n')}\nIf that was meant: READING_UPDATE=1 npm run test:reading`,
        );
        for (const [name, lines] of actual)
          for (const line of lines)
            assert.doesNotMatch(
              line,
              /^\s*(button|link|radio|textbox|image|heading|summary|term)\b(?! ")/,
              `${name}: without a name`,
            );
      });

  it('has a snapshot for each device and language, and no other', () => {
    const files = Object.keys(devices).flatMap((device) => ['en', 'ru'].map((lang) => `${device}.${lang}.txt`));
    assert.deepEqual(readdirSync(folder).sort(), files.sort());
  });
});
