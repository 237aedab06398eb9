// What the operator's page says when something fails, and where; nothing that was typed is lost by it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { adminToken } from '../support/buyer.ts';
import { callAdmin } from '../support/documented-admin-answers.ts';
import { openForFile } from '../support/open-for-file.ts';
import { startStandalone } from '../support/start-standalone.ts';
import { openBrowser } from './visit-page.ts';

const server = await openForFile(startStandalone());
const browser = await openBrowser();
const height = 560;

async function openPhone(hash: string, token = adminToken): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 360, height }, locale: 'ru-RU' })).newPage();
  await page.addInitScript((kept) => {
    if (kept !== '' && sessionStorage.length === 0) sessionStorage.setItem('admin-token', kept);
    const writeText = (): Promise<void> => Promise.reject(new DOMException('refused', 'NotAllowedError'));
    Object.defineProperty(navigator.clipboard, 'writeText', { value: writeText });
  }, token);
  await page.goto(`${server.url}/admin${hash}`);
  await page.locator('main[aria-busy=false]').waitFor();
  return page;
}

/** Waits for a message, which has to be on the screen with nothing above it. */
async function assertInView(message: Locator): Promise<void> {
  await message.waitFor();
  const box = await message.boundingBox();
  assert.ok(box !== null && box.y >= 0 && box.y + box.height <= height, JSON.stringify(box));
  const isOnTop = await message.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const root = element.getRootNode();
    const found = root instanceof ShadowRoot ? root.elementFromPoint(left + width / 2, top + height / 2) : null;
    return found !== null && element.contains(found);
  });
  assert.ok(isOnTop, 'nothing covers it');
}

const alertOf = (page: Page, text: string): Locator => page.getByRole('alert').filter({ hasText: text });
const noAnswer = 'Нет ответа. Проверьте соединение и повторите.';

describe('a failure of what the operator has pressed', { timeout: 90_000 }, () => {
  it('is on the screen when the link could not be copied, which is selected then, and stays when the page follows', async () => {
    const page = await openPhone('#new');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('#amount').fill('700');
    await page.getByRole('button', { name: 'Создать ссылку' }).click();
    await page.getByRole('button', { name: 'Скопировать', exact: true }).click();
    const message = alertOf(page, 'Копировать здесь нельзя. Текст выделен');
    await assertInView(message);
    await page.keyboard.press('Control+C');
    const link = await page.locator('input[readonly]').inputValue();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
    await page.getByText('Для разработчика').first().click();
    await page.getByRole('button', { name: 'Скопировать: Оплата' }).click();
    await page.keyboard.press('Control+C');
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^co_[\w-]+$/);
    for (let count = 0; count < 2; count += 1) await page.waitForResponse(/\/admin\/checkouts\/co_/);
    await assertInView(message);
    await page.getByRole('button', { name: 'Обновить' }).click();
    await message.waitFor({ state: 'detached' });
  });

  it('is on the screen when there is no answer to a create, whose form keeps what was typed', async () => {
    const page = await openPhone('#new');
    await page.getByLabel('За что').fill('Пиала');
    await page.locator('#amount').fill('700');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Создать ссылку' }).click();
    await assertInView(alertOf(page, noAnswer));
    await page.context().setOffline(false);
    await page.getByRole('button', { name: 'Создать ссылку' }).click();
    await page.getByText('Пиала').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
  });

  it('goes by itself where it was one of following, as soon as there is an answer again', async () => {
    const page = await openPhone('');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Обновить' }).click();
    await assertInView(alertOf(page, noAnswer));
    await page.context().setOffline(false);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await alertOf(page, noAnswer).waitFor({ state: 'detached' });
  });
});

