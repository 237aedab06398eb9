import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { httpTransport } from '../../src/client.ts';
import { httpTransport as httpTransportOfPage } from '../../src/headless.ts';
import { CheckoutError, type CheckoutErrorCode } from '../../src/core.ts';
import { problemCodes, statusOfProblem } from '../../src/checkout-api.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';

interface SentRequest {
  readonly url: string;
  readonly init: RequestInit;
  readonly headers: Headers;
}

type FakeResponse = Response | Error | Promise<Response>;

/** A transport over a fake `fetch` that responds with the result of `respond`, and the requests that it sent. */
function createTestTransport(respond: (request: SentRequest) => FakeResponse, endpoint = '/checkout') {
  const clock = new FakeClock();
  const sentRequests: SentRequest[] = [];
  const transport = httpTransport({
    endpoint,
    checkout: 'chk_a/b',
    clock,
    fetch: (input, init = {}) => {
      const sentRequest = {
        url: input instanceof Request ? input.url : String(input),
        init,
        headers: new Headers(init.headers),
      };
      sentRequests.push(sentRequest);
      const response = respond(sentRequest);
      return new Promise((resolve, reject) => {
        init.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
        if (response instanceof Error) reject(response);
        else Promise.resolve(response).then(resolve, reject);
      });
    },
  });
  return { transport, sentRequests, clock };
}

const { signal } = new AbortController();
const createRequest = { key: 'key_1', payment_method_id: 'pm_sbp' };
const checkout = makeOpenCheckout();
const json = (body: unknown, init: ResponseInit = {}): Response => new Response(JSON.stringify(body), init);
const problemResponse = (code: string, status: number, headers: Record<string, string> = {}): Response =>
  json({ type: 'about:blank', title: 'x', status, code, min_amount: '1' }, { status, headers });

/** A response whose body never arrives. Aborting the request fails the body, as in a browser. */
function stalledBody(signal: AbortSignal | null | undefined): Response {
  const start = (controller: ReadableStreamDefaultController): void =>
    signal?.addEventListener('abort', () => controller.error(new DOMException('aborted', 'AbortError')));
  return new Response(new ReadableStream({ start }));
}

async function errorCodeOf(promise: Promise<unknown>): Promise<CheckoutErrorCode> {
  return (await rejectionOf(promise)).code;
}

async function rejectionOf(promise: Promise<unknown>): Promise<CheckoutError> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof CheckoutError, 'the promise is not rejected with a CheckoutError');
  return outcome;
}

