import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, mock, test } from 'node:test';
import { Buyer } from '../support/buyer.ts';
import { startTestServer } from '../support/start-test-server.ts';
import { defaultLimits } from '../../src/server.ts';
import { listen } from './listen.ts';
import { HttpCheckoutClient } from './http-client.ts';

const cleanups: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const cleanUp of cleanups.reverse()) await cleanUp();
});
before(() => {
  mock.method(process.stderr, 'write', () => true); // each rejected create logs a line
});
after(() => mock.reset());

/** Starts a service that rejects every create. Rejected creates count against the limits, too. */
async function startRefusingService(): Promise<string> {
  const option = { id: 'pm_card', code: 'card', type: 'CARD', name: 'Card', available: true, limits: {}, banks: [] };
  const server = createServer((incoming, outgoing) => {
    const isCreate = incoming.url?.endsWith('/CreateInvoice') === true;
    outgoing.writeHead(isCreate ? 400 : 200, { 'content-type': 'application/json' });
    outgoing.end(JSON.stringify(isCreate ? { code: 'invalid_argument' } : { options: [option], invoices: [] }));
  });
  const { endpoint, close } = await listen(server, '');
  cleanups.push(close);
  return endpoint;
}

/** Starts the server with that service. `requestInvoice` sends a create for a new order and returns the HTTP status. */
async function startShopWith(environment: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'proxy-'));
  const service = await startRefusingService();
  const serviceVariables = { INVOICE_BASE_URL: service, INVOICE_ACCESS_TOKEN: 'token', INVOICE_MODE: 'TEST' };
  const shop = await startTestServer({ DATA_DIR: folder, ...serviceVariables, ...environment });
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  cleanups.push(() => shop.close());
  const open = async (): Promise<HttpCheckoutClient> => {
    const buyer = new Buyer(shop);
    await buyer.order();
    return new HttpCheckoutClient(`${shop.url}/checkout`, buyer.checkoutId);
  };
  const requestInvoice = async (page: HttpCheckoutClient, forwardedFor: string): Promise<number> =>
    (await page.createInvoice({ headers: { 'x-forwarded-for': forwardedFor }, key: randomUUID() })).status;
  return {
    requestInvoice: async (forwardedFor: string) => requestInvoice(await open(), forwardedFor),
    /** Requests up to four times as many invoices as the burst of an address. Returns whether the limit refused one. */
    isLimited: async (forwardedFor: (n: number) => string): Promise<boolean> => {
      let requestCount = 0;
      let isRefused = false;
      const requestUntilRefused = async (): Promise<void> => {
        while (!isRefused && requestCount < defaultLimits.createsOfAddress.burst * 4) {
          const page = await open();
          for (let times = 0; times < 5; times += 1) {
            requestCount += 1;
            if ((await requestInvoice(page, forwardedFor(requestCount))) === 429) isRefused = true;
          }
        }
      };
      await Promise.all(Array.from({ length: 10 }, requestUntilRefused));
      return isRefused;
    },
  };
}

test('without TRUST_PROXY a forged X-Forwarded-For does not evade the limit of an address', async () => {
  const { isLimited } = await startShopWith({});
  assert.ok(await isLimited((n) => `203.0.113.${n % 250}, 10.0.0.${n % 250}`));
});

test('with TRUST_PROXY=1 each address that the proxy reports has a limit of its own, whatever entries the client adds', async () => {
  const { requestInvoice, isLimited } = await startShopWith({ TRUST_PROXY: '1' });
  assert.ok(
    await isLimited((n) => `203.0.113.${n % 250}, 10.0.0.1`),
    'the limit ignores forged entries before the last entry',
  );
  assert.notEqual(await requestInvoice('10.0.0.2'), 429);
});

test('with TRUST_PROXY=1 addresses that the proxy reports do not share a limit', async () => {
  const { isLimited } = await startShopWith({ TRUST_PROXY: '1' });
  assert.equal(await isLimited((n) => `10.0.${n % 250}.1`), false);
});