describe('a wrong token', { timeout: 60_000 }, () => {
  it('is refused at once, also where the page needs no answer to be shown', async () => {
    const page = await openPhone('#new', '');
    await page.getByLabel('Токен администратора').fill('nope');
    await page.getByRole('button', { name: 'Войти' }).click();
    await assertInView(alertOf(page, 'Токен неверный.'));
    assert.equal(await page.getByRole('heading', { name: 'Новая оплата' }).count(), 0);
    assert.equal(await page.getByLabel('Токен администратора').inputValue(), 'nope');
  });

  it('in the middle of a form loses nothing of what was typed', async () => {
    const page = await openPhone('#new', 'a-token-that-is-not-right-any-more');
    await page.getByLabel('За что').fill('Пиала');
    await page.locator('#amount').fill('700');
    await page.getByRole('button', { name: 'Создать ссылку' }).click();
    await assertInView(alertOf(page, 'Токен неверный.'));
    assert.equal(await page.getByRole('heading', { name: 'Новая оплата' }).count(), 0);
    await page.getByLabel('Токен администратора').fill(adminToken);
    await page.getByRole('button', { name: 'Войти' }).click();
    assert.equal(await page.getByLabel('За что').inputValue(), 'Пиала');
    await page.getByRole('button', { name: 'Создать ссылку' }).click();
    await page.getByText('700,00').first().waitFor();
  });

  it('that is refused late says nothing to who has signed in since', async () => {
    const oldToken = 'a-token-that-is-not-right-any-more';
    const page = await openPhone('#new', oldToken);
    let refuse = (): void => undefined;
    const signedIn = new Promise<void>((resolve) => (refuse = resolve));
    await page.route('**/admin/checkouts?**', async (route) => {
      if (route.request().headers()['authorization'] === `Bearer ${oldToken}`) await signedIn;
      await route.continue();
    });
    await page.getByRole('link', { name: '← Оплаты' }).click();
    await page.getByRole('button', { name: 'Выйти' }).click();
    await page.getByLabel('Токен администратора').fill(adminToken);
    await page.getByRole('button', { name: 'Войти' }).click();
    await page.getByRole('heading', { name: 'Последние оплаты' }).waitFor();
    await page.locator('main[aria-busy=false]').waitFor();
    const refused = page.waitForResponse((response) => response.status() === 401);
    refuse();
    await refused;
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)));
    assert.equal(await page.getByRole('alert').count(), 0);
    await page.getByRole('heading', { name: 'Последние оплаты' }).waitFor();
  });

  it('keeps nothing for who comes after somebody who has signed out', async () => {
    const page = await openPhone('#new');
    await page.getByLabel('За что').fill('Пиала');
    await page.getByRole('button', { name: 'Выйти' }).click();
    await page.getByLabel('Токен администратора').fill(adminToken);
    await page.getByRole('button', { name: 'Войти' }).click();
    await page.getByLabel('За что').waitFor();
    assert.equal(await page.getByLabel('За что').inputValue(), '');
  });
});

const at = '2026-11-20T10:00:00Z';
const outcomeOf = (id: string, tries: number): object => ({
  id,
  kind: id,
  external_id: 'att_1',
  amount: '1400.00',
  occurred_at: at,
  delivered_at: null,
  abandoned_at: null,
  next_delivery_at: at,
  deliveries: Array.from({ length: tries }, () => ({ at, status: 500, error: null })),
});
const undecided = {
  id: 'co_1',
  order_id: '1001',
  reference: '1001',
  description: null,
  status: 'pending',
  amount: '1500.00',
  currency: 'RUB',
  amount_limits: null,
  methods: null,
  created_at: at,
  paid_at: null,
  closed_at: null,
  expires_at: null,
  invoices: [
    {
      id: 'inv_1',
      external_id: 'att_1',
      status: 'amount_mismatch',
      service_status: 'PAID',
      method: { type: 'SBP', name: 'СБП' },
      amount: '1500.00',
      paid_amount: '1400.00',
      needs_decision: true,
      created_at: at,
      expires_at: at,
      checked_at: at,
      answered_at: at,
      next_check_at: null,
      status_history: [{ at, status: 'PAID' }],
      resolution: null,
    },
  ],
  outcomes: [outcomeOf('amount_mismatch', 2), outcomeOf('resolved', 0)],
  actions: [],
};

async function openUndecided(hash: string): Promise<Page> {
  const page = await openPhone('#new');
  await page.route('**/admin/checkouts?**', (route) =>
    route.fulfill({ json: { checkouts: [undecided], next_cursor: null } }),
  );
  await page.route('**/admin/checkouts/co_1?', (route) => route.fulfill({ json: undecided }));
  await page.goto(`${server.url}/admin${hash}`);
  return page;
}

