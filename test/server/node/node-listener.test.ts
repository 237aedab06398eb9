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

const cleanups: (() => Promise<void>)[] = [];
after(async () => {
  for (const step of cleanups) await step();
});

async function serve(listener: RequestListener): Promise<string> {
  const { endpoint, close } = await listen(createServer(listener), '');
  cleanups.push(close);
  return endpoint;
}

const serveHandle = (handle: Handle): Promise<string> => serve(toNodeListener({ handle }));

/** Sends text on a new connection; resolves with the whole response. */
async function raw(url: string, sent: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.end(sent);
  return text(socket);
}

const echo: Handle = async (request) => {
  const { method, url } = request;
  return Response.json({ method, url, type: request.headers.get('content-type'), body: await request.text() });
};

async function echoed(fetched: Promise<Response>): Promise<Record<string, unknown>> {
  return (await fetched).json() as Promise<Record<string, unknown>>;
}

const post = (body: string, type = 'application/json'): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': type },
  body,
});

for (const [title, parser, type, sent, expected] of [
  ['no parser', undefined, 'application/json', '{"a" : 1}', '{"a" : 1}'],
  ['express.json', express.json(), 'application/json', '{"a" : "é"}', '{"a":"é"}'],
  ['express.json and another type', express.json(), 'text/plain', 'as it is', 'as it is'],
  ['express.json and an empty body', express.json(), 'application/json', '', ''],
  ['express.text', express.text({ type: '*/*' }), 'application/json', '{"a" : 1}', '{"a" : 1}'],
  ['express.raw', express.raw({ type: '*/*' }), 'application/json', '{"a" : 1}', '{"a" : 1}'],
  ['express.urlencoded', express.urlencoded(), 'application/x-www-form-urlencoded', 'a=1', '{"a":"1"}'],
] as const)
  test(`reads a body behind ${title}`, async () => {
    const app = express();
    if (parser !== undefined) app.use(parser);
    app.use('/shop', toNodeListener({ handle: echo }));
    const url = await serve(app);
    const answer = await echoed(fetch(`${url}/shop/checkout/x?amount=1`, post(sent, type)));
    assert.deepEqual(answer, { method: 'POST', url: `${url}/shop/checkout/x?amount=1`, type, body: expected });
  });

test('a body that a middleware consumed without storing it is empty', async () => {
  const listener = toNodeListener({ handle: echo });
  const url = await serve((incoming, outgoing) => {
    incoming.resume().once('end', () => listener(incoming, outgoing));
  });
  assert.equal((await echoed(fetch(url, post('{}'))))['body'], '');
});

for (const [line, host, expected] of [
  ['GET /a?b=c HTTP/1.1', 'shop.example', 'http://shop.example/a?b=c'],
  ['GET //evil.example/a HTTP/1.1', 'shop.example', 'http://shop.example//evil.example/a'],
  ['GET http://proxied.example/a HTTP/1.1', 'shop.example', 'http://proxied.example/a'],
  ['OPTIONS * HTTP/1.1', 'shop.example', 'http://shop.example/*'],
  ['GET /a HTTP/1.1', 'user:password@shop.example/x', 'http://shop.example/a'],
  ['GET /a HTTP/1.0', undefined, 'http://localhost/a'],
] as const)
  test(`reads the address of ${line} at ${host ?? 'no host'}`, async () => {
    const url = await serveHandle((request) => Promise.resolve(new Response(request.url)));
    const headers = host === undefined ? '' : `Host: ${host}\r\nConnection: close\r\n`;
    const answer = await raw(url, `${line}\r\n${headers}\r\n`);
    assert.equal(answer.split('\r\n\r\n')[1], expected);
  });

for (const [line, host] of [
  ['GET / HTTP/1.1', 'shop.example:99999'],
  ['GET / HTTP/1.1', ''],
] as const)
  test(`answers 400 to ${line} at ${host || 'an empty host'}, which cannot become a Request`, async () => {
    const url = await serveHandle(() => assert.fail('the handler is called'));
    const answer = await raw(url, `${line}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.match(answer, /content-type: application\/problem\+json/i);
  });

test('answers 405 with Allow to TRACE, which cannot be the method of a Request', async () => {
  const { server, id } = await TestCheckoutServer.open();
  const url = await serve(toNodeListener(server));
  const answer = await raw(url, `TRACE /checkout/${id} HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n`);
  assert.match(answer, /^HTTP\/1\.1 405 /);
  assert.match(answer, /^allow: GET, HEAD, OPTIONS\r$/im);
});

test('forwards every header, and keeps the Vary of a middleware', async () => {
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
