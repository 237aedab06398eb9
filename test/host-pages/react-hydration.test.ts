// The components of docs/frameworks.md, as they are written there, with React 19: rendered on a server, hydrated in Chromium.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build, type BuildOptions } from 'esbuild';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { documentOf, filesOfSection } from '../docs/documents.ts';
import { closePagesAfterEachTest } from '../e2e/visit-page.ts';
import { listen } from '../mounts/listen.ts';
import { cardOption, makeCheckout, makeOpenCheckout, sbpOption } from '../support/checkout-responses.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { openForFile } from '../support/open-for-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/wait-until.ts';

const react = resolve('test/host-pages/node_modules/react');
const isMissing = !existsSync(react);
const browser = await openForFile(launchChromium());
closePagesAfterEachTest(browser);

const guide = documentOf('docs/frameworks.md');

/** A component of the guide, and a page that shows it. */
interface Sample {
  readonly component: string | undefined;
  readonly app: string;
}

const reactSample: Sample = {
  component: filesOfSection(guide, 'React 19')['src/Checkout.tsx'],
  app: `
import { Checkout } from './component';
export const app = <Checkout id="chk_1" onPaid={(...paid) => { globalThis.paid = [...(globalThis.paid ?? []), paid] }} />;
`,
};

const paidCheckout = makeCheckout('paid', {}, { id: 'co_1', reference: '1001' });
/** The page of an order that is paid: its event comes at once. */
const nextSample: Sample = {
  component: filesOfSection(guide, 'Next 16')['app/orders/[order]/payment.tsx'],
  app: `
import { Payment } from './component';
const json = ${JSON.stringify(JSON.stringify({ ...paidCheckout, server_time: new Date().toISOString() }))};
export const app = <Payment checkout="chk_1" markup={'<script type="application/json">' + json + '</script>'} />;
`,
};

/** Builds a program of React. The package's entries are those of dist. */
const bundle = (folder: string, options: BuildOptions): Promise<unknown> =>
  build({
    absWorkingDir: folder,
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    logLevel: 'error',
    nodePaths: [resolve('test/host-pages/node_modules'), resolve('node_modules')],
    alias: { 'pay-invoice/react': resolve('dist/types/react.js'), 'pay-invoice': resolve('dist/lib/pay-invoice.js') },
    define: { 'process.env.NODE_ENV': '"development"' },
    ...options,
  });

/**
 * Opens a page with the component: rendered by the server and hydrated, or rendered in the browser. With `isDefined` the tag is defined
 * before, as on the second page of an app.
 */
async function openComponent(
  { component = assert.fail('no component'), app }: Sample,
  isHydrated: boolean,
  isDefined = false,
): Promise<{ page: Page; warnings: string[]; html: string; pay: () => void }> {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries({
    'component.tsx': component,
    'app.tsx': app,
    'server.tsx': `import { renderToString } from 'react-dom/server'; import { app } from './app'; export const html = renderToString(app);`,
    'client.tsx': `${isDefined ? `import 'pay-invoice';` : ''}${
      isHydrated
        ? `import { hydrateRoot } from 'react-dom/client'; import { app } from './app'; hydrateRoot(document.querySelector('#root'), app);`
        : `import { createRoot } from 'react-dom/client'; import { app } from './app'; createRoot(document.querySelector('#root')).render(app);`
    }`,
  }))
    writeFileSync(join(folder, name), text);
  const banner = {
    js: `import { createRequire } from 'node:module'; const require = createRequire('${pathToFileURL(folder).href}/');`,
  };
  await bundle(folder, { entryPoints: ['server.tsx'], outfile: 'server.mjs', platform: 'node', banner });
  await bundle(folder, { entryPoints: ['client.tsx'], outdir: 'client', splitting: true });
  const { html } = z.object({ html: z.string() }).parse(await import(pathToFileURL(join(folder, 'server.mjs')).href));
  let isPaid = false;
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').replace(/\?.*/, '');
    const file = join(folder, 'client', path);
    if (path === '/') {
      response.setHeader('content-type', 'text/html');
      response.end(
        `<!doctype html><html lang="en"><link rel="icon" href="data:,"><div id="root">${isHydrated ? html : ''}</div><script type="module" src="/client.js"></script></html>`,
      );
    } else if (path.startsWith('/checkout/')) {
      const checkout = isPaid ? makeCheckout('paid') : makeOpenCheckout({ options: [sbpOption, cardOption] });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...checkout, id: 'co_1', poll_after_ms: 1000 }));
    } else if (existsSync(file)) {
      response.setHeader('content-type', 'text/javascript');
      response.end(readFileSync(file));
    } else response.writeHead(404).end();
  });
  const { endpoint, close } = await listen(server, '');
  const page = await browser.newPage({ locale: 'en-GB' });
  page.on('close', () => void close());
  const warnings: string[] = [];
  page.on('pageerror', (error) => warnings.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) warnings.push(message.text());
  });
  await page.goto(endpoint);
  return { page, warnings, html, pay: () => (isPaid = true) };
}

describe(
  'a React component of the guide',
  { timeout: 300_000, skip: isMissing ? `NOT INSTALLED: ${react}` : false },
  () => {
    for (const isHydrated of [true, false])
      it(`has its properties and its events where it is ${isHydrated ? 'hydrated' : 'rendered in the browser'}`, async () => {
        const { page, warnings, html, pay } = await openComponent(reactSample, isHydrated);
        assert.match(html, /^<pay-invoice [^>]*checkout="chk_1"/);
        // The text of the property `messages`.
        await page.getByRole('button', { name: 'Go on' }).waitFor({ timeout: 10_000 });
        pay();
        await page.locator('pay-invoice[status=paid]').waitFor({ timeout: 30_000 });
        await until('the event', () => page.evaluate(() => 'paid' in globalThis), 10_000);
        const calls = await page.evaluate(() => Reflect.get(globalThis, 'paid') as unknown);
        z.array(z.tuple([z.string()]))
          .length(1)
          .parse(calls);
        assert.deepEqual(warnings, []);
      });

    for (const isHydrated of [true, false])
      it(`hears the event of an order that is paid already, where Next ${isHydrated ? 'hydrates' : 'renders'} it`, async () => {
        const { page } = await openComponent(nextSample, isHydrated, !isHydrated);
        await page.locator('pay-invoice[status=paid]').waitFor();
        await page.locator('p[role=status]', { hasText: 'Paid 1001' }).waitFor({ timeout: 5000 });
      });
  },
);
