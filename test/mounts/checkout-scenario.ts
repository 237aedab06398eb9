import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CheckoutServerOptions } from '../../src/server.ts';
import {
  createMerchantBackend,
  listedOrigin,
  type MerchantBackend,
  type Mount,
  type Mounted,
} from './merchant-backend.ts';
import { until } from '../support/wait-until.ts';
import { HttpCheckoutClient } from './http-client.ts';

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Waits until the server holds one long poll. */
const untilHeld = (merchant: MerchantBackend): Promise<void> =>
  until('a request is held', async () => (await merchant.heldRequests()) === 1);

/** Tests the checkout API over a socket, with the handler mounted in one framework. */
export function testCheckoutOverHttp(where: string, mount: Mount): void {
  const undo: (() => Promise<void>)[] = [];
  after(async () => {
    for (const step of undo.reverse()) await step();
  });

  const startMounted = async (
    options: Partial<CheckoutServerOptions> = {},
    trustedProxies = 0,
  ): Promise<{ readonly merchant: MerchantBackend; readonly mounted: Mounted; readonly page: HttpCheckoutClient }> => {
    const merchant = createMerchantBackend(options);
    const mounted = await mount(merchant, trustedProxies);
    undo.push(async () => {
      await merchant.checkouts.stop();
      await mounted.close();
    });
    return { merchant, mounted, page: new HttpCheckoutClient(mounted.endpoint, await merchant.open()) };
  };

  test(`${where}: returns the checkout, and 304 to a client that has its current state`, async () => {
    const { page } = await startMounted();
    const first = await page.getCheckout();
    assert.equal(first.status, 200);
    assert.match(first.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(first.headers.get('cache-control'), 'no-store');
    assert.equal(first.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(first.checkout().status, 'open');
    const again = await page.getCheckout({ 'if-none-match': first.etag });
    assert.deepEqual([again.status, again.etag, again.text], [304, first.etag, '']);
  });

  test(`${where}: answers HEAD like GET, without a body`, async () => {
    const { page, mounted, merchant } = await startMounted();
    const id = await merchant.open();
    const head = await page.send(`/${id}`, { method: 'HEAD' });
    const { etag } = await new HttpCheckoutClient(mounted.endpoint, id).getCheckout();
    assert.deepEqual([head.status, head.etag, head.text], [200, etag, '']);
  });

  test(`${where}: reads the query of the address`, async () => {
    const { page, merchant } = await startMounted();
    const refused = await page.send(`/${await merchant.open()}?amount=1e3`);
    assert.equal(refused.status, 400);
    assert.match(refused.problem().detail ?? '', /^amount: /);
  });

  test(`${where}: holds a response until the checkout changes or the wait ends`, async () => {
    const { page, merchant } = await startMounted();
    const { etag } = await page.getCheckout();
    const sentAt = performance.now();
    const unchanged = await page.longPoll(etag, 1);
    assert.deepEqual([unchanged.status, unchanged.headers.get('preference-applied')], [304, 'wait=1']);
    assert.ok(performance.now() - sentAt > 900, 'the response was held');
    const held = page.longPoll(etag, 30);
    await untilHeld(merchant);
    await page.createInvoice();
    assert.equal(await merchant.heldRequests(), 0);
    const changed = await held;
    assert.equal(changed.status, 200);
    assert.equal(changed.checkout().status, 'pending');
  });

  test(`${where}: creates one invoice for a request and its repeat`, async () => {
    const { page, merchant } = await startMounted();
    const made = await page.createInvoice({ key: 'key-1' });
    assert.equal(made.status, 201);
    assert.equal(made.checkout().invoice?.id, 'inv_1');
    assert.equal((await page.createInvoice({ key: 'key-1' })).status, 200);
    assert.equal(merchant.service.created.length, 1);
  });

  test(`${where}: accepts the service's webhook, then reports the payment to the shop and to the held request`, async () => {
    const { page, merchant } = await startMounted({ timing: { fastMs: 30_000, slowMs: 30_000 } });
    const { etag } = await page.createInvoice();
    const secret = merchant.service.created[0]?.url_config?.hook_url?.split('/').at(-1) ?? '';
    const held = page.longPoll(etag, 20);
    merchant.service.setStatus('PAID');
    assert.equal((await page.sendWebhook('A'.repeat(24))).status, 404);
    for (const init of [{}, { headers: { 'content-type': 'application/json' } }, { body: null }, { body: '{"broken' }])
      assert.deepEqual(await page.sendWebhook(secret, init).then(({ status, text }) => [status, text]), [204, '']);
    assert.equal((await held).checkout().status, 'paid');
    await until('the outcome is delivered', () => merchant.outcomes.length > 0);
    assert.deepEqual(
      merchant.outcomes.map(({ kind, orderId }) => [kind, orderId]),
      [['paid', 'order-1']],
    );
    assert.equal((await page.createInvoice()).problem().code, 'already_paid');
  });

  test(`${where}: answers errors with problem documents`, async () => {
    const { page, merchant } = await startMounted();
    const id = await merchant.open();
    const json = { 'content-type': 'application/json' };
    const unknown = await page.send(`/chk_${'A'.repeat(24)}`);
    assert.deepEqual([unknown.status, unknown.problem().code], [404, 'not_found']);
    const wrongMethod = await page.send(`/${id}`, { method: 'DELETE' });
    assert.equal(wrongMethod.problem().status, 405);
    assert.equal(wrongMethod.headers.get('allow'), 'GET, HEAD, OPTIONS');
    for (const [status, init] of [
      [400, { body: '{"broken' }],
      [400, { body: '' }],
      [400, { key: 'a b' }],
      [415, { headers: { 'content-type': 'text/plain' } }],
      [415, { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'payment_method_id=pm_card' }],
      [413, { body: JSON.stringify({ payment_method_id: 'x'.repeat(200_000) }) }],
    ] as const)
      assert.equal((await page.createInvoice(init)).problem().status, status);
    const chunked = new Blob([`{"payment_method_id":"${'x'.repeat(200_000)}`]).stream();
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers: json, body: chunked, duplex: 'half' };
    const long = await page.send(`/${id}/invoice`, { ...init, headers: { ...json, 'idempotency-key': 'k' } });
    assert.equal(long.problem().status, 413);
    assert.equal(merchant.service.created.length, 0);
  });

  test(`${where}: allows requests from a listed origin, and from no other`, async () => {
    const { page, merchant } = await startMounted();
    const path = `/${await merchant.open()}/invoice`;
    const requestHeaders = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,prefer',
    };
    const preflight = async (origin: string) =>
      page.send(path, { method: 'OPTIONS', headers: { origin, ...requestHeaders } });
    const { status, headers } = await preflight(listedOrigin);
    assert.equal(status, 204);
    assert.equal(headers.get('access-control-allow-origin'), listedOrigin);
    assert.match(headers.get('access-control-allow-headers') ?? '', /Idempotency-Key/);
    assert.match(headers.get('vary') ?? '', /\bOrigin\b/);
    const evil = 'https://evil.example';
    assert.equal((await preflight(evil)).headers.get('access-control-allow-origin'), null);
    const refused = await page.createInvoice({ headers: { origin: evil, 'sec-fetch-site': 'cross-site' } });
    assert.equal(refused.problem().status, 403);
    assert.equal(merchant.service.created.length, 0);
    const served = await page.createInvoice({ headers: { origin: listedOrigin, 'sec-fetch-site': 'cross-site' } });
    assert.equal(served.status, 201);
    assert.equal(served.headers.get('access-control-allow-origin'), listedOrigin);
    assert.match(served.headers.get('access-control-expose-headers') ?? '', /ETag/);
  });

  test(`${where}: a disconnect of the payer ends the long poll`, async () => {
    const { page, merchant } = await startMounted({ limits: { waitersOfCheckout: 1 } });
    const { etag } = await page.getCheckout();
    const leaving = new AbortController();
    const left = page.longPoll(etag, 30, leaving.signal);
    const isHeld = async () => (await page.longPoll(etag, 1)).headers.has('preference-applied');
    await untilHeld(merchant);
    assert.equal(await isHeld(), false, 'a second request is held');
    collectGarbage(); // The signal must survive although the request is collected.
    await sleep(10);
    leaving.abort();
    await assert.rejects(left, { name: 'AbortError' });
    await until('the long poll has ended', async () => (await merchant.heldRequests()) === 0);
    assert.equal(await isHeld(), true, 'no other request is held');
  });

  test(`${where}: limits creates by the client's address as the trusted proxies report it`, async () => {
    for (const [trustedProxies, expected] of [
      [0, [201, 429, 429]],
      [1, [201, 429, 201]],
    ] as const) {
      const once = { limits: { createsOfAddress: { burst: 1, perMinute: 1 } } };
      const { merchant, mounted } = await startMounted(once, trustedProxies);
      const statuses: number[] = [];
      for (const forwardedFor of ['1.1.1.1, 10.0.0.1', '2.2.2.2, 10.0.0.1', '1.1.1.1, 10.0.0.2']) {
        const page = new HttpCheckoutClient(mounted.endpoint, await merchant.open());
        statuses.push((await page.createInvoice({ headers: { 'x-forwarded-for': forwardedFor } })).status);
      }
      assert.deepEqual(statuses, expected, `${trustedProxies} proxies`);
    }
  });

  test(`${where}: answers held requests when the server stops`, async () => {
    const { page, merchant } = await startMounted();
    const { etag } = await page.getCheckout();
    const held = page.longPoll(etag, 30);
    await untilHeld(merchant);
    await merchant.checkouts.stop();
    assert.equal(await merchant.heldRequests(), 0);
    assert.equal((await held).status, 304);
  });
}
