// The pay page of the standalone server with the built widget and the sandbox, in Chromium with and without JavaScript.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BrowserContextOptions } from 'playwright-core';
import { z } from 'zod';
import { axeViolations } from '../support/axe-violations.ts';
import { keepPicture } from '../support/keep-picture.ts';
import { until } from '../support/wait-until.ts';
import { scan } from './scan-qr.ts';
import { openBrowser } from './visit-page.ts';
import { openForFile } from '../support/open-for-file.ts';
import { adminToken } from '../support/buyer.ts';
import { startStandalone } from '../support/start-standalone.ts';

const seller = 'ООО «Лист и глина»';
const shop = { SHOP_NAME: 'Лист и глина', SHOP_ACCENT: '#0f766e', SHOP_LEGAL: seller };
const browser = await openBrowser();
const server = await openForFile(startStandalone(shop));
const universal = await openForFile(startStandalone({ ...shop, INVOICE_QR_UNIVERSAL: '1' }));

const created = z.object({ url: z.string(), capability: z.string() });
let orders = 0;

async function createCheckout(amount: string | null = '1500.00', { url } = server): Promise<z.output<typeof created>> {
  orders += 1;
  const response = await fetch(`${url}/admin/checkouts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      order_id: `order-${orders}`,
      ...(amount === null ? { amount_limits: { min_amount: '100' } } : { amount }),
      currency: 'RUB',
      description: 'Пиала',
      reference: String(orders),
      success_url: 'https://shop.example/thanks',
    }),
  });
  return created.parse(await response.json());
}

/** Opens a page. `problems` are what its policy refused, its errors and its messages. */
async function open(url: string, context: BrowserContextOptions) {
  const opened = await browser.newContext({ locale: 'ru-RU', ...context });
  const page = await opened.newPage();
  const problems: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(url);
  return { page, problems };
}

const invoiceSchema = z.object({ invoice: z.object({ payment_url: z.string(), nspk_url: z.string() }) });

/** What the payer does in the sandbox's bank. */
async function payInBank(capability: string): Promise<void> {
  const { invoice } = invoiceSchema.parse(await (await fetch(`${server.url}/checkout/${capability}`)).json());
  await fetch(invoice.payment_url, { method: 'POST', body: new URLSearchParams({ action: 'pay' }) });
}

const sizes = [
  { name: 'phone', viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  { name: 'desktop', viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
] as const;

describe('the pay page', { timeout: 300_000 }, () => {
  for (const { name, viewport, colorScheme } of sizes)
    it(`takes a payment without JavaScript: methods, a QR that can be scanned, a status that reloads itself, and the outcome (${name})`, async () => {
      const { url, capability } = await createCheckout();
      const context = { javaScriptEnabled: false, viewport, colorScheme };
      const { page, problems } = await open(url, context);
      await keepPicture(page, `pay-page-methods-${name}`);
      const width = await page.locator('html').evaluate((html) => html.scrollWidth);
      assert.ok(width <= viewport.width, `${width} px wide`);
      await page.getByRole('radio', { name: /СБП/ }).check();
      await page.getByRole('button', { name: 'Оплатить через СБП' }).click();
      await page.getByRole('img', { name: 'QR-код для оплаты' }).waitFor();
      const picture = await page.screenshot({ fullPage: true });
      const { invoice } = invoiceSchema.parse(await (await fetch(`${server.url}/checkout/${capability}`)).json());
      assert.equal(scan(picture), invoice.nspk_url);
      await page.frameLocator('iframe').getByText('Оплаты пока не видно.').waitFor();
      await keepPicture(page, `pay-page-waiting-${name}`);
      await payInBank(capability);
      await page
        .frameLocator('iframe')
        .getByRole('link', { name: /^Деньги получены/ })
        .click({ timeout: 30_000 });
      await page.getByRole('heading', { name: 'Деньги получены' }).first().waitFor();
      assert.equal(
        await page.getByRole('link', { name: /Вернуться/ }).getAttribute('href'),
        'https://shop.example/thanks',
      );
      await keepPicture(page, `pay-page-paid-${name}`);
      assert.deepEqual(problems, []);
    });

  for (const { name, viewport, colorScheme } of sizes)
    it(`is taken over by the widget, which the page's policy lets do all that it does, without a jump (${name})`, async () => {
      const { url, capability } = await createCheckout();
      const { page, problems } = await open(url, { viewport, colorScheme });
      const blocked = await open(url, { viewport, colorScheme, javaScriptEnabled: false });
      const before = (await blocked.page.getByRole('radio').first().boundingBox())?.y ?? NaN;
      await blocked.page.close();
      await page.locator('pay-invoice[status=open]').waitFor();
      const radio = page.locator('pay-invoice [part=method] input').first();
      await radio.waitFor();
      const widgetTop = (await radio.boundingBox())?.y ?? NaN;
      assert.ok(Math.abs(widgetTop - before) <= 8, `the first method moves by ${widgetTop - before} px`);
      await page.getByRole('button', { name: 'Оплатить через СБП' }).click();
      await page.locator('pay-invoice [part=qr]').waitFor();
      const sellers = page.getByText(seller).filter({ visible: true });
      assert.deepEqual(await sellers.evaluateAll((all) => all.map(({ tagName }) => tagName)), ['P']);
      await payInBank(capability);
      await page.locator('pay-invoice[status=paid]').waitFor({ timeout: 30_000 });
      // Once it is paid, the receipt says who sells, and the footer does not say it again.
      await page.locator('pay-invoice [slot=receipt]').waitFor();
      assert.deepEqual(await sellers.evaluateAll((all) => all.map(({ tagName }) => tagName)), ['BDI']);
      await keepPicture(page, `pay-page-widget-paid-${name}`);
      assert.deepEqual(problems, []);
    });

  for (const [locale, heading] of [
    ['ru', 'Оплатите по QR-коду'],
    ['en', 'Pay by the QR code'],
    ['kk', 'QR-код арқылы төлеңіз'],
  ] as const)
    it(`has the words for universal payment codes in the widget, too, where the shop has set them: ${locale}`, async () => {
      const { url } = await createCheckout('1500.00', universal);
      const { page, problems } = await open(url, { locale });
      const widget = page.locator('pay-invoice');
      await widget.locator('[part=method]').first().waitFor();
      const methods = await widget.innerText();
      await widget.locator('[part=continue]').click();
      await widget.getByRole('heading', { name: heading }).waitFor();
      await widget.locator('[part=requisites]').waitFor();
      assert.doesNotMatch(methods + (await widget.innerText()), /СБП|SBP/);
      assert.deepEqual(problems, []);
    });

  for (const colorScheme of ['light', 'dark'] as const)
    for (const { title, isScripted } of [
      { title: 'as the server renders it', isScripted: false },
      { title: 'with the widget', isScripted: true },
    ])
      it(`has no faults of accessibility ${title} (${colorScheme}): methods, an invoice, the outcome`, async () => {
        const { url, capability } = await createCheckout();
        const { page } = await open(url, { viewport: { width: 390, height: 844 }, colorScheme });
        if (!isScripted) {
          // Without its scripts the page is what the server has rendered; axe itself needs JavaScript.
          await page.route('**/*.js', (route) => route.abort());
          await page.reload();
        } else await page.locator('pay-invoice [aria-level="1"]').waitFor();
        await page.getByRole('radio', { name: /СБП/ }).check();
        const violations = { methods: await axeViolations(page), invoice: [''], outcome: [''] };
        await page.getByRole('button', { name: 'Оплатить через СБП' }).click();
        await page.getByRole('img', { name: 'QR-код' }).waitFor();
        await keepPicture(page, `pay-page-axe-invoice-${colorScheme}-${isScripted ? 'widget' : 'server'}`);
        violations.invoice = [...(await axeViolations(page))];
        await payInBank(capability);
        if (!isScripted) await page.goto(`${url}?check=1`);
        await page.getByRole('heading', { name: 'Деньги получены' }).first().waitFor({ timeout: 30_000 });
        violations.outcome = [...(await axeViolations(page))];
        assert.deepEqual(violations, { methods: [], invoice: [], outcome: [] });
      });

  it('keeps the method and the amount of a form without script that was refused, also when the widget takes over', async () => {
    const { url } = await createCheckout(null);
    const form = new URLSearchParams({ key: 'k', payment_method_id: 'pm_card', amount: '1,500.00' });
    const { headers } = await fetch(url, { method: 'POST', body: form, redirect: 'manual' });
    const { page, problems } = await open(new URL(headers.get('location') ?? '', url).href, {});
    await page.locator('pay-invoice [part=input]').waitFor();
    assert.equal(await page.locator('pay-invoice [part=input]').inputValue(), '1,500.00');
    const chosen = page.locator('pay-invoice [part=method].chosen');
    await chosen.waitFor();
    assert.match((await chosen.textContent()) ?? '', /Карта/);
    assert.deepEqual(problems, []);
  });

  it('offers its own address for paper as a QR, and is not found with another capability', async () => {
    const { url } = await createCheckout();
    const { page } = await open(`${url}/qr.svg`, { viewport: { width: 600, height: 600 } });
    assert.equal(scan(await page.screenshot()), url);
    const response = await page.goto(url.replace(/....$/, 'aaaa'));
    assert.equal(response?.status(), 404);
    await page.getByRole('heading', { name: 'Платёж не найден', level: 1 }).waitFor();
    assert.deepEqual(await axeViolations(page), []);
  });
});

