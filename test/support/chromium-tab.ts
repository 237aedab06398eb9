import type { BrowserContextOptions, ElementHandle, LaunchOptions } from 'playwright-core';
import type { BrowserTab } from './firefox-and-webkit.ts';
import { launchChromium } from './launch-chromium.ts';

/** One tab of Chromium, with the interface that Firefox and WebKitGTK have. */
export async function launchChromiumTab(
  options: LaunchOptions = {},
  contextOptions: BrowserContextOptions = {},
): Promise<BrowserTab> {
  const browser = await launchChromium(options);
  const page = await browser.newPage(contextOptions);
  const find = async (expression: string): Promise<ElementHandle> => {
    const element = (await page.evaluateHandle(expression)).asElement() as ElementHandle | null;
    if (element === null) throw new Error(`there is no ${expression}`);
    return element;
  };
  return {
    async goto(url) {
      await page.goto(url);
    },
    resize: (width, height) => page.setViewportSize({ width, height }),
    evaluate: (expression) => page.evaluate<unknown>(expression),
    click: async (expression) => (await find(expression)).click({ timeout: 10_000 }),
    pressArrowDown: async (expression) => (await find(expression)).press('ArrowDown'),
    screenshot: () => page.screenshot(),
    close: () => browser.close(),
  };
}
