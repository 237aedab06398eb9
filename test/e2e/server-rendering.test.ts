import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { render } from '@lit-labs/ssr';
import { collectResult } from '@lit-labs/ssr/lib/render-result.js';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import type { Checkout } from '../../src/protocol.ts';
import { payInvoiceTemplate } from '../../src/ssr.ts';
import { links, open, pending, sbp } from '../../demo/gallery-checkouts.ts';
import { launchChromium } from '../support/launch-chromium.ts';

type Chunk = Rolldown.OutputChunk;

/** Nothing is read within a test unless something asks for it. */
const minute = { poll_after_ms: 60_000 };
const choosing: Checkout = { ...open, ...minute };
const paying: Checkout = pending({ ...sbp, ...links }, minute);

let browser: Browser;
let server: Server;
let origin: string;
const files = new Map<string, string>();
const pages = new Map<string, string>();
/** What the page asked of the backend. */
let asked: string[] = [];

/** The page's module and its lazy chunks, with or without what takes over the server's nodes. */
async function bundle(name: string, entry: string): Promise<void> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      lib: { entry, formats: ['es'], fileName: () => `${name}.js` },
      rolldownOptions: { output: { chunkFileNames: `${name}-[name].js` } },
    },
  });
  for (const { output } of result as { output: Chunk[] }[])
    for (const { fileName, code } of output) files.set(`/${fileName}`, code);
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const page = pages.get(pathname);
  const file = files.get(pathname);
  if (page !== undefined) response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
  else if (file !== undefined) response.setHeader('content-type', 'text/javascript').end(file);
  else if (pathname.startsWith('/checkout/')) {
    asked.push(`${request.method ?? ''} ${pathname}`);
    const checkout = request.method === 'POST' ? paying : choosing;
    response.setHeader('content-type', 'application/json').setHeader('etag', '"1"');
    response.writeHead(request.method === 'POST' ? 201 : 200).end(JSON.stringify(checkout));
  } else response.writeHead(404).end();
}

interface Rendered {
  readonly initial: Checkout;
  readonly lang?: string;
  readonly script?: string;
  readonly context?: BrowserContextOptions;
}

interface Opened {
  readonly page: Page;
  readonly widget: Locator;
  readonly complaints: readonly string[];
  readonly close: () => Promise<void>;
}

/** Serves a page that a server has rendered, and opens it. `before` in it is the frame as it came. */
async function openPage({ initial, lang = 'ru', script = 'hydrated-page', context = {} }: Rendered): Promise<Opened> {
  const tag = await collectResult(
    render(await payInvoiceTemplate({ initial, lang, phoneUrl: '/orders/1', pageTitle: true })),
  );
  const path = `/page-${pages.size}`;
  pages.set(
    path,
    `<!doctype html><html lang="${lang}"><meta name="viewport" content="width=device-width"><title>Shop</title>
    <body>${tag}
    <script>before = document.querySelector('pay-invoice').shadowRoot.querySelector('[part=base]')</script>
    <script type="module" src="/${script}.js"></script>`,
  );
  asked = [];
  const own = await browser.newContext(context);
  own.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  own.on('weberror', (error) => complaints.push(String(error.error())));
  const page = await own.newPage();
  await page.goto(origin + path);
  return { page, widget: page.locator('pay-invoice'), complaints, close: () => own.close() };
}

/** Whether the frame on the screen is the very one that came from the server, and the only one. */
function kept(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const frames = document.querySelector('pay-invoice')?.shadowRoot?.querySelectorAll('[part=base]');
    return frames?.length === 1 && frames[0] === (globalThis as { before?: unknown }).before;
  });
}

/** Waits until the widget has hydrated the server's markup. */
const hydrated = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => Reflect.get(document.querySelector('pay-invoice') ?? {}, 'hasUpdated') === true);

before(async () => {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  [browser] = await Promise.all([
    launchChromium(),
    bundle('hydrated-page', 'test/e2e/hydrated-page.ts'),
    bundle('plain', 'src/pay-invoice.ts'),
  ]);
});

after(async () => {
  await browser.close();
  server.close();
});

describe('a checkout that a server has rendered', { timeout: 60_000 }, () => {
  it('shows the options before any script has run', async () => {
    const { widget, close } = await openPage({ initial: choosing, context: { javaScriptEnabled: false } });
    await widget.getByRole('heading', { name: /1.500/ }).waitFor();
    assert.equal(await widget.getByRole('radio').count(), choosing.options.length);
    await widget.getByRole('button', { name: 'Продолжить' }).waitFor();
    await close();
  });

  it('shows the requisites before any script has run', async () => {
    const { widget, close } = await openPage({ initial: paying, context: { javaScriptEnabled: false } });
    const phone = (await widget.locator('[part=value]').allTextContents()).join(' ').replace(/\D/g, '');
    assert.ok(phone.includes((paying.invoice?.sbp?.phone ?? '').replace(/\D/g, '')), phone);
    await close();
  });

  for (const lang of ['ru', 'en'])
    for (const [name, initial] of [
      ['options', choosing],
      ['requisites', paying],
    ] as const)
      for (const phone of [false, true])
        it(`is hydrated without replacing a node and without a request: ${name}, ${lang}, ${phone ? 'phone' : 'desktop'}`, async () => {
          const context = phone ? { viewport: { width: 360, height: 700 }, hasTouch: true, isMobile: true } : {};
          const { page, complaints, close } = await openPage({ initial, lang, context });
          await hydrated(page);
          assert.equal(await kept(page), true);
          assert.deepEqual(complaints, []);
          assert.deepEqual(asked, []);
          await close();
        });

  it('works after hydration: a click creates an invoice and shows its requisites', async () => {
    const { page, widget, close } = await openPage({ initial: choosing, lang: 'en' });
    await hydrated(page);
    await widget.getByRole('button', { name: 'Continue', exact: true }).click();
    await widget.locator('[part=requisites]').waitFor();
    assert.deepEqual(asked, ['POST /checkout/chk_gallery/invoice']);
    assert.equal(await kept(page), true);
    await close();
  });

  it('shows the link before the QR on a phone after hydration', async () => {
    const context = { viewport: { width: 360, height: 700 }, hasTouch: true, isMobile: true };
    const { page, widget, close } = await openPage({ initial: paying, lang: 'en', context });
    await hydrated(page);
    await widget.locator('a.main').first().waitFor();
    await close();
  });

  it('is replaced and not duplicated where the page does not hydrate', async () => {
    const { page, widget, complaints, close } = await openPage({ initial: choosing, script: 'plain' });
    await hydrated(page);
    await widget.getByRole('radio').first().waitFor();
    assert.equal(await widget.locator('[part=base]').count(), 1);
    assert.equal(await kept(page), false);
    assert.deepEqual(complaints, []);
    await close();
  });

  it('escapes the texts of the order', async () => {
    const description = '</script><script>globalThis.hacked = true</script><img src=x onerror="hacked = true">';
    const { page, widget, close } = await openPage({ initial: { ...choosing, description } });
    await hydrated(page);
    assert.equal(await widget.locator('.about').textContent(), description);
    assert.equal(await page.evaluate(() => 'hacked' in globalThis), false);
    await close();
  });
});
