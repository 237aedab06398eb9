// Compares what a screen reader reads in each state of the gallery, by Chromium's accessibility tree, with the snapshots:
// `npm run test:reading`. After an intended change run `READING_UPDATE=1 npm run test:reading`, and read the new snapshots
// aloud.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { CDPSession } from 'playwright-core';
import { states } from '../../demo/gallery-states.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { GalleryPage, serveGalleryPage, type Device } from '../visual/gallery-page.ts';
import { readAccessibilityTree } from './read-accessibility-tree.ts';
import { openForFile } from '../support/open-for-file.ts';

const isUpdate = process.env['READING_UPDATE'] === '1';
const folder = fileURLToPath(new URL('snapshots/', import.meta.url));

/** All states but the `hostile` ones, whose texts have no meaning: they test the layout. */
const names = Object.keys(states).filter((name) => !name.startsWith('hostile'));
const devices: Readonly<Record<string, Device & { readonly states: readonly string[] }>> = {
  phone: { width: 360, isTouch: true, states: names },
  desktop: { width: 1024, isTouch: false, states: ['phone', 'sbp', 'qr', 'qr-sbp', 'everything', 'page'] },
};

mkdirSync(folder, { recursive: true });
const browser = await openForFile(launchChromium());
const server = await openForFile(serveGalleryPage());

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
  stateNames: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const linesByState = new Map<string, readonly string[]>();
  for (const name of stateNames) {
    await gallery.show(name, 'light', lang);
    // What is announced is in the snapshots of the purchase: here it depends on the time.
    await gallery.page.locator('pay-invoice [role=status]').evaluate((region) => (region.textContent = ''));
    linesByState.set(name, await readAccessibilityTree(session));
  }
  return linesByState;
}

describe('a screen reader', { timeout: 5 * 60_000 }, () => {
  for (const [device, { states: stateNames, ...size }] of Object.entries(devices))
    for (const lang of ['ru', 'en'])
      it(`reads each state as in the snapshot on a ${device} in ${lang}`, async (t) => {
        const file = `${device}.${lang}.txt`;
        const gallery = await GalleryPage.open(browser, server.url, size);
        const session = await gallery.page.context().newCDPSession(gallery.page);
        const actual = await readAll(gallery, session, lang, stateNames);
        await gallery.close();
        if (isUpdate)
          writeFileSync(
            folder + file,
            [...actual].map(([name, lines]) => `## ${name}\n${lines.join('\n')}\n`).join('\n'),
          );
        const expected = sectionsOf(file);
        for (const name of new Set([...expected.keys(), ...actual.keys()]))
          await t.test(name, () => assert.deepEqual(actual.get(name), expected.get(name)));
        for (const [name, lines] of actual)
          for (const line of lines)
            assert.doesNotMatch(
              line,
              /^\s*(button|link|radio|textbox|image|heading|summary|term)\b(?! ")/,
              `${name}: without a name`,
            );
      });

  it('has one snapshot for each device and language, and no other snapshot', () => {
    const files = [...Object.keys(devices), 'heard', 'heard-states'].flatMap((device) =>
      ['en', 'ru'].map((lang) => `${device}.${lang}.txt`),
    );
    assert.deepEqual(readdirSync(folder).sort(), files.sort());
  });
});
