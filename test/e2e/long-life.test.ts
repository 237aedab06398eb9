// A long life in Chromium: 300 mounts and an hour of waiting. `npm run test:life` has 10,000 mounts and 12 hours.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../support/launch-chromium.ts';
import { serveBuiltWidget } from '../support/serve-built-widget.ts';
import { until } from '../support/wait-until.ts';

const mounts = Number(process.env['LIFE_MOUNTS'] ?? 300);
const hours = Number(process.env['LIFE_HOURS'] ?? 1);

let server: Awaited<ReturnType<typeof serveBuiltWidget>>;
let browser: Browser;

/** The measures of a page at one moment. */
interface Sample {
  readonly timers: number;
  readonly openRequests: number;
  readonly sentRequests: number;
  readonly heap: number;
  readonly nodes: number;
  readonly listeners: number;
}

before(async () => {
  server = await serveBuiltWidget();
  browser = await launchChromium();
});

after(async () => {
  await browser.close();
  await server.close();
});

/** Opens the page. The returned function measures it after a garbage collection. */
async function openPage(page: Page, hash = ''): Promise<() => Promise<Sample>> {
  await page.goto(`${server.url}test/e2e/long-life-page/page.html${hash}`);
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
async function mountAll(count: number, hash = ''): Promise<readonly [Sample, Sample]> {
  const page = await browser.newPage();
  const takeSample = await openPage(page, hash);
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

  for (const { hash, message } of [
    { hash: '#elements', message: /nodes more/ },
    { hash: '#listeners', message: /listeners more/ },
    { hash: '#timers', message: /timers, requests/ },
    { hash: '#requests', message: /timers, requests/ },
  ])
    it(`a page that leaves ${hash.slice(1)} behind is detected`, async () => {
      const samples = await mountAll(50, hash);
      assert.throws(() => assertNoLeaks(samples, 50), message);
    });

  it(`${hours} h of waiting use one timer for each purpose and one long poll at a time`, async () => {
    const page = await browser.newPage();
    await page.clock.install({ time: new Date('2026-11-20T10:00:00Z') });
    const takeSample = await openPage(page);
    // From here on the page's clock advances only by `runFor`: real time on a slow machine would add requests.
    await page.clock.pauseAt(new Date('2026-11-20T11:00:00Z'));
    await page.evaluate(() => life.mountForever());
    // The second file is loaded in real time.
    await until('the requisites are shown', () =>
      page.evaluate(() =>
        Boolean(document.querySelector('pay-invoice')?.shadowRoot?.querySelector('[part=requisites]')),
      ),
    );
    await page.clock.runFor(60_000);
    const samples = [await takeSample()];
    for (let hour = 0; hour < hours; hour += 1) {
      // Second by second, so that a response is read between two steps, also on a busy machine.
      for (let second = 0; second < 3600; second += 1) await page.clock.runFor(1000);
      samples.push(await takeSample());
    }
    await page.close();
    const [firstSample] = samples;
    assert.ok(firstSample !== undefined);
    for (const [index, laterSample] of samples.entries()) {
      const { timers, openRequests, sentRequests } = laterSample;
      assert.ok(timers <= 6 && openRequests <= 1, `${timers} timers, ${openRequests} requests`);
      const perHour = sentRequests - (samples[index - 1]?.sentRequests ?? sentRequests);
      assert.ok(perHour <= 3600 / 25 + 2, `${perHour} requests in an hour`);
      if (index > 0) assert.ok(perHour >= 3600 / 30, `${perHour} requests in an hour`);
      assertNoGrowth(firstSample, laterSample);
    }
  });
});
