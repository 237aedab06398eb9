import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { states } from '../../demo/gallery-states.ts';
import { serveBuiltWidget } from '../support/serve-built-widget.ts';

/** A device on which the gallery is shown. */
export interface Device {
  readonly width: number;
  readonly isTouch: boolean;
  readonly height?: number;
  /** The pixels of a picture for each pixel of CSS; 1 by default. */
  readonly pixels?: number;
}

/** Serves page.html with the widget that ships; with `?source`, the page has the widget from its source. */
export async function serveGalleryPage(): ReturnType<typeof serveBuiltWidget> {
  const { url, close } = await serveBuiltWidget();
  return { url: `${url}test/visual/page.html`, close };
}

/** One page of a browser in which the states are shown one after another. Its clock stands still. */
export class GalleryPage {
  readonly page: Page;
  readonly #context: BrowserContext;

  private constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.page = page;
  }

  static async open(
    browser: Browser,
    url: string,
    { width, height = 800, isTouch, pixels = 1 }: Device,
  ): Promise<GalleryPage> {
    const context = await browser.newContext({
      viewport: { width, height },
      deviceScaleFactor: pixels,
      locale: 'ru-RU',
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
      hasTouch: isTouch,
    });
    const page = await context.newPage();
    const start = new Date('2026-11-20T10:00:00Z');
    // The clock runs until it is paused, which may take seconds on a busy machine.
    await page.clock.install({ time: start.getTime() - 60_000 });
    await page.clock.pauseAt(start.getTime() + 1000);
    // While Vite bundles the packages for the first time, a page may miss them.
    for (let attempts = 0; ; attempts += 1) {
      await page.goto(url);
      if (await page.evaluate(() => 'show' in globalThis)) break;
      if (attempts === 3) throw new Error(`${url} could not be loaded`);
    }
    return new GalleryPage(context, page);
  }

  /** Shows a state instead of the previous one, and advances the clock until the state is complete. */
  async show(state: string, theme: 'light' | 'dark', lang: string, names: 'ru' | 'en' = 'ru'): Promise<void> {
    await this.page.evaluate((settings) => show(...settings), [state, theme, lang, names] as const);
    await this.#waitUntilDone();
    const { twoMinutesLater, clipboard } = states[state] ?? {};
    // After a jump of the clock, 10.3 s include the session's next poll. After a copy, 1.3 s end while "Copied" is shown, which
    // takes 2.5 s. Each duration ends between two ticks of the countdown.
    await this.page.clock.runFor(twoMinutesLater === true ? 10_300 : clipboard === 'accepts' ? 1300 : 5300);
    await this.settle();
  }

  /** Waits for the fonts of what is shown. */
  async settle(): Promise<void> {
    await this.page.evaluate(() => waitForFonts());
    await this.#waitUntilDone();
  }

  async #waitUntilDone(): Promise<void> {
    for (;;) {
      const progress = await this.page.evaluate(() => globalThis.progress);
      if (progress === true) return;
      if (progress !== false) throw new Error(progress);
      await delay(10);
    }
  }

  close(): Promise<void> {
    return this.#context.close();
  }
}
