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

/** The measures of a page at one moment. */
interface Sample {
  readonly timers: number;
  readonly openRequests: number;
  readonly sentRequests: number;
  readonly heap: number;
  readonly nodes: number;
  readonly listeners: number;
}

/** Opens the page. The returned function measures it after a garbage collection. */
async function openPage(page: Page): Promise<() => Promise<Sample>> {
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
      ...(await page.evaluate(() => life.counts())),
      heap: metric('JSHeapUsedSize'),
      nodes: metric('Nodes'),
      listeners: metric('JSEventListeners'),
    };
  };
}

/** Measures a page after a fifth of the mounts, and after all of them. */
async function mountAll(count: number): Promise<readonly [Sample, Sample]> {
  const page = await browser.newPage();
  const takeSample = await openPage(page);
  await page.evaluate((times) => life.mount(times), count / 5);
  const earlySample = await takeSample();
  await page.evaluate((times) => life.mount(times), (count * 4) / 5);
  const lateSample = await takeSample();
  await page.close();
  return [earlySample, lateSample];
}

function assertNoGrowth(firstSample: Sample, laterSample: Sample): void {
  const increaseOf = (measure: 'heap' | 'nodes' | 'listeners'): number => laterSample[measure] - firstSample[measure];
  assert.ok(increaseOf('nodes') <= 200, `${increaseOf('nodes')} nodes more`);
  assert.ok(increaseOf('listeners') <= 5, `${increaseOf('listeners')} listeners more`);
  // One widget takes some hundred kilobytes.
  assert.ok(increaseOf('heap') < 2_000_000, `${increaseOf('heap')} bytes more`);
}

function assertNoLeaks([earlySample, lateSample]: readonly [Sample, Sample], count: number): void {
  assert.deepEqual(
    [lateSample.timers, lateSample.openRequests, lateSample.sentRequests],
    [0, 0, count],
    'timers, requests under way, requests in all',
  );
  assertNoGrowth(earlySample, lateSample);
}

describe('a long life in a page', { timeout: 40 * 60_000 }, () => {
  it(`${mounts} mounts leave nothing behind`, async () => {
    assertNoLeaks(await mountAll(mounts), mounts);
  });
});
