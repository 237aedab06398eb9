// One visit to a page of the bench, in a browser context of its own, throttled by the DevTools protocol.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import type { Profile } from './profiles.ts';

export const viewport = { width: 800, height: 900 };

const visitTimeoutMs = 60_000;
const probe = readFileSync(new URL('visibility-probe.js', import.meta.url), 'utf8');

/** A mark is reached once `count` elements of the selector are visible. */
export interface Mark {
  readonly name: 'options' | 'qr';
  readonly selector: string;
  readonly count: number;
}

interface Request {
  readonly sentAt: number;
  endedAt?: number;
  bytes?: number;
}

/** The network use of a page until a moment. */
export interface Cost {
  /** Bytes over the wire of the responses that were complete, headers included. */
  readonly bytes: number;
  /** Requests begun until then. */
  readonly requests: number;
}

/** The main-thread time and the memory of a page at a moment. Times in ms, sizes in bytes. */
export interface Weight {
  readonly taskMs: number;
  readonly scriptMs: number;
  readonly heapBytes: number;
}

/** When a mark appeared, and when the navigation of its page began, ms since 1970. */
type MarkTime = Readonly<Record<'time' | 'origin', number>>;

export interface VisitOptions {
  readonly url: string;
  readonly profile: Profile;
  readonly marks: readonly Mark[];
  /** The page has been visited before in this tab, unthrottled. */
  readonly isSecond?: boolean | undefined;
  /** Called right before the navigation. */
  readonly onReady?: (page: Page) => Promise<void>;
}

export class Visit {
  readonly page: Page;
  readonly #cdp: CDPSession;
  readonly #markTimes = new Map<string, Promise<MarkTime>>();
  readonly #resolveMark = new Map<string, (time: MarkTime) => void>();
  readonly #requests = new Map<string, Request>();
  /** Requests to other hosts, and errors of the page. */
  readonly complaints: string[] = [];

  private constructor(page: Page, cdp: CDPSession) {
    this.page = page;
    this.#cdp = cdp;
    for (const name of ['options', 'qr', 'click'])
      this.#markTimes.set(name, new Promise((resolve) => this.#resolveMark.set(name, resolve)));
  }

  /** Opens a page; `when` resolves for each mark. */
  static async open(browser: Browser, { url, profile, marks, isSecond, onReady }: VisitOptions): Promise<Visit> {
    const context = await browser.newContext({ viewport, locale: 'ru-RU' });
    context.setDefaultTimeout(visitTimeoutMs);
    const page = await context.newPage();
    if (isSecond) {
      await page.goto(url);
      await page
        .locator(marks[0]?.selector ?? 'body')
        .first()
        .waitFor();
    }
    const cdp = await context.newCDPSession(page);
    const visit = new Visit(page, cdp);
    await visit.#prepare(url, profile, marks);
    await onReady?.(page);
    await page.goto(url, { waitUntil: 'commit' });
    return visit;
  }

  async #prepare(url: string, profile: Profile, marks: readonly Mark[]): Promise<void> {
    const { origin } = new URL(url);
    let offset = 0;
    this.#cdp.on('Network.requestWillBeSent', ({ requestId, request, wallTime, timestamp }) => {
      if (!/^https?:/.test(request.url)) return;
      if (!request.url.startsWith(origin)) this.complaints.push(`requested ${request.url}`);
      offset = (wallTime - timestamp) * 1000;
      this.#requests.set(requestId, { sentAt: wallTime * 1000 });
    });
    this.#cdp.on('Network.loadingFinished', ({ requestId, timestamp, encodedDataLength }) => {
      const request = this.#requests.get(requestId);
      if (request) Object.assign(request, { endedAt: timestamp * 1000 + offset, bytes: encodedDataLength });
    });
    this.page.on('pageerror', (error) => this.complaints.push(String(error)));
    this.page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    await this.page.exposeBinding('benchMark', (_, name: string, time: number, origin: number) =>
      this.#resolveMark.get(name)?.({ time, origin }),
    );
    await this.page.addInitScript({
      content: `(${probe
        .replace(/^\/\/.*$/gm, '')
        .trim()
        .replace(/;$/, '')})(${JSON.stringify(marks)});`,
    });
    await this.#cdp.send('Network.enable');
    await this.#cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    await this.#cdp.send('HeapProfiler.enable');
    await this.#cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
    const { latency, downloadThroughput, uploadThroughput, cpuRate } = profile;
    const conditions = { offline: false, latency, downloadThroughput, uploadThroughput };
    await this.#cdp.send('Network.emulateNetworkConditions', conditions);
    await this.#cdp.send('Emulation.setCPUThrottlingRate', { rate: cpuRate });
  }

  /** When a mark was reached or a click happened, in ms since 1970, and when the page's navigation began. */
  async when(name: 'options' | 'qr' | 'click'): Promise<MarkTime> {
    const late = sleep(visitTimeoutMs, undefined, { ref: false }).then(() => {
      throw new Error(`${this.page.url()}: no ${name} after ${visitTimeoutMs} ms`);
    });
    return Promise.race([this.#markTimes.get(name) ?? late, late]);
  }

  /** The network use from one moment to another. */
  costUntil(time: number, from = 0): Cost {
    const sent = [...this.#requests.values()].filter(({ sentAt }) => sentAt >= from && sentAt <= time);
    const ended = sent.filter(({ endedAt = Infinity }) => endedAt <= time);
    return { requests: sent.length, bytes: ended.reduce((sum, { bytes = 0 }) => sum + bytes, 0) };
  }

  async #metrics(): Promise<Readonly<Record<string, number>>> {
    const { metrics } = await this.#cdp.send('Performance.getMetrics');
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  }

  /** The time of tasks and of script until now, and the heap in use after two garbage collections. */
  async weigh(): Promise<Weight> {
    const { TaskDuration = NaN, ScriptDuration = NaN } = await this.#metrics();
    for (let turn = 0; turn < 2; turn += 1) await this.#cdp.send('HeapProfiler.collectGarbage');
    const { usedSize } = await this.#cdp.send('Runtime.getHeapUsage');
    return { taskMs: TaskDuration * 1000, scriptMs: ScriptDuration * 1000, heapBytes: usedSize };
  }

  /**
   * The processor time, in ms, of the page's tasks in a span of `spanMs`, and the style recalculations. It is measured at full
   * speed: the throttling pauses the processor in slices that are longer than these tasks, so it would affect only some.
   */
  async idle(spanMs: number): Promise<{ readonly taskMs: number; readonly recalculations: number }> {
    await this.#cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 });
    const before = await this.#metrics();
    await sleep(spanMs);
    const after = await this.#metrics();
    const passed = (name: string): number => (after[name] ?? NaN) - (before[name] ?? NaN);
    return { taskMs: passed('TaskDuration') * 1000, recalculations: passed('RecalcStyleCount') };
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