describe('a decision', { timeout: 60_000 }, () => {
  const answers = [
    { name: 'that has no answer', status: undefined, message: noAnswer },
    { name: 'that comes too late', status: 409, message: 'Об этом уже кто-то решил.' },
  ];
  for (const { name, status, message } of answers)
    it(`${name} keeps its dialog with what was typed`, async () => {
      const page = await openUndecided('#co_1');
      await page.route('**/admin/checkouts/co_1/resolve?', (route) =>
        status === undefined ? route.abort() : route.fulfill({ status, json: { code: 'nothing_to_resolve' } }),
      );
      await page.getByRole('button', { name: 'Решить' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel(/^Засчитать: отдать товар/).check();
      await dialog.getByLabel('Почему и кто так решил').fill('Доплатил наличными, Анна');
      await dialog.getByRole('button', { name: 'Засчитать' }).click();
      await assertInView(dialog.getByRole('alert').filter({ hasText: message }));
      assert.equal(await dialog.getByLabel('Почему и кто так решил').inputValue(), 'Доплатил наличными, Анна');
      assert.ok(await dialog.getByLabel(/^Засчитать: отдать товар/).isChecked());
      await dialog.getByRole('button', { name: 'Отмена' }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.equal(await page.getByRole('alert').count(), 0, 'it was about what is given up');
    });

  it('keeps what was typed when the operator goes back in the middle of it', async () => {
    const page = await openUndecided('');
    await page.getByRole('link', { name: /1001/ }).first().click();
    await page.getByRole('button', { name: 'Решить' }).click();
    await page.getByLabel('Почему и кто так решил').fill('Доплатил наличными, Анна');
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goForward();
    await page.getByRole('button', { name: 'Решить' }).click();
    assert.equal(await page.getByLabel('Почему и кто так решил').inputValue(), 'Доплатил наличными, Анна');
  });

  it('keeps what was typed while the operator signs in again', async () => {
    const page = await openUndecided('#co_1');
    await page.route(
      '**/admin/checkouts/co_1/resolve?',
      (route) => route.fulfill({ status: 401, json: { code: 'unauthorized' } }),
      { times: 1 },
    );
    await page.getByRole('button', { name: 'Решить' }).click();
    await page.getByLabel(/^Не засчитывать/).check();
    await page.getByLabel('Почему и кто так решил').fill('Анна');
    await page.getByRole('button', { name: 'Не засчитывать' }).click();
    await assertInView(alertOf(page, 'Токен неверный.'));
    await page.getByLabel('Токен администратора').fill(adminToken);
    await page.getByRole('button', { name: 'Войти' }).click();
    await page.getByRole('dialog').waitFor();
    assert.equal(await page.getByLabel('Почему и кто так решил').inputValue(), 'Анна');
  });
});

describe('an outcome that the shop has not received', { timeout: 60_000 }, () => {
  const waits = 'не доставлено, ждёт предыдущего сообщения';

  it('waits for the one before it, and has no time of its own until that is received', async () => {
    const page = await openUndecided('');
    const inList = page.getByRole('list').filter({ hasText: 'HTTP 500' }).getByRole('listitem');
    await inList.filter({ hasText: 'Другая сумма' }).filter({ hasText: 'следующая попытка' }).waitFor();
    const second = inList.filter({ hasText: 'Решил человек' });
    assert.match((await second.textContent()) ?? '', new RegExp(waits));
    assert.doesNotMatch((await second.textContent()) ?? '', /следующая попытка/);
    await second.getByRole('link').click();
    const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Решил человек' }) });
    await card.getByText(waits).waitFor();
    assert.equal(await page.getByText('следующая попытка').count(), 1);
  });
});

describe('the secret of a payment link', { timeout: 60_000 }, () => {
  for (const path of ['/pay/', ''])
    it(`is not searched for, and gets into no address: ${path}chk_…`, async () => {
      const answer = await callAdmin(server.url, '/admin/checkouts', adminToken, {
        order_id: `3001${path}`,
        amount: '10.00',
        currency: 'RUB',
      });
      const [secret = assert.fail()] = /chk_[\w-]+/.exec(JSON.stringify(answer.json)) ?? [];
      const page = await openPhone('');
      const addresses: string[] = [];
      page.on('request', (request) => addresses.push(request.url()));
      await page.getByLabel('Заказ, номер или id').fill(path === '' ? secret : `${server.url}${path}${secret}`);
      await page.getByRole('button', { name: 'Найти' }).click();
      const message = 'Это секрет ссылки на оплату, по нему не ищем. Введите номер заказа.';
      await assertInView(alertOf(page, message));
      assert.doesNotMatch(page.url(), /chk_/);
      for (const hash of [`#?search=${secret}`, `#${secret}`, `#?status=${secret}`]) {
        await page.goto('about:blank');
        await page.goto(`${server.url}/admin${hash}`);
        await alertOf(page, message).waitFor();
        await page.waitForURL((url) => !url.href.includes('chk_'));
      }
      await page.goto(`${server.url}/admin#new`);
      await page.locator('#amount').fill('10');
      await page.getByLabel('Номер заказа').fill(secret);
      await page.getByRole('button', { name: 'Создать ссылку' }).click();
      await page.getByText(message).waitFor();
      assert.deepEqual(
        addresses.filter((address) => address.includes('chk_')),
        [],
      );
    });
});
