import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { webhookDelay } from '../../../src/tools/sandbox/invoices/webhook-sender.ts';
import { settle } from '../../support/fake-clock.ts';
import { TestSandbox } from '../test-sandbox.ts';

const hook_url = 'http://shop.test/hook';

interface Shop {
  readonly service: TestSandbox;
  readonly calls: { readonly request: Request; readonly body: string }[];
}

/** Creates a sandbox and a shop that answers its webhook calls with the statuses in turn, and further calls with the last one. */
function createShop(statuses: readonly number[]): Shop {
  const calls: Shop['calls'] = [];
  const sendHook = async (request: Request): Promise<Response> => {
    const status = statuses[Math.min(calls.length, statuses.length - 1)] ?? 204;
    calls.push({ request, body: await request.text() });
    return new Response(null, { status, headers: status === 302 ? { location: 'http://elsewhere.test/' } : {} });
  };
  return { service: new TestSandbox({ sendWebhook: sendHook }), calls };
}

describe('the webhook', () => {
  for (const { change, status } of [
    { change: 'pay', status: 'PAID' },
    { change: 'fail', status: 'FAILED' },
    { change: 'expire', status: 'EXPIRED' },
  ])
    it(`§6 is called with the identifiers and ${status} after ${change}`, async () => {
      const { service, calls } = createShop([204]);
      const id = await service.createId({ external_id: 'o-1', url_config: { hook_url } });
      await service.send('POST', `/sandbox/invoices/${id}/${change}`);
      await settle(5);
      const [{ request, body } = { request: new Request('http://none.test'), body: '' }] = calls;
      assert.equal(calls.length, 1);
      assert.equal(request.url, hook_url);
      assert.equal(request.method, 'POST');
      assert.equal(request.headers.get('content-type'), 'application/json');
      assert.equal(request.redirect, 'manual');
      assert.equal(body, JSON.stringify({ invoice_id: id, external_id: 'o-1', status }));
    });

  it('is called when an invoice expires without a request for it', async () => {
    const { service, calls } = createShop([204]);
    await service.createId({ url_config: { hook_url } });
    await service.clock.advance(15 * 60_000 + 1);
    assert.match(calls[0]?.body ?? '', /"status":"EXPIRED"/);
  });

  it('is not called when the status does not change, nor for an invoice without a webhook URL', async () => {
    const { service, calls } = createShop([204]);
    const id = await service.createId({ url_config: { hook_url } });
    const invoiceWithoutHook = await service.createId();
    for (const target of [id, id, invoiceWithoutHook]) await service.send('POST', `/sandbox/invoices/${target}/pay`);
    await service.send('POST', `/sandbox/invoices/${id}/status`, { status: 'PAID' });
    await service.clock.advance(1_000_000);
    assert.equal(calls.length, 1);
  });

  for (const status of [302, 400, 500, 503])
    it(`is called again after a second when the shop answers ${status}, and no redirect is followed`, async () => {
      const { service, calls } = createShop([status, 200]);
      const id = await service.createId({ url_config: { hook_url } });
      await service.send('POST', `/sandbox/invoices/${id}/pay`);
      await service.clock.advance(999);
      assert.equal(calls.length, 1);
      await service.clock.advance(1);
      await service.clock.advance(1_000_000);
      assert.deepEqual(
        calls.map(({ request }) => request.url),
        [hook_url, hook_url],
      );
    });

  it('is not called any more after eight failed calls with growing delays', async () => {
    const { service, calls } = createShop([500]);
    const id = await service.createId({ url_config: { hook_url } });
    await service.send('POST', `/sandbox/invoices/${id}/pay`);
    await service.clock.advance(3_600_000);
    assert.equal(calls.length, 8);
    assert.equal(service.clock.pending, 0);
    assert.deepEqual([1, 2, 3, 6, 7, 8].map(webhookDelay), [1000, 2000, 4000, 32_000, 60_000, 60_000]);
  });

  it('counts each call to a URL that cannot be requested as a failed attempt, and does not log its password', async () => {
    const { service, calls } = createShop([204]);
    const id = await service.createId({ url_config: { hook_url: 'http://user:password@shop.test/' } });
    await service.send('POST', `/sandbox/invoices/${id}/pay`);
    await service.clock.advance(1_000_000);
    assert.deepEqual([calls.length, service.log.length], [0, 8]);
    assert.doesNotMatch(service.log.join(), /password/);
  });

  it('is aborted when the shop does not respond within five seconds, and called again a second later', async () => {
    const signals: AbortSignal[] = [];
    const sendHook = (request: Request): Promise<Response> =>
      new Promise((_, reject) => {
        signals.push(request.signal);
        request.signal.addEventListener('abort', () => reject(new Error('aborted')));
      });
    const service = new TestSandbox({ sendWebhook: sendHook });
    const id = await service.createId({ url_config: { hook_url } });
    await service.send('POST', `/sandbox/invoices/${id}/pay`);
    await service.clock.advance(5000);
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true],
    );
    await service.clock.advance(1000);
    assert.equal(signals.length, 2);
  });

  it('is called for at most sixteen changes at a time, and for the others after them', async () => {
    let callCount = 0;
    const answers: (() => void)[] = [];
    const sendWebhook = (): Promise<Response> =>
      new Promise((resolve) => {
        callCount += 1;
        answers.push(() => resolve(new Response()));
      });
    const service = new TestSandbox({ sendWebhook });
    for (let count = 0; count < 20; count += 1) {
      const id = await service.createId({ url_config: { hook_url } });
      await service.send('POST', `/sandbox/invoices/${id}/pay`);
    }
    assert.equal(callCount, 16);
    for (const answer of answers.splice(0)) answer();
    await settle(5);
    assert.equal(callCount, 20);
  });
});