describe('the first page of a trial', { timeout: 120_000 }, () => {
  for (const { name, viewport, colorScheme } of sizes)
    it(`leads by its own links to a paid order, and to the operator’s page that has it (${name})`, async () => {
      const { page, problems } = await open(server.url, { viewport, colorScheme });
      const width = await page.locator('html').evaluate((html) => html.scrollWidth);
      assert.ok(width <= viewport.width, `${width} px wide`);
      assert.deepEqual(await axeViolations(page), []);
      await keepPicture(page, `pay-page-first-${name}`);
      await page.getByRole('button', { name: 'Создать тестовый платёж' }).click();
      await page.locator('pay-invoice [part=continue]').click();
      const bank = await page.locator('pay-invoice [part=qr-link]').getAttribute('href');
      await page.goto(bank ?? '');
      await page.getByRole('button', { name: /^Оплатить/ }).click();
      await page.getByRole('link', { name: 'Вернуться в магазин' }).click();
      await until('the first page says that the order is paid', async () => {
        await page.reload();
        return page.getByText('Тестовый заказ оплачен').isVisible();
      });
      await page.getByRole('link', { name: 'Страница оператора' }).click();
      await page.getByLabel('Токен администратора').fill(adminToken);
      await page.getByRole('button', { name: 'Войти' }).click();
      await page
        .getByRole('link', { name: /trial-.*Оплачено/ })
        .first()
        .click();
      await page.getByText(/Доставка 1, Оплачено: /).waitFor();
      assert.deepEqual(problems, []);
    });
});