describe('a read', () => {
  it('requests JSON, with credentials for the same origin only, without caches and without redirects', async () => {
    const { transport, sentRequests } = createTestTransport(() => json(checkout, { headers: { ETag: '"7"' } }));
    assert.deepEqual(await transport.read({}, signal), { kind: 'checkout', checkout, etag: '"7"' });
    const [{ url, init, headers } = { url: '', init: {}, headers: new Headers() }] = sentRequests;
    assert.equal(url, '/checkout/chk_a%2Fb');
    assert.deepEqual([...headers], [['accept', 'application/json, application/problem+json']]);
    assert.deepEqual(
      [init.method, init.credentials, init.cache, init.redirect, init.body],
      [undefined, 'same-origin', 'no-store', 'error', undefined],
    );
  });

  for (const [request, url, headers] of [
    [{ etag: '"7"' }, '', { 'if-none-match': '"7"' }],
    [{ etag: '"7"', waitSeconds: 25 }, '', { 'if-none-match': '"7"', prefer: 'wait=25' }],
    [{ amount: '100.00' }, '?amount=100.00', {}],
    [{ options: true }, '?options=1', {}],
    [{ options: false }, '', {}],
    [{ amount: '1', options: true }, '?amount=1&options=1', {}],
  ] as const)
    it(`sends ${JSON.stringify(request)} as the checkout API requires`, async () => {
      const { transport, sentRequests } = createTestTransport(() => json(checkout));
      await transport.read(request, signal);
      assert.equal(sentRequests[0]?.url, `/checkout/chk_a%2Fb${url}`);
      const own = [...new Headers(sentRequests[0].init.headers)].filter(([name]) => name !== 'accept');
      assert.deepEqual(Object.fromEntries(own), headers);
    });

  it('resolves with `unchanged` for a 304', async () => {
    const { transport } = createTestTransport(() => new Response(null, { status: 304 }));
    assert.deepEqual(await transport.read({ etag: '"7"' }, signal), { kind: 'unchanged' });
  });

  for (const code of problemCodes)
    it(`rejects with ${code} for a problem document with this code`, async () => {
      const { transport } = createTestTransport(() =>
        problemResponse(code, statusOfProblem(code), { 'Retry-After': '7' }),
      );
      const error = await rejectionOf(transport.read({}, signal));
      assert.equal(error.code, code);
      assert.equal(error.retryAfterMs, 7000);
      assert.deepEqual(error.limits, { min_amount: '1', max_amount: undefined });
    });

  for (const [name, respond] of [
    ['a problem document with an unknown code', () => problemResponse('teapot', 418)],
    ['a page with status 404', () => new Response('<html>Not found', { status: 404 })],
    ['a page with status 200', () => new Response('<html>Log in')],
    ['an empty response', () => new Response('')],
    ['the first 200 characters of a checkout', () => new Response(JSON.stringify(checkout).slice(0, 200))],
    ['JSON that is not a checkout', () => json({ status: 'paid' })],
    ['the JSON value null', () => json(null)],
    ['an unknown status of the checkout', () => json({ ...checkout, status: 'PAID' })],
    ['a response with status 204', () => new Response(null, { status: 204 })],
    ['a checkout with an HTTP status other than 200', () => json(checkout, { status: 206 })],
    ['a response of 600 KB', () => json({ ...checkout, description: 'x'.repeat(600_000) })],
  ] as const)
    it(`rejects with malformed for ${name}`, async () => {
      const { transport } = createTestTransport(respond);
      assert.equal(await errorCodeOf(transport.read({}, signal)), 'malformed');
    });

  for (const [status, code] of [
    [429, 'rate_limited'],
    [500, 'internal'],
    [502, 'internal'],
    [503, 'internal'],
  ] as const)
    it(`rejects with ${code} for the page of a proxy with the status ${status}`, async () => {
      const { transport } = createTestTransport(() => new Response('<html>', { status }));
      assert.equal(await errorCodeOf(transport.read({}, signal)), code);
    });

  it('names the members that it drops, because they are not valid', async () => {
    const { transport } = createTestTransport(() => json({ ...checkout, stale: 'no', description: 7 }));
    const answer = await transport.read({}, signal);
    assert.deepEqual(answer.kind === 'checkout' && answer.dropped, ['description', 'stale']);
  });

  it('stops reading a response that is too long', async () => {
    let chunks = 0;
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks += 1;
        controller.enqueue(new Uint8Array(64 * 1024));
      },
      cancel() {
        cancelled = true;
      },
    });
    const { transport } = createTestTransport(() => new Response(endless));
    assert.equal(await errorCodeOf(transport.read({}, signal)), 'malformed');
    await settle();
    assert.ok(chunks < 20 && cancelled);
  });

  it('rejects with network when the connection fails', async () => {
    const { transport } = createTestTransport(() => new TypeError('Failed to fetch'));
    assert.equal(await errorCodeOf(transport.read({}, signal)), 'network');
  });

  for (const [waitSeconds, timeoutMs] of [
    [undefined, 10_000],
    [25, 35_000],
  ] as const)
    for (const missingPart of ['headers', 'bytes of the body'] as const)
      it(`times out after ${timeoutMs} ms when it ${waitSeconds === undefined ? 'is no long poll' : `waits for ${waitSeconds} s`} and no ${missingPart} arrive`, async () => {
        const { transport, clock } = createTestTransport(({ init }) =>
          missingPart === 'headers' ? new Promise<Response>(() => undefined) : stalledBody(init.signal),
        );
        let code: CheckoutErrorCode | undefined;
        const outcome = errorCodeOf(transport.read({ waitSeconds }, signal)).then((result) => (code = result));
        await clock.advance(timeoutMs - 1);
        assert.equal(code, undefined);
        await clock.advance(1);
        await outcome;
        assert.equal(code, 'timeout');
        assert.equal(clock.pending, 0);
      });

  it('leaves no timer or listener behind, and rejects with the reason of an abort', async () => {
    const { transport, clock } = createTestTransport(() => new Promise<Response>(() => undefined));
    const controller = new AbortController();
    const result = transport.read({}, controller.signal);
    assert.equal(clock.pending, 1);
    controller.abort();
    await assert.rejects(result, { name: 'AbortError' });
    assert.equal(clock.pending, 0);
    await assert.rejects(transport.read({}, controller.signal), { name: 'AbortError' });
    const completed = createTestTransport(() => json(checkout));
    await completed.transport.read({}, signal);
    assert.equal(completed.clock.pending, 0);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  it('omits credentials, as `same-origin` does, when the endpoint has another origin', async () => {
    const { transport, sentRequests } = createTestTransport(() => json(checkout), 'https://api.example/pay/');
    await transport.read({}, signal);
    assert.equal(sentRequests[0]?.url, 'https://api.example/pay/chk_a%2Fb');
    assert.equal(sentRequests[0].init.credentials, 'same-origin');
  });
});

