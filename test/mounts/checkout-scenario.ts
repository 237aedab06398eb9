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
const waitUntilHeld = (merchant: MerchantBackend): Promise<void> =>
  until('a request is held', async () => (await merchant.heldRequests()) === 1);

/** Tests the checkout API over a socket, with the handler mounted in one framework. */
export function testCheckoutOverHttp(framework: string, mount: Mount): void {
  const cleanups: (() => Promise<void>)[] = [];
  after(async () => {
    for (const cleanUp of cleanups.reverse()) await cleanUp();
  });

  const startServer = async (
    options: Partial<CheckoutServerOptions> = {},
    trustedProxies = 0,
  ): Promise<{ readonly merchant: MerchantBackend; readonly mounted: Mounted; readonly page: HttpCheckoutClient }> => {
    const merchant = createMerchantBackend(options);
    const mounted = await mount(merchant, trustedProxies);
    cleanups.push(async () => {
      await merchant.checkouts.stop();
      await mounted.close();
    });
    return { merchant, mounted, page: new HttpCheckoutClient(mounted.endpoint, await merchant.open()) };
  };

  test(`${framework}: a read is answered with the checkout, and with 304 when the client has the current ETag`, async () => {
    const { page } = await startServer();
    const firstResponse = await page.getCheckout();
    assert.equal(firstResponse.status, 200);
    assert.match(firstResponse.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(firstResponse.headers.get('cache-control'), 'no-store');
    assert.equal(firstResponse.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(firstResponse.checkout().status, 'open');
    const notModifiedResponse = await page.getCheckout({ 'if-none-match': firstResponse.etag });
    assert.deepEqual(
      [notModifiedResponse.status, notModifiedResponse.etag, notModifiedResponse.text],
      [304, firstResponse.etag, ''],
    );
  });

  test(`${framework}: HEAD is answered like GET, without a body`, async () => {
    const { page, mounted, merchant } = await startServer();
    const id = await merchant.open();
    const head = await page.send(`/${id}`, { method: 'HEAD' });
    const { etag } = await new HttpCheckoutClient(mounted.endpoint, id).getCheckout();
    assert.deepEqual([head.status, head.etag, head.text], [200, etag, '']);
  });

  test(`${framework}: the query of a read is validated`, async () => {
    const { page, merchant } = await startServer();
    const refusedResponse = await page.send(`/${await merchant.open()}?amount=1e3`);
    assert.equal(refusedResponse.status, 400);
    assert.match(refusedResponse.problem().detail ?? '', /^amount: /);
  });

  test(`${framework}: a long poll is answered when the checkout changes or the wait ends`, async () => {
    const { page, merchant } = await startServer();
    const { etag } = await page.getCheckout();
    const sentAt = performance.now();
    const notModifiedResponse = await page.longPoll(etag, 1);
    assert.deepEqual(
      [notModifiedResponse.status, notModifiedResponse.headers.get('preference-applied')],
      [304, 'wait=1'],
    );
    assert.ok(performance.now() - sentAt > 900, 'the request was held for about a second');
    const longPoll = page.longPoll(etag, 30);
    await waitUntilHeld(merchant);
    await page.createInvoice();
    assert.equal(await merchant.heldRequests(), 0);
    const changedResponse = await longPoll;
    assert.equal(changedResponse.status, 200);
    assert.equal(changedResponse.checkout().status, 'pending');
  });

  test(`${framework}: a create and its repeat create one invoice`, async () => {
    const { page, merchant } = await startServer();
    const createdResponse = await page.createInvoice({ key: 'key-1' });
    assert.equal(createdResponse.status, 201);
    assert.equal(createdResponse.checkout().invoice?.id, 'inv_1');
    assert.equal((await page.createInvoice({ key: 'key-1' })).status, 200);
    assert.equal(merchant.service.createRequests.length, 1);
  });

  test(`${framework}: a webhook after a payment is answered with 204, the outcome is delivered to the shop, and a long poll returns paid`, async () => {
    const { page, merchant } = await startServer({ timing: { fastMs: 30_000, slowMs: 30_000 } });
    const { etag } = await page.createInvoice();
    const secret = merchant.service.createRequests[0]?.url_config?.hook_url?.split('/').at(-1) ?? '';
    const longPoll = page.longPoll(etag, 20);
    merchant.service.setStatus('PAID');
    assert.equal((await page.sendWebhook('A'.repeat(24))).status, 404);
    for (const init of [{}, { headers: { 'content-type': 'application/json' } }, { body: null }, { body: '{"broken' }])
      assert.deepEqual(await page.sendWebhook(secret, init).then(({ status, text }) => [status, text]), [204, '']);
    assert.equal((await longPoll).checkout().status, 'paid');
    await until('the outcome is delivered', () => merchant.outcomes.length > 0);
    assert.deepEqual(
      merchant.outcomes.map(({ kind, orderId }) => [kind, orderId]),
      [['paid', 'order-1']],
    );
    assert.equal((await page.createInvoice()).problem().code, 'already_paid');
  });

  test(`${framework}: invalid requests are answered with problem documents`, async () => {
    const { page, merchant } = await startServer();
    const id = await merchant.open();
    const json = { 'content-type': 'application/json' };
    const unknownCheckoutResponse = await page.send(`/chk_${'A'.repeat(24)}`);
    assert.deepEqual([unknownCheckoutResponse.status, unknownCheckoutResponse.problem().code], [404, 'not_found']);
    const wrongMethodResponse = await page.send(`/${id}`, { method: 'DELETE' });
    assert.equal(wrongMethodResponse.problem().status, 405);
    assert.equal(wrongMethodResponse.headers.get('allow'), 'GET, HEAD, OPTIONS');
    for (const [status, init] of [
      [400, { body: '{"broken' }],
      [400, { body: '' }],
      [400, { key: 'a b' }],
      [415, { headers: { 'content-type': 'text/plain' } }],
      [415, { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'payment_method_id=pm_card' }],
      [413, { body: JSON.stringify({ payment_method_id: 'x'.repeat(200_000) }) }],
    ] as const)
      assert.equal((await page.createInvoice(init)).problem().status, status);
    const chunkedBody = new Blob([`{"payment_method_id":"${'x'.repeat(200_000)}`]).stream();
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers: json, body: chunkedBody, duplex: 'half' };
    const tooLargeResponse = await page.send(`/${id}/invoice`, {
      ...init,
      headers: { ...json, 'idempotency-key': 'k' },
    });
    assert.equal(tooLargeResponse.problem().status, 413);
    assert.equal(merchant.service.createRequests.length, 0);
  });

  test(`${framework}: pages of a listed origin may use the API, and pages of other origins may not`, async () => {
    const { page, merchant } = await startServer();
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
    const unlistedOrigin = 'https://evil.example';
    assert.equal((await preflight(unlistedOrigin)).headers.get('access-control-allow-origin'), null);
    const refusedResponse = await page.createInvoice({
      headers: { origin: unlistedOrigin, 'sec-fetch-site': 'cross-site' },
    });
    assert.equal(refusedResponse.problem().status, 403);
    assert.equal(merchant.service.createRequests.length, 0);
    const servedResponse = await page.createInvoice({
      headers: { origin: listedOrigin, 'sec-fetch-site': 'cross-site' },
    });
    assert.equal(servedResponse.status, 201);
    assert.equal(servedResponse.headers.get('access-control-allow-origin'), listedOrigin);
    assert.match(servedResponse.headers.get('access-control-expose-headers') ?? '', /ETag/);
  });

  test(`${framework}: a client that disconnects ends its long poll`, async () => {
    const { page, merchant } = await startServer({ limits: { waitersOfCheckout: 1 } });
    const { etag } = await page.getCheckout();
    const controller = new AbortController();
    const abortedLongPoll = page.longPoll(etag, 30, controller.signal);
    const canHoldRequest = async () => (await page.longPoll(etag, 1)).headers.has('preference-applied');
    await waitUntilHeld(merchant);
    assert.equal(await canHoldRequest(), false, 'the second request is not held while the first is held');
    collectGarbage(); // The request's signal must still abort after the request object was garbage-collected.
    await sleep(10);
    controller.abort();
    await assert.rejects(abortedLongPoll, { name: 'AbortError' });
    await until('the long poll has ended', async () => (await merchant.heldRequests()) === 0);
    assert.equal(await canHoldRequest(), true, 'a request is held again after the first has ended');
  });

  test(`${framework}: creates are limited by the client's address, as the trusted proxies report it`, async () => {
    for (const [trustedProxies, expected] of [
      [0, [201, 429, 429]],
      [1, [201, 429, 201]],
    ] as const) {
      const oneCreatePerAddress = { limits: { createsOfAddress: { burst: 1, perMinute: 1 } } };
      const { merchant, mounted } = await startServer(oneCreatePerAddress, trustedProxies);
      const statuses: number[] = [];
      for (const forwardedFor of ['1.1.1.1, 10.0.0.1', '2.2.2.2, 10.0.0.1', '1.1.1.1, 10.0.0.2']) {
        const page = new HttpCheckoutClient(mounted.endpoint, await merchant.open());
        statuses.push((await page.createInvoice({ headers: { 'x-forwarded-for': forwardedFor } })).status);
      }
      assert.deepEqual(statuses, expected, `${trustedProxies} proxies`);
    }
  });

  test(`${framework}: long polls are answered when the server stops`, async () => {
    const { page, merchant } = await startServer();
    const { etag } = await page.getCheckout();
    const longPoll = page.longPoll(etag, 30);
    await waitUntilHeld(merchant);
    await merchant.checkouts.stop();
    assert.equal(await merchant.heldRequests(), 0);
    assert.equal((await longPoll).status, 304);
  });
}
