// Each file of the built widget stalls, is refused and is cut, in each language: the payer can pay, and the page learns of it.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Checkout } from '../../src/checkout-api.ts';
import { qrCodeOf } from '../../src/server/domain/qr-codes.ts';
import { makePendingCheckout, transfer } from '../../demo/gallery-checkouts.ts';
import { listen } from '../mounts/listen.ts';
import { makeCheckout, makeInvoice } from '../support/checkout-responses.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { until } from '../support/wait-until.ts';
import { openMarkupPage } from './checkout-markup-page.ts';

const adviceText = z.object({ 'qr.save-by-screenshot': z.string() });
const folder = 'dist/cdn';
const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
const partOf = (name: string): string => /pay-invoice\.(\w+)-/.exec(name)?.[1] ?? 'first';
const texts = {
  ru: ['Оплатить на\u00a0сайте банка', 'Оплачено'],
  en: ['Pay on your bank’s site', 'Paid'],
  kk: ['Банк сайтында төлеу', 'Төленді'],
} as const;
const languages = ['ru', 'en', 'kk'] as const;
const textsOfPhone = {
  ru: {
    loading: 'Загружаем',
    continueOnPhone: 'Продолжить на телефоне',
    late: 'Страница загрузилась не полностью',
    copy: 'Скопировать ссылку',
  },
  en: {
    loading: 'Loading',
    continueOnPhone: 'Continue on your phone',
    late: 'The page did not load completely',
    copy: 'Copy the link',
  },
  kk: {
    loading: 'Жүктелуде',
    continueOnPhone: 'Телефонда жалғастыру',
    late: 'Бет толық жүктелмеді',
    copy: 'Сілтемені көшіру',
  },
} as const;
/** How the payer keeps the QR code where the file that saves it does not come. */
const adviceIn = Object.fromEntries(
  Object.entries({ ru: 'ru/second-file', en: 'en', kk: 'kk' }).map(([lang, path]) => {
    const { 'qr.save-by-screenshot': text } = adviceText.parse(
      JSON.parse(readFileSync(`src/locales/${path}.json`, 'utf8')),
    );
    return [lang, text.replaceAll('\u00a0', ' ')];
  }),
);

const link =
  'https://qr.nspk.ru/AD100004BAL7227F9BNP6KNE007J9B3K?type=02&bank=100000000007&sum=150000&cur=RUB&crc=AB75';
const invoice = { ...makeInvoice({ nspk_url: link }), sbp: undefined };
/** A QR code comes with the answer, except where the file of the encoder is the one that fails. */
const waitingFor = (part: string): Checkout =>
  makeCheckout('pending', part === 'qr' ? invoice : { ...invoice, qr: qrCodeOf(link) }, { poll_after_ms: 5000 });
const paidCheckout = makeCheckout('paid', invoice);

const faults = {
  stalls: () => undefined,
  'is refused': (response: ServerResponse) => void response.writeHead(503).end(),
  'is cut': (response: ServerResponse, body: Buffer) => {
    response.writeHead(200, { 'content-type': 'text/javascript', 'content-length': body.length });
    response.write(body.subarray(0, body.length / 2), () => setTimeout(() => response.destroy(), 20));
  },
} as const;

/** What a page's own code or a filter for advertisements leaves of a file. The browser keeps it until the page is loaded again. */
const comesEmpty = (response: ServerResponse): void =>
  void response.writeHead(200, { 'content-type': 'text/javascript' }).end('(function(){})();');

/** The element's events that the page has recorded, in their order. */
declare const recorded: string[];

