// A visit to a page with the built widget. Each step waits for the previous one, so that the counts do not depend on time.
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { drawFrame } from '../support/draw-frame.ts';
import type { Browser, CDPSession, Page } from 'playwright-core';
import type { Checkout } from '../../src/checkout-api.ts';
import { listen } from '../mounts/listen.ts';
import { waitForFrames, waitForUpdate } from '../support/wait-for-update.ts';

const folder = new URL('../../dist/cdn/', import.meta.url);

/** Timers of at least this length never fire while work is counted, so that the visit's duration does not change the counts. */
const longTimerMs = 50;

/** A script that runs in the page before its own scripts. It counts formatters, timers and requests. */
const counterScript = (firing: 'all timers' | 'short timers'): string => `
  counts = { intl: 0, timers: 0, requests: 0 };
  for (const name of Object.getOwnPropertyNames(Intl)) {
    const original = Intl[name];
    if (typeof original !== 'function' || !/^[A-Z]/.test(name)) continue;
    const count = (call) => (...parts) => ((counts.intl += 1), call(...parts));
    Intl[name] = new Proxy(original, { construct: count(Reflect.construct), apply: count(Reflect.apply) });
  }
  for (const name of ['setTimeout', 'setInterval']) {
    const original = globalThis[name];
    globalThis[name] = (work, ms, ...parts) => {
      counts.timers += 1;
      return ${firing === 'all timers' ? 'false' : `ms >= ${longTimerMs}`} ? 0 : original(work, ms, ...parts);
    };
  }
  const request = fetch;
  fetch = (...parts) => ((counts.requests += 1), request(...parts));`;

interface Counts {
  readonly intl: number;
  readonly timers: number;
  readonly requests: number;
}

/** Counts of a page's work. Unlike durations, counts do not depend on the speed and the load of the machine. */
export interface Work {
  /** Files and API addresses that were requested. */
  readonly requests: number;
  /** Modules whose script was compiled. */
  readonly modules: number;
  readonly styleRecalculations: number;
  readonly layouts: number;
  /** Formatters and other objects of `Intl` that were constructed. */
  readonly intlConstructions: number;
}

/** Requests are held until their gate is opened. */
function createGate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

/** The files that a module imports statically, directly or indirectly. */
function staticImports(name: string): readonly string[] {
  const code = readFileSync(new URL(name, folder), 'utf8');
  const importedFiles = [...code.matchAll(/(?:\bfrom|^import|[;}]import)\s*"\.\/([\w.-]+\.js)"/g)].map(
    ([, file = '']) => file,
  );
  return [name, ...importedFiles.flatMap(staticImports)];
}

/** A server for one visit. Each kind of request is held until its gate is opened. */
export async function startCountedServer(checkout: Checkout) {
  const entryFiles = new Set(staticImports('pay-invoice.js'));
  const gates = { entry: createGate(), lazy: createGate(), api: createGate() };
  const requestedPaths = new Set<string>();
  let bytes = 0;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname.slice(1);
    requestedPaths.add(path);
    const send = (type: string, body: string | Buffer, headers = {}): void => {
      const zipped = gzipSync(body, { level: 9 });
      bytes += zipped.length;
      response.writeHead(200, { 'content-type': type, 'content-encoding': 'gzip', ...headers }).end(zipped);
    };
    if (path === '') {
      send(
        'text/html; charset=utf-8',
        `<!doctype html><html lang="ru"><meta name="viewport" content="width=device-width"><title>Pay</title>
<link rel="icon" href="data:,"><script type="module" src="/pay-invoice.js"></script>
<body><pay-invoice checkout="chk_1"></pay-invoice>`,
      );
      return;
    }
    if (path.startsWith('checkout/')) {
      if (request.headers['if-none-match'] !== undefined) return; // A long poll is never answered.
      await gates.api.opened;
      send('application/json', JSON.stringify(checkout), { etag: '"1"' });
      return;
    }
    const file = new URL(path, folder);
    if (!/^[\w.-]+\.js$/.test(path) || !existsSync(file)) return void response.writeHead(404).end();
    await (entryFiles.has(path) ? gates.entry : gates.lazy).opened;
    send('text/javascript', readFileSync(file));
  }

  const server = createServer((request, response) => void respond(request, response));
  const { endpoint: url, close } = await listen(server, '/');
  return { url, gates, requests: () => requestedPaths.size, bytes: () => bytes, close };
}

