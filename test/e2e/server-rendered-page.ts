// Pages with a server-rendered checkout, and a server that holds their scripts back until a test releases them.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { render } from '@lit-labs/ssr';
import { collectResult } from '@lit-labs/ssr/lib/render-result.js';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import type { Checkout } from '../../src/protocol.ts';
import { payInvoiceTemplate } from '../../src/ssr.ts';
import { links, open, pending, sbp } from '../../demo/gallery-checkouts.ts';
import { launchChromium } from '../support/launch-chromium.ts';

type Chunk = Rolldown.OutputChunk;

/** The next poll is after the end of a test: it sees only the reads that it causes. */
const late = { poll_after_ms: 60_000 };
export const choosing: Checkout = { ...open, ...late };
export const waiting: Checkout = pending({ ...sbp, ...links }, late);

/** A phone with its User-Agent. */
export const phone = {
  viewport: { width: 360, height: 700 },
  hasTouch: true,
  isMobile: true,
  // A full-page screenshot switches the emulation of touch off; the User-Agent stays.
  userAgent:
    'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Mobile Safari/537.36',
} as const;

export interface Rendered {
  readonly initial: Checkout;
  readonly lang?: string;
  /** The page's script: the element with Lit's hydration support, or the element alone as in the file for a CDN. */
  readonly script?: 'hydrated-page' | 'plain';
  readonly touch?: boolean;
  readonly autoContinue?: boolean;
  /** In seconds. */
  readonly returnAfter?: number;
  readonly context?: BrowserContextOptions;
  /** The backend's response to a read; by default `initial`. */
  readonly response?: Checkout;
  /** Called with the page before it loads. */
  readonly prepare?: (page: Page) => Promise<void>;
  /** Scripts are answered once `release` is called. */
  readonly held?: boolean;
}

export interface Opened {
  readonly page: Page;
  readonly widget: Locator;
  readonly complaints: readonly string[];
  /** Answers the scripts that were held back. */
  readonly release: () => void;
  readonly close: () => Promise<void>;
}

export interface RenderedPages {
  readonly open: (rendered: Rendered) => Promise<Opened>;
  /** What the last page requested from the backend. */
  readonly requested: () => readonly string[];
  readonly close: () => Promise<void>;
}

/** The script of a page and its lazy chunks, by path. */
async function bundle(name: string, entry: string): Promise<[path: string, code: string][]> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      lib: { entry, formats: ['es'], fileName: () => `${name}.js` },
      rolldownOptions: {
        // As in an application: what the entry shares with its chunks stays in it, so that Lit runs after its hydration support.
        preserveEntrySignatures: 'allow-extension',
        output: { chunkFileNames: `${name}-[name].js` },
      },
    },
  });
  return (result as { output: Chunk[] }[]).flatMap(({ output }) =>
    output.map(({ fileName, code }): [string, string] => [`/${fileName}`, code]),
  );
}

/** The page that a server sends. */
export async function renderPage({
  initial,
  lang = 'ru',
  script = 'hydrated-page',
  touch = false,
  autoContinue,
  returnAfter,
}: Rendered): Promise<string> {
  const options = { initial, lang, phoneUrl: '/orders/1', pageTitle: true, touch, autoContinue, returnAfter };
  const tag = await collectResult(render(await payInvoiceTemplate(options)));
  return `<!doctype html><html lang="${lang}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Shop</title>
<link rel="icon" href="data:,"><body>${tag}
<script>before = document.querySelector('pay-invoice').shadowRoot.querySelector('[part=base]')</script>
<script type="module" src="/${script}.js"></script>`;
}

/** Starts a browser, and the server of the pages. */
export async function startRenderedPages(): Promise<RenderedPages> {
  const pages = new Map<string, string>();
  let requested: string[] = [];
  let response: Checkout = choosing;
  let released = Promise.resolve();

  async function answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const page = pages.get(pathname);
    const file = files.get(pathname);
    if (page !== undefined) reply.setHeader('content-type', 'text/html; charset=utf-8').end(page);
    else if (file !== undefined) {
      await released;
      reply.setHeader('content-type', 'text/javascript').end(file);
    } else if (pathname.startsWith('/checkout/')) {
      requested.push(`${request.method ?? ''} ${pathname}`);
      const checkout = request.method === 'POST' ? waiting : response;
      reply.setHeader('content-type', 'application/json').setHeader('etag', '"1"');
      reply.writeHead(request.method === 'POST' ? 201 : 200).end(JSON.stringify(checkout));
    } else reply.writeHead(404).end();
  }

  const server: Server = createServer((request, reply) => void answer(request, reply)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [browser, ...bundles]: [Browser, ...[string, string][][]] = await Promise.all([
    launchChromium(),
    bundle('hydrated-page', 'test/e2e/hydrated-page.ts'),
    bundle('plain', 'src/pay-invoice.ts'),
  ]);
  const files = new Map(bundles.flat());

  async function openPage(rendered: Rendered): Promise<Opened> {
    const path = `/page-${pages.size}`;
    pages.set(path, await renderPage(rendered));
    requested = [];
    response = rendered.response ?? rendered.initial;
    let release = (): void => undefined;
    released = rendered.held ? new Promise((resolve) => (release = resolve)) : Promise.resolve();
    const context = await browser.newContext(rendered.context ?? {});
    context.setDefaultTimeout(30_000);
    const complaints: string[] = [];
    context.on('weberror', (error) => complaints.push(String(error.error())));
    const page = await context.newPage();
    await rendered.prepare?.(page);
    await page.goto(origin + path, { waitUntil: 'commit' });
    const widget = page.locator('pay-invoice');
    await page.locator('script[type=module]').waitFor({ state: 'attached' });
    return { page, widget, complaints, release: () => release(), close: () => context.close() };
  }

  return {
    open: openPage,
    requested: () => requested,
    async close() {
      await browser.close();
      server.close();
    },
  };
}

/** Waits until the element has rendered over the server's markup. */
export const isUpdated = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => Reflect.get(document.querySelector('pay-invoice') ?? {}, 'hasUpdated') === true);

/** Waits until the element has rendered over the server's markup and the result is painted. */
export async function hydrated(page: Page): Promise<void> {
  await isUpdated(page);
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(resolve));
      }),
  );
}
