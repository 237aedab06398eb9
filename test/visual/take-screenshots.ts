import type { Browser, Page } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { states } from '../../demo/gallery-states.ts';
import { launchChromium } from '../support/launch-chromium.ts';

export interface Shot {
  readonly state: string;
  readonly theme: 'light' | 'dark';
  readonly width: number;
}

/** Names of strangers are drawn in whatever fonts the machine has: those states are held by test/view alone. */
const named = Object.keys(states).filter((name) => !name.startsWith('hostile'));
/** Where a phone has nothing to hand over. */
const onDesktopOnly = 'phone';
const onDesktop = [onDesktopOnly, 'options', 'amount', 'qr-sbp', 'transfer', 'offline', 'paid', 'unreachable'];
const inDark = ['options', 'amount-wrong', 'qr-sbp', 'paid', 'failed'];

const all = (theme: Shot['theme'], width: number, names: readonly string[]): readonly Shot[] =>
  names.map((state) => ({ state, theme, width }));

/** Every state on a phone, and some on a desktop or in dark. */
export const shots: readonly Shot[] = [
  ...all(
    'light',
    360,
    named.filter((name) => name !== onDesktopOnly),
  ),
  ...all('light', 1024, onDesktop),
  ...all('dark', 360, inDark),
];

export const nameOf = ({ state, theme, width }: Shot): string => `${state}.${theme}.${width}`;

/** Takes pictures in a browser whose clock stands still. */
export class Studio {
  readonly #server: ViteDevServer;
  readonly #browser: Browser;

  private constructor(server: ViteDevServer, browser: Browser) {
    this.#server = server;
    this.#browser = browser;
  }

  static async open(): Promise<Studio> {
    const server = await createServer({
      logLevel: 'error',
      server: { port: 0, host: '127.0.0.1', hmr: false, ws: false },
    });
    await server.listen();
    return new Studio(server, await launchChromium());
  }

  /** A picture of the same page in another browser, which has `env` beside its own variables. */
  async takeInBrowserWith(env: NodeJS.ProcessEnv, shot: Shot): Promise<Buffer> {
    const browser = await launchChromium({ env });
    try {
      return await new Studio(this.#server, browser).take(shot);
    } finally {
      await browser.close();
    }
  }

  /** The version of its browser. */
  get browser(): string {
    return `Chromium ${this.#browser.version()}`;
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#server.close();
  }

  /** `change` is done to the page before its picture is taken. */
  async take({ state, theme, width }: Shot, change?: (page: Page) => Promise<void>): Promise<Buffer> {
    const context = await this.#browser.newContext({
      viewport: { width, height: 800 },
      locale: 'ru-RU',
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
      hasTouch: width < 600,
    });
    const page = await context.newPage();
    const start = new Date('2026-11-20T10:00:00Z');
    await page.clock.install({ time: start });
    await page.clock.pauseAt(start.getTime() + 1000);
    const [address] = this.#server.resolvedUrls?.local ?? [];
    await page.goto(`${address ?? ''}test/visual/page.html`);
    await page.evaluate(([name, colours]) => show(name, colours), [state, theme] as const);
    const hasJumped = states[state]?.later === true; // which the next beat of the session finds
    await page.clock.runFor(hasJumped ? 10_300 : 5300); // between two seconds of the countdown
    await page.evaluate(async () => {
      document.body.getBoundingClientRect(); // fonts begin to load when the text is laid out
      await document.fonts.ready;
    });
    await change?.(page);
    const picture = await page.screenshot({ fullPage: true, animations: 'disabled', caret: 'hide', scale: 'css' });
    await context.close();
    return picture;
  }
}
