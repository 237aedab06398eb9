import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import express from 'express';
import { toNodeListener } from '../../../src/server.ts';
import { listen } from '../../mounts/listen.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

type Handle = (request: Request, client?: { readonly address?: string | undefined }) => Promise<Response>;

const closers: (() => Promise<void>)[] = [];
after(async () => {
  for (const close of closers) await close();
});

async function serve(listener: RequestListener): Promise<string> {
  const { endpoint, close } = await listen(createServer(listener), '');
  closers.push(close);
  return endpoint;
}

const serveHandle = (handle: Handle): Promise<string> => serve(toNodeListener({ handle }));

/** Sends a request as text on a new connection, and resolves with the whole response. */
async function sendRawRequest(url: string, sentBody: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.end(sentBody);
  return text(socket);
}

const echoRequest: Handle = async (request) => {
  const { method, url } = request;
  return Response.json({ method, url, type: request.headers.get('content-type'), body: await request.text() });
};

async function readEcho(fetched: Promise<Response>): Promise<Record<string, unknown>> {
  return (await fetched).json() as Promise<Record<string, unknown>>;
}

const post = (body: string, type = 'application/json'): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': type },
  body,
});

for (const [title, parser, type, sentBody, expected] of [
  ['no body parser', undefined, 'application/json', '{"a" : 1}', '{"a" : 1}'],
  ['express.json', express.json(), 'application/json', '{"a" : "é"}', '{"a":"é"}'],
  ['express.json and another type', express.json(), 'text/plain', 'as it is', 'as it is'],
  ['express.raw', express.raw({ type: '*/*' }), 'application/json', '{"a" : 1}', '{"a" : 1}'],
  ['express.urlencoded', express.urlencoded(), 'application/x-www-form-urlencoded', 'a=1', '{"a":"1"}'],
] as const)
  test(`a body is read behind ${title}`, async () => {
    const app = express();
    if (parser !== undefined) app.use(parser);
    app.use('/shop', toNodeListener({ handle: echoRequest }));
    const url = await serve(app);
    const response = await readEcho(fetch(`${url}/shop/checkout/x?amount=1`, post(sentBody, type)));
    assert.deepEqual(response, { method: 'POST', url: `${url}/shop/checkout/x?amount=1`, type, body: expected });
  });

for (const [line, host, expected] of [
  ['GET /a?b=c HTTP/1.1', 'shop.example', 'http://shop.example/a?b=c'],
  ['GET //evil.example/a HTTP/1.1', 'shop.example', 'http://shop.example//evil.example/a'],
  ['GET http://proxied.example/a HTTP/1.1', 'shop.example', 'http://proxied.example/a'],
  ['OPTIONS * HTTP/1.1', 'shop.example', 'http://shop.example/*'],
  ['GET /a HTTP/1.1', 'user:password@shop.example/x', 'http://shop.example/a'],
  ['GET /a HTTP/1.0', undefined, 'http://localhost/a'],
] as const)
  test(`the request ${line} with ${host === undefined ? 'no Host' : `Host: ${host}`} has the URL ${expected}`, async () => {
    const url = await serveHandle((request) => Promise.resolve(new Response(request.url)));
    const headers = host === undefined ? '' : `Host: ${host}\r\nConnection: close\r\n`;
    const response = await sendRawRequest(url, `${line}\r\n${headers}\r\n`);
    assert.equal(response.split('\r\n\r\n')[1], expected);
  });

for (const host of ['shop.example:99999', ''])
  test(`a request with the Host ${JSON.stringify(host)} is answered with 400, because no Request can have its URL`, async () => {
    const url = await serveHandle(() => assert.fail('the handler is called'));
    const response = await sendRawRequest(url, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    assert.match(response, /^HTTP\/1\.1 400 [^]*content-type: application\/problem\+json/i);
  });

test('TRACE, which cannot be the method of a Request, is answered with 405 and Allow', async () => {
  const { server, capability } = await TestCheckoutServer.open();
  const url = await serve(toNodeListener(server));
  const response = await sendRawRequest(
    url,
    `TRACE /checkout/${capability} HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n`,
  );
  assert.match(response, /^HTTP\/1\.1 405 /);
  assert.match(response, /^allow: GET, HEAD, OPTIONS\r$/im);
});

test('all headers are forwarded in both directions, and the Vary of a middleware is kept', async () => {
  const listener = toNodeListener({
    handle: (request) => {
      const headers = new Headers({
        vary: 'Origin',
        'cache-control': 'no-store',
        'x-seen': request.headers.get('x-a') ?? '',
      });
      headers.append('set-cookie', 'a=1');
      headers.append('set-cookie', 'b=2');
      return Promise.resolve(new Response('{}', { status: 202, headers }));
    },
  });
  const url = await serve((incoming, outgoing) => {
    outgoing.setHeader('vary', 'Accept-Encoding');
    outgoing.setHeader('cache-control', 'public');
    listener(incoming, outgoing);
  });
  const { status, headers } = await fetch(url, { headers: [['x-a', '1'], ['x-a', '2']] }); // prettier-ignore
  assert.equal(status, 202);
  assert.equal(headers.get('x-seen'), '1, 2');
  assert.equal(headers.get('vary'), 'Accept-Encoding, Origin');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.deepEqual(headers.getSetCookie(), ['a=1', 'b=2']);
  assert.equal(headers.get('content-length'), '2');
});

test('a handle that wraps that of a checkout server answers each request, reads too', async () => {
  const { server, capability } = await TestCheckoutServer.open();
  const handle = async (request: Request, client: { readonly address: string | undefined }): Promise<Response> => {
    const response = await server.handle(request, client);
    response.headers.set('x-wrapped', 'yes');
    return response;
  };
  const url = await serve(toNodeListener({ ...server, handle }));
  const response = await fetch(`${url}/checkout/${capability}`);
  assert.deepEqual([response.status, response.headers.get('x-wrapped')], [200, 'yes']);
});
