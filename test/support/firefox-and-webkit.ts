import puppeteer, { type ElementHandle } from 'puppeteer-core';
import { firefox, setViewportOf } from './browser/firefox.mjs';
import { miniBrowser, setWindowSize, startWebKit } from './browser/webkit-driver.mjs';

/** One tab of the system's Firefox or WebKitGTK, which Playwright cannot drive. Expressions are JavaScript that runs in the page. */
export interface BrowserTab {
  readonly goto: (url: string) => Promise<void>;
  /** Sets the size of the page's window, in CSS pixels. */
  readonly resize: (width: number, height: number) => Promise<void>;
  /** Returns the value of an expression. */
  readonly evaluate: (expression: string) => Promise<unknown>;
  /** Clicks the element that is the value of an expression, with the mouse. */
  readonly click: (expression: string) => Promise<void>;
  /** Presses the key that leads to the next radio button, in the element that is the value of an expression. */
  readonly pressArrowDown: (expression: string) => Promise<void>;
  /** A screenshot as PNG. */
  readonly screenshot: () => Promise<Buffer>;
  readonly close: () => Promise<void>;
}

/** Settings of Firefox by their names in about:config. */
type FirefoxPreferences = Readonly<Record<string, string | number | boolean>>;

/** Launches Firefox, which is controlled by WebDriver BiDi. */
async function launchFirefox(executablePath: string, preferences: FirefoxPreferences): Promise<BrowserTab> {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    defaultViewport: null,
    extraPrefsFirefox: preferences,
  });
  const page = await browser.newPage();
  const find = async (expression: string): Promise<ElementHandle> => {
    const element = (await page.evaluateHandle(expression)).asElement() as ElementHandle | null;
    if (element === null) throw new Error(`there is no ${expression}`);
    return element;
  };
  return {
    async goto(url) {
      await page.goto(url);
    },
    resize: (width, height) => setViewportOf(page, { width, height }),
    evaluate: (expression) => page.evaluate(expression),
    click: async (expression) => (await find(expression)).click(),
    pressArrowDown: async (expression) => (await find(expression)).press('ArrowDown'),
    screenshot: async () => Buffer.from(await page.screenshot()),
    close: () => browser.close(),
  };
}

/** Launches WebKitGTK, which is controlled by WebDriver. */
async function launchWebKit(): Promise<BrowserTab> {
  const { send, stop } = await startWebKit();
  const evaluate = (expression: string): Promise<unknown> =>
    send('POST', '/execute/sync', { script: `return ${expression}`, args: [] });
  const idOf = async (expression: string): Promise<string> => {
    const id: unknown = Object.values(Object(await evaluate(expression)) as Record<string, unknown>)[0];
    if (typeof id !== 'string') throw new Error(`there is no ${expression}`);
    return id;
  };
  return {
    async goto(url) {
      await send('POST', '/url', { url });
    },
    resize: (width, height) => setWindowSize(send, { width, height }),
    evaluate,
    async click(expression) {
      await send('POST', `/element/${await idOf(expression)}/click`, {});
    },
    async pressArrowDown(expression) {
      await send('POST', `/element/${await idOf(expression)}/value`, { text: '\uE015' });
    },
    screenshot: async () => Buffer.from(String(await send('GET', '/screenshot')), 'base64'),
    close: stop,
  };
}

/** The functions that launch Firefox and WebKitGTK; undefined for a browser that is not installed. */
export function firefoxAndWebKitLaunchers(
  preferences: FirefoxPreferences = {},
): Readonly<Record<string, (() => Promise<BrowserTab>) | undefined>> {
  const path = firefox();
  return {
    Firefox: path === undefined ? undefined : () => launchFirefox(path, preferences),
    WebKit: miniBrowser() === undefined ? undefined : launchWebKit,
  };
}
