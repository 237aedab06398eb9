// The pay page in a frame of a shop's site: the lines of the guide, on two origins.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { adminToken } from '../support/buyer.ts';
import { keepPicture } from '../support/keep-picture.ts';
import { openForFile } from '../support/open-for-file.ts';
import { startStandalone } from '../support/start-standalone.ts';
import { startMerchantSite } from './merchant-site.ts';
import { openBrowser } from './visit-page.ts';

const browser = await openBrowser();
const site = await openForFile(startMerchantSite());
const server = await openForFile(startStandalone({ FRAME_ANCESTORS: `https://other.example, ${site.url}` }));
const guide = readFileSync('docs/standalone-server.md', 'utf8');
const [, documentedSandbox = ''] = /^`(allow-scripts [^`]*)`/m.exec(guide) ?? [];
const [, lines = ''] = /```html\n(<iframe [^]*?)```/.exec(guide) ?? [];

interface FramedPage {
  readonly page: Page;
  readonly url: string;
  /** What the shop's page was told, with the sender's origin. */
  readonly readMessages: () => Promise<readonly unknown[]>;
}

let orders = 0;

/** Opens a page of the shop with the guide's lines. `host` may be another name of the shop's machine. */
async function openShop({
  host = '127.0.0.1',
  isPhone = false,
  sandbox = '',
  javaScriptEnabled = true,
  isWaiting = false,
} = {}): Promise<FramedPage> {
  orders += 1;
  const response = await fetch(`${server.url}/admin/checkouts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ order_id: `frame-${orders}`, amount: '1500.00', currency: 'RUB' }),
  });
  const { url } = z.object({ url: z.string() }).parse(await response.json());
  if (isWaiting)
    await fetch(url, { method: 'POST', body: new URLSearchParams({ key: 'k', payment_method_id: 'pm_sbp' }) });
  const block = lines.replace(/https:[^"]*chk_…/, url).replace('https://pay.shop.example', new URL(url).origin);
  const framed = sandbox === '' ? block : block.replace('<iframe', `<iframe sandbox="${sandbox}"`);
  const recorder = `<script>const told = []; addEventListener('message', (e) => told.push([e.origin, e.data]))</script>`;
  const viewport = { width: isPhone ? 390 : 700, height: 900 };
  const page = await browser.newPage({
    locale: 'ru-RU',
    viewport,
    hasTouch: isPhone,
    isMobile: isPhone,
    javaScriptEnabled,
  });
  const address = site.addPage(`<title>Shop</title><h1>Pay here</h1>${recorder}${framed}`);
  await page.goto(address.replace('127.0.0.1', host));
  return { page, url, readMessages: () => page.evaluate<readonly unknown[]>('told') };
}

/** The address of the invoice in the sandbox's bank. */
async function readPaymentUrl(url: string): Promise<string> {
  const { invoice } = z
    .object({ invoice: z.object({ payment_url: z.string() }) })
    .parse(await (await fetch(url.replace('/pay/', '/checkout/'))).json());
  return invoice.payment_url;
}

/** What the payer does there. */
const payInBank = async (url: string): Promise<unknown> =>
  fetch(await readPaymentUrl(url), { method: 'POST', body: new URLSearchParams({ action: 'pay' }) });

const typesOf = (messages: readonly unknown[]): readonly string[] =>
  messages.map((message) => z.tuple([z.string(), z.object({ type: z.string() })]).parse(message)[1].type);

async function untilTold(type: string, { page, readMessages }: FramedPage): Promise<readonly unknown[]> {
  await page.waitForFunction(`told.some(([, { type }]) => type === ${JSON.stringify(type)})`);
  return readMessages();
}

describe('the pay page in a frame of the shop', { timeout: 120_000 }, () => {
  it('takes a payment, is as high as its content, and tells the shop’s page what happens and nothing else', async () => {
    const shop = await openShop();
    const { page, url } = shop;
    const frame = page.frameLocator('iframe');
    await untilTold('ready', shop);
    await frame.getByRole('radio', { name: /СБП/ }).check();
    await frame.getByRole('button', { name: 'Оплатить через СБП' }).click();
    await frame.locator('[part=qr]').waitFor();
    const heights = async (): Promise<readonly [number, number]> => [
      await page.locator('iframe').evaluate((element) => element.clientHeight),
      await frame.locator('html').evaluate((element) => element.scrollHeight),
    ];
    await page.waitForFunction(`document.querySelector('iframe').clientHeight > 500`);
    const [waitingHeight, content] = await heights();
    assert.ok(content <= waitingHeight, `${content} px in a frame of ${waitingHeight} px`);
    await keepPicture(page, 'pay-page-in-frame');
    await payInBank(url);
    const messages = await untilTold('paid', shop);
    await page.waitForFunction(`document.querySelector('iframe').clientHeight < ${waitingHeight}`); // it gets lower again
    assert.deepEqual([...new Set(typesOf(messages))].toSorted(), ['height', 'paid', 'ready']);
    const text = JSON.stringify(messages);
    assert.doesNotMatch(text, /chk_|1500|\bco_/);
    assert.match(text, new RegExp(`^\\[\\["${new URL(url).origin}",\\{"source":"pay-invoice",`));
  });

  it('leaves the frame by the bank’s link on a phone', async () => {
    const shop = await openShop({ isPhone: true });
    const frame = shop.page.frameLocator('iframe');
    await frame.getByRole('radio', { name: /СБП/ }).check();
    await frame.getByRole('button', { name: 'Оплатить через СБП' }).click();
    await frame
      .getByRole('link', { name: /приложени/i })
      .first()
      .tap();
    await shop.page.waitForURL((address) => address.origin !== new URL(site.url).origin);
    assert.equal(shop.page.frames().length, 1);
  });

  it('saves the QR code and prints the receipt in the sandbox that the guide names', async () => {
    const { page, url } = await openShop({ isPhone: true, sandbox: documentedSandbox, isWaiting: true });
    const refusals: string[] = [];
    page.on('console', (message) => {
      if (message.text().includes('sandboxed')) refusals.push(message.text());
    });
    const frame = page.frameLocator('iframe');
    await frame.getByText('Показать QR-код').tap();
    const download = page.waitForEvent('download');
    await frame.getByRole('button', { name: 'Сохранить QR-код' }).tap();
    await download;
    await payInBank(url);
    await frame.getByRole('button', { name: /Распечатать/ }).tap();
    assert.deepEqual(refusals, []);
  });

  for (const javaScriptEnabled of [true, false])
    it(`leads to a tab of its own from a sandbox without an origin, which cannot pay (${javaScriptEnabled ? 'with' : 'without'} script)`, async () => {
      const sandbox = 'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox';
      const { page, url } = await openShop({ sandbox, javaScriptEnabled });
      const frame = page.frameLocator('iframe');
      await frame.getByRole('button', { name: 'Оплатить через СБП' }).click();
      await frame.getByRole('heading', { name: 'Отсюда заплатить нельзя' }).waitFor();
      const opening = page.waitForEvent('popup');
      await frame.getByRole('link', { name: 'Открыть страницу оплаты' }).click();
      const tab = await opening;
      assert.equal(tab.url(), url);
      await tab.getByRole('button', { name: 'Оплатить через СБП' }).waitFor();
    });

  it('says at once that a sandbox without an origin cannot pay, also where it forbids forms', async () => {
    const { page } = await openShop({ sandbox: 'allow-scripts' });
    await page.waitForLoadState('networkidle');
    const frame = page.frameLocator('iframe');
    await frame.getByRole('button', { name: 'Оплатить через СБП' }).click();
    // Nothing says before that the payer only has to wait.
    await frame.getByRole('heading', { name: 'Отсюда заплатить нельзя' }).waitFor({ timeout: 5000 });
  });

  it('follows the status in a sandbox without an origin, whose script may read nothing', async () => {
    const shop = await openShop({ sandbox: 'allow-scripts', isWaiting: true });
    const failures: string[] = [];
    shop.page.on('requestfailed', (request) => failures.push(request.url()));
    const frame = shop.page.frameLocator('iframe');
    await frame.locator('.status').scrollIntoViewIfNeeded(); // What nobody sees is not loaded.
    const status = frame.frameLocator('iframe');
    await status.getByText('Оплаты пока не видно.').waitFor();
    await payInBank(shop.url);
    await status.getByText('Деньги получены').waitFor({ timeout: 30_000 });
    assert.equal(await status.getByRole('link').count(), 0); // It could not lead the page around it.
    await keepPicture(shop.page, 'pay-page-in-sandbox');
    await frame.getByRole('link', { name: 'Проверить оплату' }).click();
    await frame.getByRole('heading', { name: 'Деньги получены' }).waitFor();
    assert.deepEqual(failures, []);
  });

  for (const [way, sandbox] of Object.entries({
    'the window': 'allow-scripts allow-popups allow-top-navigation-by-user-activation',
    'a tab of its own': 'allow-scripts allow-popups',
    'a page that says why it cannot': 'allow-scripts',
  }))
    it(`leads to the bank in ${way} from the sandbox “${sandbox}”`, async () => {
      const { page, url } = await openShop({ sandbox, isWaiting: true });
      const bank = new URL(await readPaymentUrl(url)).origin;
      const link = page.frameLocator('iframe').getByRole('link', { name: 'Оплатить на сайте банка' });
      const opening = way === 'a tab of its own' ? page.waitForEvent('popup') : page;
      await link.click();
      if (way === 'a page that says why it cannot')
        return page.frameLocator('iframe').getByRole('heading', { name: 'Отсюда заплатить нельзя' }).waitFor();
      await (await opening).waitForURL((address) => address.origin === bank);
    });

  it('shows nothing to a page of another origin, and tells it nothing', async () => {
    const { page, readMessages } = await openShop({ host: 'localhost' });
    await page.waitForLoadState('networkidle');
    assert.equal(page.frames()[1]?.url(), 'chrome-error://chromewebdata/');
    assert.deepEqual(await readMessages(), []);
  });

  it('is the only page that may be framed: the operator’s page may not', async () => {
    const policy = (await fetch(`${server.url}/admin`)).headers.get('content-security-policy') ?? '';
    assert.match(policy, /frame-ancestors 'none'/);
  });
});
