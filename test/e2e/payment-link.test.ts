// A seller makes a link on his phone, hands it over, and sees the payment arrive.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { axeViolations } from '../support/axe-violations.ts';
import { adminToken } from '../support/buyer.ts';
import { openForFile } from '../support/open-for-file.ts';
import { startStandalone } from '../support/start-standalone.ts';
import { scan } from './scan-qr.ts';
import { openBrowser } from './visit-page.ts';

const server = await openForFile(startStandalone());
const browser = await openBrowser();
const phone = { viewport: { width: 360, height: 740 }, locale: 'ru-RU' };

async function openSignedIn(hash = ''): Promise<Page> {
  const page = await (
    await browser.newContext({ ...phone, permissions: ['clipboard-read', 'clipboard-write'] })
  ).newPage();
  await page.addInitScript((token) => sessionStorage.setItem('admin-token', token), adminToken);
  await page.goto(`${server.url}/admin${hash}`);
  return page;
}

/** What lies above the part of an element that is on the screen. It runs in the page. */
function coveringParts(element: Element): readonly string[] {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const root = element.getRootNode();
  const covering: string[] = [];
  for (let x = left + 3; x < right; x += 20)
    for (let y = Math.max(0, top + 3); y < Math.min(bottom, innerHeight); y += 20) {
      const found = root instanceof ShadowRoot ? root.elementFromPoint(x, y) : null;
      if (found !== null && !element.contains(found) && !found.contains(element)) covering.push(found.outerHTML);
    }
  return covering;
}