describe('the header Retry-After', () => {
  const date = 'Fri, 20 Nov 2026 10:00:00 GMT';
  for (const [value, headers, expected] of [
    ['120', {}, 120_000],
    ['0', {}, 0],
    ['1.5', {}, undefined],
    ['soon', { Date: date }, undefined],
    ['Fri, 20 Nov 2026 10:00:30 GMT', { Date: date }, 30_000],
    ['Fri, 20 Nov 2026 10:00:30 GMT', {}, undefined],
    ['Fri, 20 Nov 2026 09:00:00 GMT', { Date: date }, undefined],
  ] as const)
    it(`"${value}" is ${expected === undefined ? 'ignored' : `a delay of ${expected} ms`} ${'Date' in headers ? 'with' : 'without'} a Date header`, async () => {
      const { transport } = createTestTransport(() =>
        problemResponse('try_again', 503, { 'Retry-After': value, ...headers }),
      );
      assert.equal((await rejectionOf(transport.read({}, signal))).retryAfterMs, expected);
    });
});

describe('the options of the page', () => {
  it("adds the page's headers to each request, without replacing those of the checkout API, and sends its cookies", async () => {
    const sent: RequestInit[] = [];
    const transport = httpTransportOfPage({
      endpoint: 'https://pay.example/checkout',
      checkout: 'chk_1',
      headers: { 'X-Shop': 'a', Accept: 'text/html', 'Idempotency-Key': 'of the page' },
      credentials: 'include',
      fetch: (_url, init = {}) => {
        sent.push(init);
        return Promise.resolve(json(checkout));
      },
    });
    await transport.read({}, signal);
    await transport.createInvoice(createRequest, signal);
    for (const { headers, credentials } of sent) {
      assert.equal(new Headers(headers).get('X-Shop'), 'a');
      assert.match(new Headers(headers).get('Accept') ?? '', /^application\/json/);
      assert.equal(credentials, 'include');
    }
    assert.equal(new Headers(sent[1]?.headers).get('Idempotency-Key'), 'key_1');
  });
});

describe('a create request', () => {
  const pendingCheckout = makeCheckout('pending');

  it('sends the key as a header and its other members as JSON', async () => {
    const { transport, sentRequests } = createTestTransport(() => json(pendingCheckout, { status: 201 }));
    const result = await transport.createInvoice({ ...createRequest, amount: '100.00', replace: true }, signal);
    assert.deepEqual(result, { kind: 'created', checkout: pendingCheckout });
    assert.equal(sentRequests[0]?.url, '/checkout/chk_a%2Fb/invoice');
    assert.deepEqual(Object.fromEntries(sentRequests[0].headers), {
      accept: 'application/json, application/problem+json',
      'content-type': 'application/json',
      'idempotency-key': 'key_1',
    });
    assert.equal(sentRequests[0].init.method, 'POST');
    assert.equal(sentRequests[0].init.body, '{"payment_method_id":"pm_sbp","amount":"100.00","replace":true}');
    await transport.createInvoice(createRequest, signal);
    assert.equal(sentRequests[1]?.init.body, '{"payment_method_id":"pm_sbp"}');
  });

  for (const status of [200, 201])
    it(`resolves with \`created\` for the status ${status}`, async () => {
      const { transport } = createTestTransport(() => json(pendingCheckout, { status }));
      assert.equal((await transport.createInvoice(createRequest, signal)).kind, 'created');
    });

  it('resolves with `unknown` for the status 202, with and without a valid body', async () => {
    const headers = { 'Retry-After': '3' };
    for (const [body, expected] of [
      [JSON.stringify(pendingCheckout), pendingCheckout],
      ['<html>', undefined],
      ['', undefined],
    ] as const) {
      const { transport } = createTestTransport(() => new Response(body, { status: 202, headers }));
      assert.deepEqual(await transport.createInvoice(createRequest, signal), {
        kind: 'unknown',
        checkout: expected,
        retryAfterMs: 3000,
      });
    }
  });

  for (const [name, respond, code] of [
    ['a method that is refused', () => problemResponse('method_unavailable', 422), 'method_unavailable'],
    ['a service that is unavailable', () => problemResponse('try_again', 503), 'try_again'],
    ['the page of a firewall', () => new Response('<html>Forbidden', { status: 403 }), 'invalid_request'],
    ['a body that is too large for a proxy', () => new Response('', { status: 413 }), 'invalid_request'],
    ['a timeout of a proxy', () => new Response('<html>', { status: 408 }), 'malformed'],
    ['a proxy that limits requests', () => new Response('<html>', { status: 429 }), 'malformed'],
    ['a proxy that does not reach the backend', () => new Response('<html>', { status: 503 }), 'malformed'],
    ['a 201 with an incomplete body', () => new Response('{"id":', { status: 201 }), 'malformed'],
    ['a connection that was reset', () => new TypeError('reset'), 'network'],
  ] as const)
    it(`rejects with ${code} for ${name}`, async () => {
      const { transport } = createTestTransport(respond);
      assert.equal(await errorCodeOf(transport.createInvoice(createRequest, signal)), code);
    });

  it('times out after 30 s', async () => {
    const { transport, clock } = createTestTransport(() => new Promise<Response>(() => undefined));
    const outcome = errorCodeOf(transport.createInvoice(createRequest, signal));
    await clock.advance(30_000);
    assert.equal(await outcome, 'timeout');
  });
});
