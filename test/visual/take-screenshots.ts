import type { Browser, Page } from 'playwright-core';
import { states } from '../../demo/gallery-states.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { GalleryPage, serveGalleryPage } from './gallery-page.ts';

export interface Shot {
  readonly state: string;
  readonly theme: 'light' | 'dark';
  readonly width: number;
}

/** Without the `hostile` states, whose characters are drawn in the fonts of the machine. test/view checks those states. */
const named = Object.keys(states).filter((name) => !name.startsWith('hostile'));
/** On a phone there is no other device to continue on, and no room for the order. */
const onDesktopOnly = ['phone', 'order'];
const onDesktop = [...onDesktopOnly, 'options', 'amount', 'qr-sbp', 'transfer', 'offline', 'paid', 'unreachable'];
const inDark = ['options', 'amount-wrong', 'qr-sbp', 'paid', 'failed'];

const all = (theme: Shot['theme'], width: number, names: readonly string[]): readonly Shot[] =>
  names.map((state) => ({ state, theme, width }));

/** Every state on a phone, and some on a desktop or in dark. */
export const shots: readonly Shot[] = [
  ...all(
    'light',
    360,
    named.filter((name) => !onDesktopOnly.includes(name)),
  ),
  ...all('light', 1024, onDesktop),
  ...all('dark', 360, inDark),
];

export const nameOf = ({ state, theme, width }: Shot): string => `${state}.${theme}.${width}`;

/** Takes pictures in a browser whose clock stands still. */
export class ScreenshotTaker {
  readonly #served: Awaited<ReturnType<typeof serveGalleryPage>>;
  readonly #browser: Browser;

  private constructor(served: Awaited<ReturnType<typeof serveGalleryPage>>, browser: Browser) {
    this.#served = served;
    this.#browser = browser;
  }

  static async open(): Promise<ScreenshotTaker> {
    return new ScreenshotTaker(await serveGalleryPage(), await launchChromium());
  }

  /** A picture of the same page in another browser, which has `env` beside its own variables. */
  async takeInBrowserWith(env: NodeJS.ProcessEnv, shot: Shot): Promise<Buffer> {
    const browser = await launchChromium({ env });
    try {
      return await new ScreenshotTaker(this.#served, browser).take(shot);
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
    await this.#served.close();
  }

  /** Takes a picture of a state. `change` is called with the page before. */
  async take({ state, theme, width }: Shot, change?: (page: Page) => Promise<void>): Promise<Buffer> {
    const gallery = await GalleryPage.open(this.#browser, this.#served.url, { width, isTouch: width < 600 });
    const { page } = gallery;
    await gallery.show(state, theme, 'ru');
    await change?.(page);
    const picture = await page.screenshot({ fullPage: true, animations: 'disabled', caret: 'hide', scale: 'css' });
    await gallery.close();
    return picture;
  }
}