describe('a file of the widget', { timeout: 600_000 }, () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof startSite>>;

  async function startSite() {
    const state = {
      page: '',
      checkout: paidCheckout,
      failing: '',
      fail: faults.stalls as (response: ServerResponse, body: Buffer) => void,
      /** Responses that the fault has left open. */
      open: new Array<() => void>(),
    };
    const server = createServer(({ url = '/' }, response) => {
      const name = url.slice(1).replace(/\?.*/, '');
      if (name === '') response.setHeader('content-type', 'text/html; charset=utf-8').end(state.page);
      else if (name.startsWith('checkout/'))
        response.setHeader('content-type', 'application/json').end(JSON.stringify(state.checkout));
      else {
        const body = readFileSync(`${folder}/${name}`);
        const send = (): void => void response.setHeader('content-type', 'text/javascript').end(body);
        if (name !== state.failing) send();
        else {
          state.fail(response, body);
          if (!response.headersSent) state.open.push(send);
        }
      }
    });
    const { endpoint: url, close } = await listen(server, '/');
    return Object.assign(state, { url, close });
  }

  before(async () => {
    [browser, site] = await Promise.all([launchChromium(), startSite()]);
  });
  after(async () => {
    await browser.close();
    await site.close();
  });

  async function openPage(lang: string, options: BrowserContextOptions = {}, attributes = ''): Promise<Page> {
    site.page = `<!doctype html><html lang="${lang}"><link rel="icon" href="data:," />
      <script>
        const recorded = [];
        for (const name of ['ready', 'error', 'paid']) addEventListener('pay-invoice-' + name, () => recorded.push(name));
      </script>
      <script type="module" src="/pay-invoice.js"></script>
      <pay-invoice checkout="${paidCheckout.id}" ${attributes}><a slot="fallback" href="/pay">Fallback</a></pay-invoice>`;
    const page = await browser.newPage(options);
    await page.clock.install();
    await page.goto(site.url, { waitUntil: 'commit' });
    return page;
  }

  it('has its tests here, whichever of those that are built', () => {
    assert.deepEqual(files.map(partOf).sort(), ['en', 'first', 'kk', 'payment', 'qr', 'rarely']);
  });

  for (const name of files.filter((file) => partOf(file) === 'rarely'))
    for (const lang of languages)
      for (const [fault, fail] of Object.entries(faults))
        it(`(rarely needed, ${lang}) ${fault}: the payer is told how to keep the QR code, and saves it once the file comes`, async () => {
          Object.assign(site, { failing: name, fail, checkout: waitingFor('rarely'), open: [] });
          const page = await openPage(lang, { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
          await page.locator('.fold summary').tap();
          await page.locator('.fold canvas').waitFor();
          await page.locator('.fold button').tap();
          const advice = page.locator('.fold p');
          await until('the advice', async () => {
            await page.clock.fastForward(1000);
            return advice.isVisible();
          });
          assert.equal((await advice.innerText()).replaceAll('\u00a0', ' '), adviceIn[lang]);
          site.failing = '';
          for (const send of site.open) send();
          const download = page.waitForEvent('download');
          await until('the file', async () => {
            await page.locator('.fold button').tap();
            return Promise.race([download.then(() => true), delay(500, false)]);
          });
          await page.close();
        });

  for (const name of files.filter((file) => partOf(file) !== 'rarely'))
    for (const lang of languages)
      for (const [fault, fail] of Object.entries({ ...faults, 'comes empty': comesEmpty }))
        it(`(${partOf(name)}, ${lang}) ${fault}: the payer can pay, and the page learns of the payment`, async () => {
          const part = partOf(name);
          Object.assign(site, { failing: name, fail, checkout: waitingFor(part), open: [] });
          const page = await openPage(lang);
          if (part === 'first') {
            await page.getByText('Fallback').waitFor();
            await page.close();
            return;
          }
          const isNeeded = part === 'payment' || part === 'qr' || part === lang;
          const expected = part === lang ? texts.ru : texts[lang];
          await page.waitForFunction(() => document.querySelector('pay-invoice')?.getAttribute('status') === 'pending');
          await page.clock.fastForward(8500);
          await page.getByText(expected[0]).first().waitFor();
          if (isNeeded) await page.waitForFunction(() => recorded.includes('error'));
          site.checkout = paidCheckout;
          await until('the event', async () => {
            await page.clock.fastForward(5000);
            return page.evaluate(() => recorded.includes('paid'));
          });
          await page.getByText(expected[1]).first().waitFor();
          if (fail === comesEmpty) {
            await page.close();
            return;
          }
          // The file comes after all.
          site.failing = '';
          for (const send of site.open) send();
          await until('the texts of the language', async () => {
            await page.clock.fastForward(5000);
            return page.locator('.due', { hasText: texts[lang][1] }).isVisible();
          });
          assert.equal(await page.evaluate(() => recorded.filter((type) => type === 'ready').length), 1);
          await page.close();
        });

  for (const name of files.filter((file) => partOf(file) === 'payment'))
    it('(payment) stalls while the page moves the element into a frame: it is complete there', async () => {
      Object.assign(site, { failing: name, fail: faults.stalls, checkout: waitingFor('payment'), open: [] });
      const page = await openPage('en');
      await page.waitForFunction(() => document.querySelector('pay-invoice')?.getAttribute('status') === 'pending');
      await page.evaluate(() => {
        const frame = document.createElement('iframe');
        document.body.append(frame);
        frame.contentDocument?.body.append(document.querySelector('pay-invoice') ?? '');
      });
      site.failing = '';
      for (const send of site.open) send();
      await page.clock.fastForward(5000);
      await page.frameLocator('iframe').getByText('Pay on your bank’s site').first().waitFor();
      const sheets = await page.evaluate(() => {
        const element = document.querySelector('iframe')?.contentDocument?.querySelector('pay-invoice');
        return element?.shadowRoot?.adoptedStyleSheets.flatMap(({ cssRules }) => [...cssRules]).length;
      });
      site.checkout = paidCheckout;
      const paid = page.frameLocator('iframe').getByText('Payment received').first();
      await until('the receipt', async () => {
        await page.clock.fastForward(5000);
        return paid.isVisible();
      });
      await page.close();
      const other = await openPage('en');
      await other.getByText('Payment received').first().waitFor();
      assert.equal(
        sheets,
        await other.evaluate(
          () =>
            document
              .querySelector('pay-invoice')
              ?.shadowRoot?.adoptedStyleSheets.flatMap(({ cssRules }) => [...cssRules]).length,
        ),
      );
      await other.close();
    });

  for (const name of files.filter((file) => partOf(file) === 'qr'))
    for (const lang of languages)
      for (const [fault, fail] of Object.entries(faults))
        it(`(qr for a phone, ${lang}) ${fault}: the payer sees that it loads, and then why not, with the address to copy`, async () => {
          const checkout = makeCheckout('pending', makeInvoice({ card: { card_number: '2200700112345672' } }));
          Object.assign(site, { failing: name, fail, checkout, open: [] });
          const page = await openPage(lang, {}, 'phone-url="/orders/1"');
          const { loading, continueOnPhone, late, copy } = textsOfPhone[lang];
          await page.getByRole('button', { name: continueOnPhone }).click();
          if (fault === 'stalls') await page.locator('.qr').getByText(loading).waitFor();
          const note = page.locator('.note', { hasText: late });
          await until('the note', async () => {
            await page.clock.fastForward(1000);
            return note.isVisible();
          });
          await page.evaluate(() =>
            document.addEventListener('copy', (event) => recorded.push(String(event.clipboardData?.getData('text')))),
          );
          await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
          await note.getByRole('button', { name: copy }).click();
          assert.equal(await page.evaluate(() => recorded.at(-1)), `${site.url}orders/1`);
          site.failing = '';
          for (const send of site.open) send();
          await page.getByRole('button', { name: continueOnPhone }).click();
          await page.locator('canvas').waitFor();
          assert.equal(await note.count(), 0);
          await page.close();
        });
});

describe('a page that a server has rendered', { timeout: 300_000 }, () => {
  let browser: Browser;
  before(async () => {
    browser = await launchChromium();
  });
  after(() => browser.close());

  for (const [lang, held] of [
    ['en', /\.en-/],
    ['kk', /\.kk-/],
    ['ru', /payment-screens/],
  ] as const)
    it(`keeps its requisites while the file ${String(held)} stalls, and shows the payment (${lang})`, async () => {
      const initial = makePendingCheckout(transfer, { poll_after_ms: 5000 });
      const { page, backend, heldFiles, release } = await openMarkupPage(browser, {
        initial,
        lang,
        held,
        async prepare(prepared) {
          await prepared.clock.install();
          await prepared.addInitScript(() => {
            Object.assign(globalThis, { recorded: [] });
            for (const type of ['error', 'paid']) addEventListener(`pay-invoice-${type}`, () => recorded.push(type));
          });
        },
      });
      const requisites = page.locator('[slot=markup] dl');
      await until('the request', () => heldFiles() > 0);
      for (let passedMs = 0; passedMs < 60_000; passedMs += 5000) await page.clock.fastForward(5000);
      await page.waitForFunction(() => recorded.includes('error'));
      assert.equal(await requisites.isVisible(), true);
      backend.checkout = { ...paidCheckout, id: initial.id };
      await until('the event', async () => {
        await page.clock.fastForward(10_000);
        return page.evaluate(() => recorded.includes('paid'));
      });
      await page.getByText(texts.ru[1]).first().waitFor();
      await until('the texts of the language', async () => {
        await release();
        await page.clock.fastForward(5000);
        return page.locator('.due', { hasText: texts[lang][1] }).isVisible();
      });
    });
});
