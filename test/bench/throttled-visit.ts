// One visit to a page of the bench, in a browser context of its own, throttled by the DevTools protocol.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import type { Moment, Profile } from './results.ts';

const viewport = { width: 800, height: 900 };

const visitTimeoutMs = 60_000;
const probe = readFileSync(new URL('visibility-probe.js', import.meta.url), 'utf8');

/** A mark is reached once `count` elements of the selector are visible. */
export interface Mark {
  readonly name: 'options' | 'qr' | 'requisites';
  readonly selector: string;
  readonly count: number;
}

interface Request {
  readonly sentAt: number;
  endedAt?: number;
  bytes?: number;
}

/** When a mark was reached, and when the navigation of its page began, in ms since 1970. */
type MarkTime = Readonly<Record<'time' | 'navigationStart', number>>;

export interface VisitOptions {
  readonly url: string;
  readonly profile: Profile;
  readonly marks: readonly Mark[];
  /** Selects a button that is clicked in the frame in which the options are seen. */
  readonly clickAtOnce?: string | undefined;
}

export class Visit {
  readonly page: Page;
  readonly #cdp: CDPSession;
  readonly #markTimes = new Map<string, Promise<MarkTime>>();
  readonly #resolveMark = new Map<string, (time: MarkTime) => void>();
  readonly #requests = new Map<string, Request>();
  /** Requests to other hosts, and errors of the page. */
  readonly problems: string[] = [];

  private constructor(page: Page, cdp: CDPSession) {
    this.page = page;
    this.#cdp = cdp;
    for (const name of ['options', 'qr', 'requisites', 'click', 'sent'])
      this.#markTimes.set(name, new Promise((resolve) => this.#resolveMark.set(name, resolve)));
  }

  /** Opens a page. `waitForMark` resolves when the page reaches a mark. */
  static async open(browser: Browser, { url, profile, marks, clickAtOnce }: VisitOptions): Promise<Visit> {
    const context = await browser.newContext({ viewport, locale: 'ru-RU' });
    context.setDefaultTimeout(visitTimeoutMs);
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    const visit = new Visit(page, cdp);
    await visit.#prepare(url, profile, marks, clickAtOnce);
    await page.goto(url, { waitUntil: 'commit' });
    return visit;
  }

  async #prepare(url: string, profile: Profile, marks: readonly Mark[], clickAtOnce = ''): Promise<void> {
    const { origin } = new URL(url);
    let wallClockOffsetMs = 0;
    this.#cdp.on('Network.requestWillBeSent', ({ requestId, request, wallTime, timestamp }) => {
      if (!/^https?:/.test(request.url)) return;
      if (!request.url.startsWith(origin)) this.problems.push(`requested ${request.url}`);
      wallClockOffsetMs = (wallTime - timestamp) * 1000;
      this.#requests.set(requestId, { sentAt: wallTime * 1000 });
    });
    this.#cdp.on('Network.loadingFinished', ({ requestId, timestamp, encodedDataLength }) => {
      const request = this.#requests.get(requestId);
      if (request) Object.assign(request, { endedAt: timestamp * 1000 + wallClockOffsetMs, bytes: encodedDataLength });
    });
    this.page.on('pageerror', (error) => this.problems.push(String(error)));
    this.page.on('console', (message) => {
      if (message.type() === 'error') this.problems.push(message.text());
    });
    await this.page.exposeBinding('benchMark', (_, name: string, time: number, navigationStart: number) =>
      this.#resolveMark.get(name)?.({ time, navigationStart }),
    );
    await this.page.addInitScript({
      content: `(${probe
        .replace(/^\/\/.*$/gm, '')
        .trim()
        .replace(/;$/, '')})(${JSON.stringify(marks)}, ${JSON.stringify(clickAtOnce)});`,
    });
    await this.#cdp.send('Network.enable');
    await this.#cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    await this.#cdp.send('HeapProfiler.enable');
    await this.#cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
    const { latency, downloadThroughput, uploadThroughput, cpuRate } = profile;
    const networkConditions = { offline: false, latency, downloadThroughput, uploadThroughput };
    await this.#cdp.send('Network.emulateNetworkConditions', networkConditions);
    await this.#cdp.send('Emulation.setCPUThrottlingRate', { rate: cpuRate });
  }

  /** Waits until a mark is reached or a click happens. */
  async waitForMark(name: Mark['name'] | 'click' | 'sent'): Promise<MarkTime> {
    const timeout = sleep(visitTimeoutMs, undefined, { ref: false }).then(() => {
      throw new Error(`${this.page.url()}: no ${name} after ${visitTimeoutMs} ms`);
    });
    return Promise.race([this.#markTimes.get(name) ?? timeout, timeout]);
  }

  /** Computes the network use between two times in ms since 1970. */
  computeCost(time: number, from = 0): Pick<Moment, 'requests' | 'bytes'> {
    const sentRequests = [...this.#requests.values()].filter(({ sentAt }) => sentAt >= from && sentAt <= time);
    const endedRequests = sentRequests.filter(({ endedAt = Infinity }) => endedAt <= time);
    return { requests: sentRequests.length, bytes: endedRequests.reduce((sum, { bytes = 0 }) => sum + bytes, 0) };
  }

  /** Measures the time of tasks until now, and the heap in use after two garbage collections. */
  async measureWeight(): Promise<Required<Pick<Moment, 'taskMs' | 'heapBytes'>>> {
    const { metrics } = await this.#cdp.send('Performance.getMetrics');
    const seconds = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN;
    for (let collection = 0; collection < 2; collection += 1) await this.#cdp.send('HeapProfiler.collectGarbage');
    const { usedSize } = await this.#cdp.send('Runtime.getHeapUsage');
    return { taskMs: seconds * 1000, heapBytes: usedSize };
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}