describe('a payment link', { timeout: 120_000 }, () => {
  it('is made by a seller on a phone, scanned and paid by a customer, and is seen paid by itself', async () => {
    const seller = await openSignedIn();
    await seller.getByRole('link', { name: 'Новая оплата' }).click();
    await seller.getByLabel('За что').fill('Чай «Сенча»');
    await seller.locator('#amount').fill('1 500,50');
    await seller.locator('#amount').press('Enter');
    const link = seller.getByRole('region', { name: 'Ссылка для плательщика' });
    const url = await link.getByLabel('Ссылка для плательщика').inputValue();
    assert.ok(url.startsWith(`${server.url}/pay/chk_`));
    assert.doesNotMatch(seller.url(), /chk_/, 'the capability is in no address of the operator’s page');
    assert.equal(scan(await link.getByRole('img', { name: 'QR-код страницы оплаты' }).screenshot()), url);
    await link.getByRole('button', { name: 'Скопировать' }).click();
    await link.getByRole('button', { name: 'Скопировано' }).waitFor();
    assert.equal(await seller.evaluate(() => navigator.clipboard.readText()), url);
    for (const name of ['СМС', 'Письмо'])
      assert.ok(decodeURIComponent((await link.getByRole('link', { name }).getAttribute('href')) ?? '').includes(url));
    assert.deepEqual(await axeViolations(seller), []);
    assert.ok((await seller.evaluate(() => document.documentElement.scrollWidth)) <= 360);
    await link.getByRole('status').filter({ hasText: 'Ждём плательщика' }).waitFor();

    const customer = await (await browser.newContext({ ...phone, javaScriptEnabled: false })).newPage();
    await customer.goto(url);
    await customer.getByText('Чай «Сенча»').waitFor();
    await customer.getByRole('radio').first().check();
    await customer.getByRole('button', { name: 'Оплатить через СБП' }).click();
    const address = await customer
      .getByRole('link', { name: /СБП|банк/ })
      .first()
      .getAttribute('href');
    await customer.goto(address ?? '');
    await customer.getByRole('button', { name: /^(Оплатить|Pay)/ }).click();

    await link.getByRole('status').filter({ hasText: 'Оплачено' }).waitFor({ timeout: 40_000 });
    assert.match(await seller.title(), /✓/);
    const state = await link.getByRole('status').boundingBox();
    assert.ok(state !== null && state.y >= 0 && state.y < 600, 'it is on the screen without scrolling');
    assert.equal(await link.getByRole('img').count(), 0, 'what is paid is not shown for payment');
  });

  it('is made by the keyboard alone, and shared; who dismisses the sheet of the device has made no mistake', async () => {
    const page = await openSignedIn();
    await page.addInitScript(() => {
      const share = (data: ShareData): Promise<void> => {
        sessionStorage.setItem('shared', JSON.stringify(data));
        return Promise.reject(new DOMException('dismissed', 'AbortError'));
      };
      Object.defineProperty(navigator, 'share', { value: share });
    });
    await page.reload();
    await page.getByRole('heading', { name: 'Последние оплаты' }).waitFor();
    await page.keyboard.press('Enter'); // the focus is on "Новая оплата"
    await page.getByRole('heading', { name: 'Новая оплата' }).waitFor();
    await page.keyboard.type('Пиала');
    for (const key of ['Tab', 'Tab', '7', '0', '0', 'Enter']) await page.keyboard.press(key);
    await page.locator('input[readonly]').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Скопировано' }).waitFor();
    const url = await page.locator('input[readonly]').inputValue();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), url);
    const qr = await page.getByRole('img', { name: 'QR-код страницы оплаты' }).boundingBox();
    assert.ok(qr !== null && qr.y >= 0 && qr.y + qr.height <= 740, 'the QR code is on the screen');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    const shared = await page.evaluate(() => sessionStorage.getItem('shared') ?? '');
    assert.match(shared, /^\{"title":"Оплата заказа \S+","text":"Оплата заказа \S+, Пиала, 700,00.₽","url":"/);
    assert.equal(await page.locator('[role=alert]').textContent(), '');
  });

  it('says at each field what is wrong, loses nothing, and takes no number of another order', async () => {
    const page = await openSignedIn('#new');
    const create = page.getByRole('button', { name: 'Создать ссылку' });
    await page.getByLabel('За что').fill('Пиала');
    await create.click();
    await page.getByText('Введите сумму.').waitFor();
    assert.equal(
      await page.evaluate(() => document.querySelector('operator-page')?.shadowRoot?.activeElement?.id),
      'amount',
    );
    await page.locator('#amount').fill('1.500.00');
    await page.getByLabel('Оплатить до').fill('2020-01-01T10:00');
    await create.click();
    await page.getByText('Введите сумму, например 1500 или 1500,50.').waitFor();
    await page.getByText('Это время уже прошло.').waitFor();
    await page.getByLabel('Оплатить до').fill('');
    await page.getByLabel('Введёт плательщик').check();
    await page.getByLabel('Не меньше').fill('500');
    await page.getByLabel('Не больше').fill('100');
    await create.click();
    await page.getByText('Не может быть меньше наименьшей суммы.').waitFor();
    assert.deepEqual(await axeViolations(page), []);
    await page.getByLabel('Не больше').fill('1000');
    await page.getByLabel('Номер заказа').fill('Т-17');
    await create.click();
    await page.getByRole('heading', { name: 'Заказ Т-17' }).waitFor();
    await page.goto(`${server.url}/admin#new`);
    await page.locator('#amount, #min_amount').first().fill('700');
    await page.getByLabel('Номер заказа').fill('Т-17');
    await create.click();
    await page.getByText('Оплата с таким номером уже есть.').waitFor();
    assert.equal(await page.getByLabel('Номер заказа').inputValue(), 'Т-17');
  });

  for (const viewport of [
    { width: 390, height: 664 },
    { width: 360, height: 640 },
  ])
    it(`is never covered by a message, nor is its state, wherever one has scrolled: ${viewport.width} px`, async () => {
      const page = await openSignedIn('#new');
      await page.setViewportSize(viewport);
      await page.locator('#amount').fill('700');
      await page.locator('#amount').press('Enter');
      await page.getByRole('img', { name: 'QR-код страницы оплаты' }).waitFor();
      await page.context().setOffline(true);
      await page.getByRole('button', { name: 'Обновить' }).click();
      const message = page.getByRole('alert').filter({ hasText: 'Нет ответа.' });
      await message.waitFor();
      const box = await message.boundingBox();
      assert.ok(box !== null && box.y >= 0 && box.y + box.height <= viewport.height, 'it is on the screen');
      for (let top = 0; top <= 700; top += 70) {
        await page.evaluate((y) => scrollTo(0, y), top);
        const state = page.getByRole('region', { name: 'Ссылка для плательщика' }).getByRole('status');
        for (const part of [page.locator('svg.qr'), state])
          assert.deepEqual(await part.evaluate(coveringParts), [], `${top} px`);
      }
    });

  it('is handed out again after a question, which is in the history', async () => {
    const response = await fetch(`${server.url}/admin/checkouts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ order_id: '2001', amount: '10.00', currency: 'RUB' }),
    });
    const { id, url } = z.object({ id: z.string(), url: z.string() }).parse(await response.json());
    const page = await openSignedIn(`#${id}`);
    await page.getByRole('button', { name: 'Ссылка для оплаты' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Ссылка для оплаты' }).click();
    await page.locator(`input[readonly]`).waitFor();
    assert.equal(await page.locator('input[readonly]').inputValue(), url);
    await page.locator('ol > li').filter({ hasText: 'Оператор' }).filter({ hasText: 'Ссылка для оплаты' }).waitFor();
    await page.goto(`${server.url}/admin#`);
    await page.goto(`${server.url}/admin#${id}`);
    await page.getByRole('button', { name: 'Ссылка для оплаты' }).waitFor();
    assert.equal(await page.locator('input[readonly]').count(), 0, 'who comes back asks again');
  });
});
