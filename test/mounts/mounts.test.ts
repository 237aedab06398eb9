import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CheckoutServerOptions } from '../../src/server.ts';
import { createMerchantBackend, type MerchantBackend } from './merchant-backend.ts';
import { until } from '../support/wait-until.ts';
import { describeFailedChecks } from '../conformance/run-conformance-in-process.ts';
import { runConformanceOverHttp } from '../conformance/run-conformance-over-http.ts';
import { HttpCheckoutClient } from './http-client.ts';
import { mounts } from './mounts.ts';

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Checks of what a framework could change of a request or a response; test/conformance/deployments.slow.test.ts runs all. */
const checksOfRequests = [
  ...['checkout', 'etag', 'wait.bounded', 'wait.early', 'capability', 'request', 'cors', 'invoice', 'concurrent'],
  ...['typed', 'closed', 'hook.good_secret', 'hook.wrong_secret', 'answers'],
];

/** Waits until the server holds one long poll. */
const waitUntilHeld = (merchant: MerchantBackend): Promise<void> =>
  until('a request is held', async () => (await merchant.heldRequests()) === 1);

const cleanups: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const cleanUp of cleanups.reverse()) await cleanUp();
});

describe('the checkout API', { concurrency: true }, () => {
  // TEST_MOUNTS names the only one to test: scripts/test-node-versions.ts tests each version of Node with node:http.
  const only = process.env['TEST_MOUNTS'];
  for (const [framework, mount] of Object.entries(mounts).filter(([name]) => only === undefined || name === only))
    describe(`mounted in ${framework}`, { concurrency: true }, () => {
      const startServer = async (options: Partial<CheckoutServerOptions> = {}, trustedProxies = 0) => {
        const merchant = createMerchantBackend(options);
        const { endpoint, close } = await mount(merchant.checkouts, trustedProxies);
        cleanups.push(close, () => merchant.checkouts.stop());
        return { merchant, endpoint, page: new HttpCheckoutClient(endpoint, await merchant.open()) };
      };

      test('passes the conformance checks', async () => {
        const report = await runConformanceOverHttp((checkouts) => mount(checkouts, 0), { only: checksOfRequests });
        assert.deepEqual(describeFailedChecks(report), ['answers.retry_after: there was no such response']);
      });

      test('ends the long poll of a client that disconnects', async () => {
        const { page, merchant } = await startServer({ limits: { waiters: 1 } });
        const etag = await page.readEtag();
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

      test("limits creates by the client's address, as the trusted proxies report it", async () => {
        for (const [trustedProxies, expected] of [
          [0, [201, 429, 429]],
          [1, [201, 429, 201]],
        ] as const) {
          const oneCreatePerAddress = { limits: { createsOfAddress: { burst: 1, perMinute: 1 } } };
          const { merchant, endpoint } = await startServer(oneCreatePerAddress, trustedProxies);
          const statuses: number[] = [];
          for (const forwardedFor of ['1.1.1.1, 10.0.0.1', '2.2.2.2, 10.0.0.1', '1.1.1.1, 10.0.0.2']) {
            const page = new HttpCheckoutClient(endpoint, await merchant.open());
            statuses.push((await page.createInvoice({ headers: { 'x-forwarded-for': forwardedFor } })).status);
          }
          assert.deepEqual(statuses, expected, `${trustedProxies} proxies`);
        }
      });

      test('answers long polls when the server stops', async () => {
        const { page, merchant } = await startServer();
        const etag = await page.readEtag();
        const longPoll = page.longPoll(etag, 30);
        await waitUntilHeld(merchant);
        await merchant.checkouts.stop();
        assert.equal(await merchant.heldRequests(), 0);
        assert.equal((await longPoll).status, 304);
      });
    });
});
