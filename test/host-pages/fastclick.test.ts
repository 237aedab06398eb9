// A page with FastClick on a phone whose browser it does not leave alone: taps of a finger in the widget.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { devices } from 'playwright-core';
import { documentOf } from '../docs/documents.ts';
import { closePagesAfterEachTest } from '../e2e/visit-page.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { openForFile } from '../support/open-for-file.ts';
import { fieldFile, startHostSite } from './host-site.ts';

const file = 'fastclick/lib/fastclick.js';
const isMissing = !existsSync(`test/host-pages/node_modules/${file}`);
const site = await openForFile(startHostSite());
const browser = await openForFile(launchChromium());
closePagesAfterEachTest(browser);

/** Taps "Continue" with a finger. Returns whether an invoice was requested. */
async function tapContinue(attributes: string): Promise<boolean> {
  const url = site.addPage({
    head: `<script>${fieldFile(file)}</script><script>addEventListener('load', () => FastClick.attach(document.body))</script>`,
    body: '{widget}',
    attributes,
  });
  const page = await browser.newPage({ ...devices['iPhone 13'], locale: 'en-GB' });
  await page.goto(url);
  const button = page.locator('pay-invoice [part=continue]');
  await button.scrollIntoViewIfNeeded();
  const { x = 0, y = 0, width = 0, height = 0 } = (await button.boundingBox()) ?? {};
  await page.touchscreen.tap(x + width / 2, y + height / 2);
  const pending = page.locator('pay-invoice[status=pending]').waitFor({ timeout: 4000 });
  return pending.then(
    () => true,
    () => false,
  );
}

describe('a page with FastClick', { skip: isMissing ? `NOT INSTALLED: ${file}` : false, timeout: 120_000 }, () => {
  it('swallows taps in the widget, except where the tag has the class of docs/troubleshooting.md', async () => {
    const [attribute = ''] = / class="[a-z]+"/.exec(documentOf('docs/troubleshooting.md').text) ?? [];
    assert.deepEqual([await tapContinue(''), await tapContinue(attribute)], [false, true]);
  });
});
