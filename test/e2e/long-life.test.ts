// 300 mounts of the built widget in Chromium; `npm run test:life` has 10,000.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { launchChromium } from '../support/launch-chromium.ts';
import { serveBuiltWidget } from '../support/serve-built-widget.ts';
import { openForFile } from '../support/open-for-file.ts';

const mounts = Number(process.env['LIFE_MOUNTS'] ?? 300);

const browser = await openForFile(launchChromium());
const server = await openForFile(serveBuiltWidget());

/** Opens the page. The returned function measures it after a garbage collection. */
async function openPage(page: Page) {
  await page.goto(`${server.url}test/e2e/long-life-page/page.html`);
  await page.waitForFunction(() => 'life' in globalThis);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  await devtools.send('HeapProfiler.enable');
  return async () => {
    for (let round = 0; round < 3; round += 1) await devtools.send('HeapProfiler.collectGarbage');
    const { metrics } = await devtools.send('Performance.getMetrics');
    const metric = (name: string): number => metrics.find((one) => one.name === name)?.value ?? NaN;
    return {
      counts: await page.evaluate(() => life.counts()),
      heap: metric('JSHeapUsedSize'),
      nodes: metric('Nodes'),
      listeners: metric('JSEventListeners'),
    };
  };
}

describe('a long life in a page', { timeout: 40 * 60_000 }, () => {
  it(`${mounts} mounts leave nothing behind`, async () => {
    const page = await browser.newPage();
    const measure = await openPage(page);
    const mount = (times: number): Promise<void> => page.evaluate((count) => life.mount(count), times);
    await mount(mounts / 5);
    const early = await measure();
    await mount((mounts * 4) / 5);
    const late = await measure();
    assert.deepEqual(late.counts, { timers: 0, openRequests: 0, sentRequests: mounts });
    const increaseOf = (measured: 'heap' | 'nodes' | 'listeners'): number => late[measured] - early[measured];
    assert.ok(increaseOf('nodes') <= 200, `${increaseOf('nodes')} nodes more`);
    assert.ok(increaseOf('listeners') <= 5, `${increaseOf('listeners')} listeners more`);
    // One widget takes some hundred kilobytes.
    assert.ok(increaseOf('heap') < 2_000_000, `${increaseOf('heap')} bytes more`);
  });
});
