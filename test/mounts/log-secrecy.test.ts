import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { adminToken } from '../support/buyer.ts';
import { startServerProcess } from '../support/standalone-server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/wait-until.ts';
import { HttpCheckoutClient } from './http-client.ts';
import {
  secrets,
  startLeakyInvoiceService,
  type LeakyInvoiceService,
  type CreateFault,
} from './leaky-invoice-service.ts';

const forwardedAddress = '203.0.113.77';
const idempotencyKey = 'canary-key-5f0a';

/** Makes purchases with every fault of the service, and sends invalid requests. Returns the capabilities of the checkouts. */
async function makePurchases(
  endpoint: string,
  open: () => Promise<string>,
  service: LeakyInvoiceService,
): Promise<readonly string[]> {
  const capabilities: string[] = [];
  const createFaults: readonly (CreateFault | undefined)[] = [
    'refuses',
    'breaks',
    'html',
    'garbage',
    'redirects',
    'forbids',
    'other_amount',
    'bad_link',
    undefined,
  ];
  for (const fault of createFaults) {
    const capability = await open();
    capabilities.push(capability);
    const page = new HttpCheckoutClient(endpoint, capability);
    if (fault !== undefined) service.createFaults.push(fault);
    const etag = await page.readEtag({ 'x-forwarded-for': forwardedAddress });
    const body = JSON.stringify({ payment_method_id: 'pm_card', phone: secrets.phone });
    await page.createInvoice({ key: `${idempotencyKey}-${capability}`, body });
    service.createFaults.length = 0;
    await page.createInvoice({ body: `{"payment_method_id": ${secrets.card}` });
    await page.createInvoice({ key: `${idempotencyKey} ${secrets.card}` });
    await page.send(`?amount=${secrets.card}${encodeURIComponent(secrets.phone)}`);
    await page.send(`x/${secrets.card}`);
    await page.send(`/hook/${'A'.repeat(24)}`, { method: 'POST', body: JSON.stringify(secrets) });
    await page.longPoll(etag, 0);
  }
  for (const invoice of service.invoices) invoice.status = 'PAID';
  for (const hook of service.hooks) {
    const response = await fetch(`${endpoint}${new URL(hook).pathname.replace('/checkout', '')}`, {
      method: 'POST',
      body: JSON.stringify(secrets),
    });
    assert.equal(response.status, 204);
  }
  const lastCheckout = new HttpCheckoutClient(endpoint, capabilities.at(-1) ?? '');
  await until('the last checkout is paid', async () => (await lastCheckout.readCheckout()).status === 'paid');
  return capabilities;
}

function assertNoSecrets(log: string, service: LeakyInvoiceService, capabilities: readonly string[]): void {
  const hookSecrets = service.hooks.map((hook) => hook.split('/').at(-1) ?? assert.fail());
  assert.ok(hookSecrets.length >= 3 && capabilities.length === 9);
  const secretTexts = [...Object.values(secrets), ...capabilities, ...hookSecrets, forwardedAddress, idempotencyKey];
  for (const secret of secretTexts) {
    const line = log.split('\n').find((text) => text.includes(secret));
    assert.equal(line, undefined, `${secret} is in a line of the log`);
  }
  assert.doesNotMatch(log, /999.{0,4}000.{0,3}11.{0,3}22/);
}

/** Records the headers and the body of every answer that the test's requests get. */
function recordAnswers(t: TestContext): readonly string[] {
  const answers: string[] = [];
  const { fetch } = globalThis;
  t.mock.method(globalThis, 'fetch', async (...args: Parameters<typeof fetch>) => {
    const response = await fetch(...args);
    answers.push(JSON.stringify([...response.headers]) + (await response.clone().text()));
    return response;
  });
  return answers;
}

/** Events whose facts come from the service or from a request. */
const loggedEvents = [
  ...['checkout_created', 'invoice_created', 'create_not_shown', 'create_rejected', 'link_dropped', 'status_changed'],
  ...['invoice_service_access_refused', 'invoice_service_item_dropped', 'invoice_service_redirect_refused'],
  ...['invoice_service_try_failed', 'outcome_paid'],
];

test(
  'no answer of the standalone server has a token, and its output no token, capability, secret or payment requisite, even when its database fails',
  { timeout: 300_000 },
  async (t) => {
    const service = await startLeakyInvoiceService();
    t.after(service.close);
    const folder = temporaryFolder(t);
    const { child, url, output } = await startServerProcess(t, service.url, {
      DATA_DIR: folder,
      TRUST_PROXY: '1',
      INVOICE_ACCESS_TOKEN: secrets.token,
    });
    const answers = recordAnswers(t);
    const createCheckout = async (more: object): Promise<Response> => {
      const headers = {
        authorization: `Bearer ${adminToken}`,
        'content-type': 'application/json',
      };
      const body = JSON.stringify({ order_id: crypto.randomUUID(), amount: '1500.00', currency: 'RUB', ...more });
      return fetch(`${url}/admin/checkouts`, { method: 'POST', headers, body });
    };
    const open = async (): Promise<string> => {
      const response = await createCheckout({ description: secrets.name });
      return ((await response.json()) as { capability: string }).capability;
    };
    const capabilities = await makePurchases(`${url}/checkout`, open, service);
    await createCheckout({ amount: secrets.card, phone: secrets.phone });
    await fetch(`${url}/${secrets.card}?${secrets.phone}`);
    const payPage = `${url}/pay/${capabilities.at(-1) ?? ''}`;
    const form = new URLSearchParams({ payment_method_id: 'pm_card', amount: secrets.card, key: idempotencyKey });
    const usePayPage = async (): Promise<readonly number[]> => [
      (await fetch(payPage)).status,
      (await fetch(`${payPage}/qr.svg`)).status,
      (await fetch(payPage, { method: 'POST', body: form, redirect: 'manual' })).status,
    ];
    assert.deepEqual(await usePayPage(), [200, 200, 303]);
    const authorization = `Bearer ${adminToken}`;
    for (const path of ['admin', 'admin/checkouts', 'openapi.json', 'readyz', 'healthz', 'pay-invoice.js'])
      await fetch(`${url}/${path}`, { headers: { authorization } });
    const database = new DatabaseSync(join(folder, 'checkouts.db'), { timeout: 5000 }); // the server may be writing
    database.exec('alter table pay_invoice_checkouts rename to lost_checkouts');
    database.close();
    assert.equal((await createCheckout({ description: secrets.name })).status, 503);
    assert.equal((await usePayPage())[0], 503);
    child.kill('SIGTERM');
    await once(child, 'exit');
    for (const event of loggedEvents) assert.ok(output().includes(`"${event}"`), event);
    assertNoSecrets(output(), service, capabilities);
    assert.ok(answers.length > 70, `${answers.length} answers`);
    for (const token of [secrets.token, adminToken])
      assert.equal(
        answers.find((answer) => answer.includes(token)),
        undefined,
      );
  },
);
