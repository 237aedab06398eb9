// One of the servers that the bench compares, in a process of its own. It reports its port to the parent process and executes its commands.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { openShop, type Shop } from './measured-checkout-server.ts';
import type { Command, RecordedResponses, SubjectName, Reply } from './parent-child-messages.ts';

/** The framework alone with the same responses: it reads the path, the entity tag and the body of a create. */
function createBareHono(recorded: () => RecordedResponses): RequestListener {
  const app = new Hono();
  app.get('/checkout/:id', (c) => {
    const { etag, headers, text } = recorded().read;
    if (c.req.header('if-none-match') === etag) return c.body(null, 304, { etag, ...headers });
    return c.body(text, 200, { etag, 'content-type': 'application/json', ...headers });
  });
  app.post('/checkout/:id/invoice', async (c) => {
    const body: unknown = await c.req.json();
    if (typeof body !== 'object') return c.body(null, 400);
    const { etag, headers, text } = recorded().create;
    return c.body(text, 201, { etag, 'content-type': 'application/json', ...headers });
  });
  const listener = getRequestListener(app.fetch);
  return (request, response) => void listener(request, response);
}

/** Node.js alone with the same responses. */
function createBareNode(recorded: () => RecordedResponses): RequestListener {
  return (request, response) => {
    if (request.method === 'GET') {
      const { etag, headers, text } = recorded().read;
      if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag, ...headers }).end();
      else sendResponse(response, 200, recorded().read, text);
      return;
    }
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      JSON.parse(body);
      sendResponse(response, 201, recorded().create, recorded().create.text);
    });
  };
}

function sendResponse(
  response: Parameters<RequestListener>[1],
  status: number,
  { etag, headers }: RecordedResponses['read'],
  text: string,
): void {
  const length = Buffer.byteLength(text);
  response.writeHead(status, { etag, 'content-type': 'application/json', 'content-length': length, ...headers });
  response.end(text);
}

const name = process.argv[2] as SubjectName;
let recorded: RecordedResponses | undefined;
let shop: Shop | undefined;
const currentResponses = (): RecordedResponses => {
  if (recorded === undefined) throw new Error('no responses were recorded');
  return recorded;
};
const server = createServer({ keepAliveTimeout: 65_000 });
server.listen(0, '127.0.0.1', () => {
  void startSubject((server.address() as AddressInfo).port);
});

async function startSubject(port: number): Promise<void> {
  if (name === 'node:http') server.on('request', createBareNode(currentResponses));
  else if (name === 'hono') server.on('request', createBareHono(currentResponses));
  else {
    shop = await openShop(`http://127.0.0.1:${port}/checkout`);
    const listeners = {
      'checkout server': shop.listener,
      'checkout server in hono': shop.inHono,
      'hono with a SELECT': shop.withSelect,
    };
    server.on('request', listeners[name]);
  }
  sendToParent({ port });
}

function sendToParent(message: Reply): void {
  process.send?.(message);
}

process.on('message', (command: Command) => {
  if (command.do === 'setResponses') recorded = command.responses;
  if (command.do === 'open') void shop?.open(command.count).then((ids) => sendToParent({ ids }));
  const { user, system } = process.cpuUsage();
  if (command.do === 'cpu') sendToParent({ cpuMicroseconds: user + system });
  if (command.do === 'setResponses') sendToParent({});
  if (command.do === 'stop') void (shop?.close() ?? Promise.resolve()).then(() => process.exit(0));
});
