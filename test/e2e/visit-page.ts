import { after, afterEach } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, LaunchOptions, Locator, Page } from 'playwright-core';
import { ExampleServerProcess } from '../support/example-server-process.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { openForFile } from '../support/open-for-file.ts';

/** A payer's visit to the demo shop, and the errors that the browser reports. */
export interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly widget: Locator;
  /** Errors, and violations of the security policy. */
  readonly browserErrors: readonly string[];
  /** The origins of all requests. */
  readonly origins: ReadonlySet<string>;
}

export interface VisitOptions extends BrowserContextOptions {
  /** How many years the device's clock is ahead. */
  readonly yearsAhead?: number;
}

/** Shifts the page's clock. It runs in the page, before the page's own scripts. */
function shiftClock(ms: number): void {
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...dateParts: unknown[]) {
      super(...((dateParts.length === 0 ? [RealDate.now() + ms] : dateParts) as [number]));
    }

    static override now(): number {
      return RealDate.now() + ms;
    }
  } as DateConstructor;
}

/** Closes the pages of each test after it. Called before the tests of a file are declared. */
export function closePagesAfterEachTest(browser: Browser): void {
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });
}

/** Starts a browser for the tests of one file. */
export async function openBrowser(options: LaunchOptions = {}): Promise<Browser> {
  const browser = await openForFile(launchChromium(options));
  closePagesAfterEachTest(browser);
  return browser;
}

/** Starts a shop and a browser for the tests of one file. */
export async function shopAndBrowser(
  options: LaunchOptions = {},
): Promise<{ readonly shop: ExampleServerProcess; readonly browser: Browser }> {
  const shop = await ExampleServerProcess.start();
  after(() => shop.stop());
  return { shop, browser: await openBrowser(options) };
}

/** Opens the shop in English, in a context of its own. */
export async function visit(
  browser: Browser,
  url: string,
  { yearsAhead, ...options }: VisitOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  context.setDefaultTimeout(30_000);
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      console.error(`the policy refused ${violatedDirective} ${blockedURI}`);
    });
  });
  if (yearsAhead !== undefined) await context.addInitScript(shiftClock, yearsAhead * 365 * 86_400_000);
  const browserErrors: string[] = [];
  const origins = new Set<string>();
  context.on('weberror', (error) => browserErrors.push(String(error.error())));
  context.on('console', (message) => {
    if (message.type() === 'error') browserErrors.push(message.text());
  });
  context.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:') origins.add(origin);
  });
  const page = await context.newPage();
  await page.goto(url);
  return { context, page, widget: page.locator('pay-invoice'), browserErrors, origins };
}

/** The shop's catalogue. Its first page is the payment of an order that is ready. */
export const goodsOf = ({ url }: ExampleServerProcess): string => `${url}/#goods`;

/** Puts a tea bowl for 1,500 roubles in the cart and orders it. */
export async function placeOrder(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add: Tea bowl' }).click();
  await page.getByRole('button', { name: 'Place the order' }).click();
}

/** The name of SBP, in English or Russian. */
export const sbp = /^(SBP \(Faster Payments\)|СБП)/;
/** The card, in the service's name and in the widget's English one. */
export const card = /^(?:Карта|Card|Transfer to a card)$/;

/** Chooses a method and continues. */
export async function chooseMethod(widget: Locator, method: string | RegExp): Promise<void> {
  await widget.getByRole('radio', { name: method, exact: true }).check();
  await widget.locator('[part=continue]').click();
}

/** Presses a button beside the shop. */
export async function pressButton(page: Page, name: string): Promise<void> {
  await page.locator('#side').getByRole('button', { name, exact: true }).click();
}

/** Unfolds the shop's panel for developers. */
export const openDeveloperPanel = (page: Page): Promise<void> => page.getByText('For developers').click();

/** A heading of the widget's screen. */
export const findHeading = (widget: Locator, name: string): Locator =>
  widget.getByRole('heading', { name, exact: true });

/** The value of a requisite, without the spaces between its groups. */
export async function valueOf(widget: Locator, label: string): Promise<string> {
  await findCopyButton(widget, label).waitFor();
  const row = widget.locator('[part=requisite]', { hasText: label });
  return ((await row.locator('[part=value]').textContent()) ?? '').replace(/\s/g, '');
}

export const findCopyButton = (widget: Locator, label: string): Locator =>
  widget.getByRole('button', { name: `Copy ${label}`, exact: true });