export type CountedServer = Awaited<ReturnType<typeof startCountedServer>>;

async function readMetrics(cdp: CDPSession): Promise<Readonly<Record<string, number>>> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

/** Opens the page, releases its requests step by step, and counts its work until `selector` is painted. */
export async function countWork(
  browser: Browser,
  server: CountedServer,
  selector: string,
  needsLazyFiles: boolean,
): Promise<{ readonly work: Work; readonly timers: number; readonly bytes: number }> {
  const context = await browser.newContext({ viewport: { width: 800, height: 900 }, locale: 'ru-RU' });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  const modules = new Set<string>();
  cdp.on('Debugger.scriptParsed', ({ url, isModule }) => {
    if (isModule && url.startsWith(server.url)) modules.add(url);
  });
  await page.addInitScript(counterScript('short timers'));
  await cdp.send('Debugger.enable');
  await cdp.send('Performance.enable');
  await page.goto(server.url, { waitUntil: 'commit' });
  await page.locator('pay-invoice').waitFor({ state: 'attached' });
  await waitForFrames(page);
  const metricsBefore = await readMetrics(cdp);
  server.gates.entry.open();
  await waitForUpdate(page);
  await waitForFrames(page);
  const responseReceived = page.waitForResponse((response) => response.url().includes('/checkout/'));
  server.gates.api.open();
  if (needsLazyFiles) {
    await responseReceived;
    await waitForFrames(page);
    server.gates.lazy.open();
  }
  await page.locator(selector).first().waitFor({ state: 'attached' });
  await waitForFrames(page);
  const metricsAfter = await readMetrics(cdp);
  const { intl, timers } = await page.evaluate<Counts>('counts');
  const increaseOf = (name: string): number => (metricsAfter[name] ?? NaN) - (metricsBefore[name] ?? NaN);
  const work: Work = {
    requests: server.requests(),
    modules: modules.size,
    styleRecalculations: increaseOf('RecalcStyleCount'),
    layouts: increaseOf('LayoutCount'),
    intlConstructions: intl,
  };
  const bytes = server.bytes();
  await context.close();
  return { work, timers, bytes };
}

/** The animations that run in the page and in the widget. */
export const countAnimations = (page: Page): Promise<number> =>
  page
    .locator('pay-invoice')
    .evaluate(({ shadowRoot }) => document.getAnimations().length + (shadowRoot?.getAnimations().length ?? 0));

/** Counts the work of a minute of waiting, on a clock that the test moves. Each second is drawn. */
export async function countMinute(browser: Browser, server: CountedServer) {
  for (const { open } of Object.values(server.gates)) open();
  const context = await browser.newContext({ viewport: { width: 800, height: 900 }, locale: 'ru-RU' });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  await page.clock.install({ time: 0 });
  await page.clock.pauseAt(1000);
  await page.addInitScript(counterScript('all timers'));
  await page.goto(server.url);
  await page.locator('pay-invoice .tail').waitFor({ state: 'attached' });
  const cdp = await context.newCDPSession(page);
  await cdp.send('Performance.enable');
  await drawFrame(page);
  const countsBefore = await page.evaluate<Counts>('counts');
  const metricsBefore = await readMetrics(cdp);
  const shownTimes = new Set<string | null>();
  // Second by second, so that the effects of a timer happen before the next one.
  for (let second = 0; second < 60; second += 1) {
    await page.clock.runFor(1000);
    await drawFrame(page);
    shownTimes.add(await page.locator('pay-invoice [part=timer]').textContent());
  }
  const metricsAfter = await readMetrics(cdp);
  const countsAfter = await page.evaluate<Counts>('counts');
  const minuteCounts = {
    requests: countsAfter.requests - countsBefore.requests,
    timers: countsAfter.timers - countsBefore.timers,
    styleRecalculations: (metricsAfter['RecalcStyleCount'] ?? NaN) - (metricsBefore['RecalcStyleCount'] ?? NaN),
    animations: await countAnimations(page),
    shownTimes: shownTimes.size,
  };
  await context.close();
  return minuteCounts;
}
