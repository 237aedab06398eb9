import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { z } from 'zod';
import { listen } from '../mounts/listen.ts';
import { axeViolations } from '../support/axe-violations.ts';
import { until } from '../support/wait-until.ts';
import { openForFile } from '../support/open-for-file.ts';
import { adminToken } from '../support/buyer.ts';
import { startStandalone } from '../support/start-standalone.ts';
import { openBrowser } from './visit-page.ts';

const created = z.object({ id: z.string(), capability: z.string() });
const invoices = z.object({ invoices: z.array(z.object({ id: z.string() })) });

/** The shop's receiver of outcomes, which refuses them until it is repaired. */
let receiverStatus = 500;
const receiver = await openForFile(
  listen(
    createServer((_, response) => response.writeHead(receiverStatus).end()),
    '/outcomes',
  ),
);
const server = await openForFile(
  startStandalone({
    OUTCOME_URL: receiver.endpoint,
    OUTCOME_SECRET: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  }),
);
const browser = await openBrowser();

describe('the operator’s page', { timeout: 180_000 }, () => {
  const call = async (url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<unknown> => {
    const method = url.endsWith('/faults') ? 'PUT' : 'POST';
    const response = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return response.json();
  };
  const asAdmin = { authorization: `Bearer ${adminToken}` };

  /** An order whose payer has asked for an invoice. Resolves with the checkout's id and that of the invoice. */
  async function placeOrder(orderId: string): Promise<{ readonly id: string; readonly invoiceId: string }> {
    const order = { order_id: orderId, amount: '1500.00', currency: 'RUB', reference: `R-${orderId}` };
    const { id, capability } = created.parse(await call(`${server.url}/admin/checkouts`, order, asAdmin));
    const checkout = `${server.url}/checkout/${capability}`;
    const { options } = z
      .object({ options: z.array(z.object({ id: z.string() })) })
      .parse(await (await fetch(checkout)).json());
    const key = { 'idempotency-key': crypto.randomUUID(), origin: new URL(server.url).origin };
    await call(`${checkout}/invoice`, { payment_method_id: options[0]?.id }, key);
    const details = await fetch(`${server.url}/admin/checkouts/${id}`, { headers: asAdmin });
    return { id, invoiceId: invoices.parse(await details.json()).invoices[0]?.id ?? assert.fail() };
  }

  const setStatus = (invoiceId: string, status: string): Promise<unknown> =>
    call(`${server.sandbox ?? ''}/sandbox/invoices/${invoiceId}/status`, { status });

  async function openPage(
    options: BrowserContextOptions = {},
  ): Promise<{ readonly page: Page; readonly errors: string[] }> {
    const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 40[14]/.test(message.text())) errors.push(message.text());
    });
    await page.goto(`${server.url}/admin`);
    return { page, errors };
  }

  async function signIn(page: Page, token = adminToken): Promise<void> {
    await page.getByLabel(/Admin token|Токен администратора/).fill(token);
    await page.getByRole('button', { name: /Sign in|Войти/ }).click();
  }

  const historyOf = (page: Page, actor: string, text: string): Locator =>
    page.locator('ol > li').filter({ hasText: actor }).filter({ hasText: text });

  /** What is read without opening a fold. */
  const shownText = (page: Page): Promise<string> =>
    page.locator('operator-page').evaluate((host) => host.shadowRoot?.querySelector('main')?.innerText ?? '');

  const answerYes = (page: Page, name: string): Promise<void> =>
    page.getByRole('dialog').getByRole('button', { name }).click();

  it('asks for the token, refuses a wrong one, and keeps it for the tab alone', async () => {
    const { page, errors } = await openPage();
    await signIn(page, 'a-wrong-token-of-24-chars');
    await page.getByText('This token is not right.').waitFor();
    await signIn(page);
    await page.locator('main[aria-busy=false]').waitFor(); // the token is kept once the server has accepted it
    await page.reload();
    await page.getByRole('heading', { name: 'Newest payments' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${server.url}/admin`);
    await other.getByLabel('Admin token').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.reload();
    await page.getByLabel('Admin token').waitFor();
    assert.deepEqual(errors, []);
  });

  it('keeps the token also where the operator signs in at the address of a checkout, and says that there is none', async () => {
    const { id } = await placeOrder('1000');
    const { page } = await openPage();
    await page.goto(`${server.url}/admin#${id}`);
    await signIn(page);
    await page.getByRole('heading', { name: 'Order 1000' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Order 1000' }).waitFor();
    await page.goto(`${server.url}/admin#co_unknown`);
    await page.getByText('There is no such payment.').waitFor();
  });

  it('answers “I paid and nothing came”: finds the order, says why, and delivers again', async () => {
    const { id, invoiceId } = await placeOrder('1001');
    await setStatus(invoiceId, 'PAID');
    const { page, errors } = await openPage();
    await signIn(page);
    await until('the delivery has failed', async () => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      return page
        .getByRole('link', { name: /1001.*Paid · .*minute.* HTTP 500 · not received, next try \d\d:\d\d/s })
        .isVisible();
    });
    await page.getByLabel('Order, reference').fill(invoiceId);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('heading', { name: 'Found' }).waitFor();
    await page.getByRole('link', { name: /1001/ }).click();
    await page.getByRole('heading', { name: 'Order 1001' }).waitFor();
    assert.ok(page.url().endsWith(`#${id}`));
    assert.match((await page.locator('dt:text-is("Last try") + dd').textContent()) ?? '', /: HTTP 500$/);
    assert.match((await page.locator('dt:text-is("Tries") + dd').textContent()) ?? '', /^[1-9]\d*$/);
    await page.getByText('The service says PAID: Invoice 1').waitFor();
    receiverStatus = 204;
    await page.getByRole('button', { name: 'Deliver again' }).click();
    await answerYes(page, 'Deliver again');
    await page.getByText(/^received /).waitFor();
    await historyOf(page, 'Operator', 'Asked to deliver again, Paid').waitFor();
    assert.deepEqual(await axeViolations(page), []);
    assert.deepEqual(errors, []);
  });

  it('closes and checks a checkout only after a second question', async () => {
    const { id, invoiceId } = await placeOrder('1002');
    const { page } = await openPage();
    await signIn(page);
    await page.goto(`${server.url}/admin#${id}`);
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await answerYes(page, 'Close');
    await historyOf(page, 'Operator', 'Close').waitFor();
    assert.equal(await historyOf(page, 'Operator', 'Close').count(), 1);
    await setStatus(invoiceId, 'FAILED');
    await page.getByRole('button', { name: 'Check at the service' }).click();
    await answerYes(page, 'Check at the service');
    await page.getByText('The service says FAILED: Invoice 1').waitFor();
  });

  it('decides about a payment of another amount, in Russian on a phone', async () => {
    const { id, invoiceId } = await placeOrder('1003');
    await call(`${server.sandbox ?? ''}/sandbox/faults`, {
      operation: 'FetchInvoices',
      kind: 'wrong_amount',
      amount: '1400.00',
      once_paid: true,
    });
    await setStatus(invoiceId, 'PAID');
    const { page, errors } = await openPage({ locale: 'ru-RU', viewport: { width: 360, height: 740 } });
    await signIn(page);
    await page.getByRole('heading', { name: 'Ждут вашего решения (1)' }).waitFor({ timeout: 40_000 }); // by itself
    assert.match(await page.title(), /^\(1\) /);
    assert.doesNotMatch(await shownText(page), /[a-z]_[a-z]/);
    await page
      .getByRole('link', { name: /1003.*Ждёт решения.*ждали 1\s500,00\s₽, пришло 1\s400,00\s₽ \(−100,00\s₽\)/ })
      .first()
      .click();
    assert.ok(page.url().endsWith(`#${id}`));
    await page.getByRole('button', { name: 'Решить' }).waitFor();
    assert.deepEqual(await axeViolations(page), []);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `${width} px wide`);
    await page.getByRole('button', { name: 'Решить' }).click();
    const dialog = page.getByRole('dialog');
    for (const fact of [/Ждали\s+1\s500,00\s₽/, /Пришло\s+1\s400,00\s₽/, /Разница\s+−100,00\s₽/, /Заказ\s+1003/])
      await dialog.locator('dl > div').filter({ hasText: fact }).waitFor();
    await dialog.getByLabel(/^Не засчитывать: вернуть деньги/).check();
    await dialog.getByRole('button', { name: 'Не засчитывать' }).waitFor();
    await dialog.getByLabel(/^Засчитать: отдать товар/).check();
    await page.getByLabel('Почему и кто так решил').fill('Доплатил наличными, Анна');
    assert.deepEqual(await axeViolations(page), []);
    await answerYes(page, 'Засчитать');
    await page.getByText(/Решение: Засчитать, Счёт 1.*Анна/).waitFor();
    assert.equal(await page.locator('ol > li').filter({ hasText: 'Решение' }).count(), 1, 'a decision is said once');
    assert.doesNotMatch(await shownText(page), /[a-z]_[a-z]/, 'names of the program are in a fold');
    assert.deepEqual(errors, []);
  });

  it('delivers all that the shop has not received after one question, and is readable in the dark', async () => {
    receiverStatus = 500;
    const orders = [await placeOrder('1004'), await placeOrder('1005')];
    for (const { invoiceId } of orders) await setStatus(invoiceId, 'PAID');
    const { page, errors } = await openPage({ colorScheme: 'dark' });
    await signIn(page);
    const refreshed = async (): Promise<Locator> => {
      await page.getByRole('button', { name: 'Refresh' }).click();
      return page.getByRole('heading', { name: /^Not received by the shop/ });
    };
    const asked: URL[] = [];
    page.on('request', (request) => asked.push(new URL(request.url())));
    await until('both deliveries have failed', async () => {
      await (await refreshed()).waitFor();
      const links = page
        .getByRole('list')
        .first()
        .getByRole('link', { name: /100[45]/ });
      return (await links.count()) === orders.length;
    });
    const lists = asked.filter(({ searchParams }) => searchParams.has('undelivered'));
    assert.deepEqual(
      [...new Set(lists.map(({ searchParams }) => searchParams.get('limit')))],
      ['5'],
      'no more than is shown',
    );
    assert.deepEqual(await axeViolations(page), []);
    await page.getByRole('button', { name: 'Deliver all again' }).click();
    assert.deepEqual(await axeViolations(page), []);
    await answerYes(page, 'Deliver all again');
    receiverStatus = 204; // not before: a try of the server's own would deliver them
    await until('the shop has all', async () => (await (await refreshed()).count()) === 0);
    for (const { id } of orders) {
      await page.goto(`${server.url}/admin#${id}`);
      await historyOf(page, 'Operator', 'Asked to deliver again, ').first().waitFor();
    }
    assert.deepEqual(errors, []);
  });

  it('finds checkouts by status and by date', async () => {
    await placeOrder('1006');
    const { page } = await openPage();
    await signIn(page);
    await page.getByRole('link', { name: 'Waiting for payment', exact: true }).click();
    await page.getByRole('heading', { name: 'Found' }).waitFor();
    await page.getByRole('link', { name: /1006.*Waiting for payment/ }).waitFor();
    assert.equal(await page.getByRole('link', { name: /Paid$/ }).count(), 1, 'the tab alone');
    await page.getByLabel('From').fill('2100-01-01');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('No payment matches.').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: /1006/ }).waitFor();
    assert.equal(await page.getByLabel('From').inputValue(), '', 'the fields are those of the address');
    await page.goForward();
    await page.getByText('No payment matches.').waitFor();
    assert.equal(await page.getByLabel('From').inputValue(), '2100-01-01');
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.getByRole('link', { name: /1006/ }).waitFor();
  });

  it('is refused to pages of other origins', async () => {
    const headers = { ...asAdmin, 'sec-fetch-site': 'cross-site' };
    assert.equal((await fetch(`${server.url}/admin/checkouts`, { headers })).status, 403);
  });

  it('says that wrong tokens are limited, and still takes the right one', async () => {
    const { page } = await openPage();
    await until('wrong tokens are limited', async () => {
      await signIn(page, 'a-wrong-token-of-24-chars');
      await page.getByLabel('Admin token').waitFor();
      return page.getByText('Too many wrong tokens. Wait a minute.').isVisible();
    });
    await signIn(page);
    await page.getByRole('heading', { name: 'Newest payments' }).waitFor();
  });
});
