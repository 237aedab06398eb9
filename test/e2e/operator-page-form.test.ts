// The form of a new payment on the operator's page keeps what was typed, and makes one payment of it, whatever happens meanwhile.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { z } from 'zod';
import { adminToken } from '../support/buyer.ts';
import { callAdmin } from '../support/documented-admin-answers.ts';
import { openForFile } from '../support/open-for-file.ts';
import { startStandalone } from '../support/start-standalone.ts';
import { openBrowser } from './visit-page.ts';

const server = await openForFile(startStandalone());
const browser = await openBrowser();
const listed = z.object({ checkouts: z.array(z.object({ id: z.string(), order_id: z.string() })) });

async function openForm(hash = '#new'): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 360, height: 640 }, locale: 'ru-RU' })).newPage();
  await page.addInitScript((token) => sessionStorage.setItem('admin-token', token), adminToken);
  await page.goto(`${server.url}/admin${hash}`);
  return page;
}

/** The payments for something, by their descriptions. */
async function paymentsFor(description: string): Promise<readonly string[]> {
  const { json } = await callAdmin(server.url, '/admin/checkouts?limit=500', adminToken);
  const known = z.object({ checkouts: z.array(z.object({ id: z.string(), description: z.string().nullable() })) });
  return known.parse(json).checkouts.flatMap((checkout) => (checkout.description === description ? [checkout.id] : []));
}

/** The server makes the next payment, and its answer never arrives. */
async function loseNextAnswer(page: Page): Promise<void> {
  const lose = async (route: Route): Promise<void> => {
    await route.fetch();
    await route.abort('connectionreset');
  };
  await page.route('**/admin/checkouts?', lose, { times: 1 });
}

const create = (page: Page): Promise<void> => page.getByRole('button', { name: 'Создать ссылку' }).click();
const noAnswer = (page: Page): Promise<void> => page.getByRole('alert').filter({ hasText: 'Нет ответа.' }).waitFor();
const fieldOfLink = (page: Page): Promise<void> => page.locator('input[readonly]').waitFor();

describe('a payment whose answer was lost', { timeout: 60_000 }, () => {
  for (const { name, number } of [
    { name: 'a number that was made up', number: '' },
    { name: 'a number of the shop', number: 'Т-18' },
  ])
    it(`is made once, and its link is shown when the button is pressed again: ${name}`, async () => {
      const page = await openForm();
      const description = `Чайник ${number}`;
      await page.getByLabel('За что').fill(description);
      await page.locator('#amount').fill('700');
      await page.getByLabel('Номер заказа').fill(number);
      await loseNextAnswer(page);
      await create(page);
      await noAnswer(page);
      await create(page);
      await fieldOfLink(page);
      assert.equal((await paymentsFor(description.trim())).length, 1);
    });

  it('leads to the payment that exists when something else is asked for under its number', async () => {
    const page = await openForm();
    await page.getByLabel('За что').fill('Чашка');
    await page.locator('#amount').fill('700');
    await page.getByLabel('Номер заказа').fill('Т-19');
    await loseNextAnswer(page);
    await create(page);
    await noAnswer(page);
    await page.locator('#amount').fill('800');
    await create(page);
    await page.getByText('Оплата с таким номером уже есть.').waitFor();
    const { json } = await callAdmin(server.url, `/admin/checkouts?search=${encodeURIComponent('Т-19')}`, adminToken);
    const [known] = listed.parse(json).checkouts;
    await page.getByRole('link', { name: 'Открыть её' }).click();
    await page.getByRole('heading', { name: 'Заказ Т-19' }).waitFor();
    assert.ok(page.url().endsWith(`#${known?.id ?? ''}`));
  });
});

describe('what was typed', { timeout: 60_000 }, () => {
  it('is there when one goes back, from the list and from the link, and is in no address', async () => {
    const page = await openForm();
    await page.getByLabel('За что').fill('Гайвань');
    await page.getByLabel('Введёт плательщик').check();
    await page.getByLabel('Не больше').fill('1000');
    await page.getByLabel('Оплатить до').fill('2100-01-01T10:00');
    await page.getByText('Способы оплаты').click();
    await page.getByLabel('СБП').check();
    await page.getByRole('link', { name: '← Оплаты' }).click();
    await page.getByRole('heading', { name: 'Последние оплаты' }).waitFor();
    assert.doesNotMatch(decodeURIComponent(page.url()), /Гайвань/);
    const assertTyped = async (): Promise<void> => {
      await page.goBack();
      await page.getByLabel('Не больше').waitFor();
      assert.equal(await page.getByLabel('За что').inputValue(), 'Гайвань');
      assert.equal(await page.getByLabel('Не больше').inputValue(), '1000');
      assert.equal(await page.getByLabel('Оплатить до').inputValue(), '2100-01-01T10:00');
      assert.ok(await page.getByLabel('СБП').isChecked());
      assert.ok(await page.getByLabel('СБП').isVisible(), 'what was chosen is not folded');
      assert.ok(await page.getByLabel('Введёт плательщик').isChecked());
    };
    await assertTyped();
    await create(page);
    await fieldOfLink(page);
    await assertTyped();
    assert.equal((await paymentsFor('Гайвань')).length, 1);
  });

  it('stays where the kind of the amount is chosen and chosen back, and is not in the form of the next payment', async () => {
    const page = await openForm();
    await page.getByLabel('За что').fill('Пиала');
    await page.locator('#amount').fill('700');
    await page.getByLabel('Введёт плательщик').check();
    await page.getByLabel('Укажу сам').check();
    assert.equal(await page.locator('#amount').inputValue(), '700');
    await page.getByRole('link', { name: '← Оплаты' }).click();
    await page.getByRole('link', { name: 'Новая оплата' }).click();
    assert.equal(await page.getByLabel('За что').inputValue(), 'Пиала', 'it was not sent yet');
    await create(page);
    await fieldOfLink(page);
    await page.getByRole('link', { name: '← Оплаты' }).click();
    await page.getByRole('link', { name: 'Новая оплата' }).click();
    assert.equal(await page.getByLabel('За что').inputValue(), '');
    assert.equal(await page.locator('#amount').inputValue(), '');
  });
});

describe('a field for a date', { timeout: 30_000 }, () => {
  for (const hash of ['#new', ''])
    it(`shows all of what it is for on a phone: /admin${hash}`, async () => {
      const page = await openForm(hash);
      const fields = page.locator('input[type=date], input[type=datetime-local]');
      await fields.first().waitFor();
      const widths = await fields.evaluateAll((inputs) =>
        inputs.map((input) => {
          const width = input.getBoundingClientRect().width;
          if (input instanceof HTMLElement) input.style.width = 'max-content';
          return { width, needed: input.getBoundingClientRect().width };
        }),
      );
      assert.ok(widths.length > 0);
      for (const { width, needed } of widths) assert.ok(width >= needed, `${width} of ${needed} px`);
    });
});
