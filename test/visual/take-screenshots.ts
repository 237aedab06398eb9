import type { Browser, Page } from 'playwright-core';
import { states } from '../../demo/gallery-states.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { GalleryPage, serveGalleryPage } from './gallery-page.ts';

export interface Shot {
  readonly state: string;
  readonly theme: 'light' | 'dark';
  readonly width: number;
}

/** All states but the `hostile` ones, whose characters are drawn in the fonts of the machine. test/view checks those states. */
const stateNames = Object.keys(states).filter((name) => !name.startsWith('hostile'));
/** States that a phone does not have: it offers no other device, and has no room for the order. */
const statesOnDesktopOnly = ['phone', 'order'];
const statesOnDesktop = [
  ...statesOnDesktopOnly,
  'options',
  'amount',
  'qr-sbp',
  'transfer',
  'offline',
  'paid',
  'unreachable',
];
const statesInDark = ['options', 'amount-wrong', 'qr-sbp', 'paid', 'failed'];

const shotsOf = (theme: Shot['theme'], width: number, names: readonly string[]): readonly Shot[] =>
  names.map((state) => ({ state, theme, width }));

/** Every state on a phone, and some states on a desktop or in the dark theme. */
export const shots: readonly Shot[] = [
  ...shotsOf(
    'light',
    360,
    stateNames.filter((name) => !statesOnDesktopOnly.includes(name)),
  ),
  ...shotsOf('light', 1024, statesOnDesktop),
  ...shotsOf('dark', 360, statesInDark),
];

export const nameOf = ({ state, theme, width }: Shot): string => `${state}.${theme}.${width}`;

/** Takes pictures in a browser whose clock stands still. */
export class ScreenshotTaker {
  readonly #server: Awaited<ReturnType<typeof serveGalleryPage>>;
  readonly #browser: Browser;

  private constructor(server: Awaited<ReturnType<typeof serveGalleryPage>>, browser: Browser) {
    this.#server = server;
    this.#browser = browser;
  }

  static async open(): Promise<ScreenshotTaker> {
    return new ScreenshotTaker(await serveGalleryPage(), await launchChromium());
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#server.close();
  }

  /** Takes a picture of a state. `change` is called with the page before. */
  async take({ state, theme, width }: Shot, change?: (page: Page) => Promise<void>): Promise<Buffer> {
    const gallery = await GalleryPage.open(this.#browser, this.#server.url, { width, isTouch: width < 600 });
    const { page } = gallery;
    await gallery.show(state, theme, 'ru');
    await change?.(page);
    // Not `fullPage`: while it takes a picture that is higher than the window, the page has no touch screen.
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width, height });
    const picture = await page.screenshot({ animations: 'disabled', caret: 'hide', scale: 'css' });
    await gallery.close();
    return picture;
  }
}
