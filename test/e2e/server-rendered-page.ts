// Pages with a server-rendered checkout, and a server that holds their scripts back until a test releases them.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { render } from '@lit-labs/ssr';
import { collectResult } from '@lit-labs/ssr/lib/render-result.js';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import type { Checkout } from '../../src/checkout-api.ts';
import { payInvoiceTemplate } from '../../src/ssr.ts';
import { links, checkoutWithoutInvoice, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { listen } from '../mounts/listen.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { waitForFrames, waitForUpdate } from '../support/wait-for-update.ts';
import { closePagesAfterEachTest } from './visit-page.ts';

/** The next poll comes after the end of a test, so that the test sees only the reads that it causes. */
const slowPolling = { poll_after_ms: 60_000 };
export const optionsCheckout: Checkout = { ...checkoutWithoutInvoice, ...slowPolling };
export const waitingCheckout: Checkout = makePendingCheckout({ ...sbp, ...links }, slowPolling);

/** The context of a phone, with its User-Agent. */
export const phoneContext = {
  viewport: { width: 360, height: 700 },
  hasTouch: true,
  isMobile: true,
  // A full-page screenshot switches the emulation of touch off; the User-Agent stays.
  userAgent:
    'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Mobile Safari/537.36',
} as const;

interface RenderOptions {
  readonly initial: Checkout;
  readonly lang?: string;
  /** The page's script: the element with Lit's hydration support, or the file for a CDN. */
  readonly script?: 'hydrated-page' | 'pay-invoice';
  readonly touch?: boolean;
  readonly autoContinue?: boolean;
  /** In seconds. */
  readonly returnAfter?: number;
  readonly context?: BrowserContextOptions;
  /** The backend's response to a read; by default `initial`. */
  readonly response?: Checkout;
  /** Called with the page before it loads. */
  readonly prepare?: (page: Page) => Promise<void>;
  /** Whether the server sends the scripts only after `release` was called. */
  readonly holdScripts?: boolean;
  /** Whether the server sends the second file only after `release` was called. */
  readonly holdSecondFile?: boolean;
}

interface OpenedPage {
  readonly page: Page;
  readonly widget: Locator;
  readonly browserErrors: readonly string[];
  /** Sends the scripts that were held back. */
  readonly release: () => void;
}

/** Builds the script of a page that hydrates, and its lazy chunks. */
async function bundleHydratedPage(): Promise<[path: string, code: string][]> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      lib: { entry: 'test/e2e/hydrated-page.ts', formats: ['es'], fileName: () => 'hydrated-page.js' },
      rolldownOptions: {
        // As in an application, modules that the entry shares with its chunks stay in the entry. So Lit's hydration support
        // runs before Lit.
        preserveEntrySignatures: 'allow-extension',
        output: { chunkFileNames: 'hydrated-page-[name].js' },
      },
    },
  });
  return (result as { output: Rolldown.OutputChunk[] }[]).flatMap(({ output }) =>
    output.map(({ fileName, code }): [string, string] => [`/${fileName}`, code]),
  );
}

/** The files for a CDN, by their paths. */
const readBuiltFiles = (): [path: string, code: string][] =>
  readdirSync('dist/cdn')
    .filter((name) => name.endsWith('.js'))
    .map((name) => [`/${name}`, readFileSync(`dist/cdn/${name}`, 'utf8')]);

/** Renders the HTML of a page as a server sends it. */
async function renderPage({
  initial,
  lang = 'ru',
  script = 'hydrated-page',
  touch = false,
  autoContinue,
  returnAfter,
}: RenderOptions): Promise<string> {
  // As a server renders it now: an older checkout would be read again at once.
  const current = { ...initial, server_time: new Date().toISOString() };
  const options = { initial: current, lang, phoneUrl: '/orders/1', pageTitle: true, touch, autoContinue, returnAfter };
  const tag = await collectResult(render(await payInvoiceTemplate(options)));
  return `<!doctype html><html lang="${lang}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Shop</title>
<link rel="icon" href="data:,"><body>${tag}
<script>before = document.querySelector('pay-invoice').shadowRoot.querySelector('[part=base]')</script>
<script type="module" src="/${script}.js"></script>`;
}

/** Starts a browser, whose pages are closed after each test, and the server of the pages. */
export async function startRenderedPages() {
  const pages = new Map<string, string>();
  let requests: string[] = [];
  let checkoutOfReads: Checkout = optionsCheckout;
  let scriptsReleased = Promise.resolve();
  let secondFileReleased = Promise.resolve();

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const page = pages.get(pathname);
    const file = files.get(pathname);
    if (page !== undefined) response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
    else if (file !== undefined) {
      await (pathname.includes('payment-screens') ? secondFileReleased : scriptsReleased);
      response.setHeader('content-type', 'text/javascript').end(file);
    } else if (pathname.startsWith('/checkout/')) {
      requests.push(`${request.method ?? ''} ${pathname}`);
      const checkout = request.method === 'POST' ? waitingCheckout : checkoutOfReads;
      response.setHeader('content-type', 'application/json').setHeader('etag', '"1"');
      response.writeHead(request.method === 'POST' ? 201 : 200).end(JSON.stringify(checkout));
    } else response.writeHead(404).end();
  }

  const server = await listen(
    createServer((request, response) => void respond(request, response)),
    '',
  );
  const browser = await launchChromium();
  closePagesAfterEachTest(browser);
  const files = new Map([...(await bundleHydratedPage()), ...readBuiltFiles()]);

  async function openPage(options: RenderOptions): Promise<OpenedPage> {
    const path = `/page-${pages.size}`;
    pages.set(path, await renderPage(options));
    requests = [];
    checkoutOfReads = options.response ?? options.initial;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    scriptsReleased = options.holdScripts ? released : Promise.resolve();
    secondFileReleased = options.holdScripts || options.holdSecondFile ? released : Promise.resolve();
    const context = await browser.newContext(options.context ?? {});
    context.setDefaultTimeout(30_000);
    const browserErrors: string[] = [];
    context.on('weberror', (error) => browserErrors.push(String(error.error())));
    const page = await context.newPage();
    await options.prepare?.(page);
    await page.goto(server.endpoint + path, { waitUntil: 'commit' });
    const widget = page.locator('pay-invoice');
    await page.locator('script[type=module]').waitFor({ state: 'attached' });
    return { page, widget, browserErrors, release: () => release() };
  }

  return {
    open: openPage,
    /** The requests of the last page to the backend, as `METHOD path`. */
    requests: (): readonly string[] => requests,
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** Waits until the element has rendered over the server's markup and the result is painted. */
export async function waitForHydration(page: Page): Promise<void> {
  await waitForUpdate(page);
  await waitForFrames(page);
}
