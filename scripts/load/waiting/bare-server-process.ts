// A bare node:http server, which only holds the long polls of the run with waiting payers: the memory that Node.js itself needs.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import type { ServerReply } from './messages.ts';
import { reportMemoryToParent } from './report-memory.ts';

const etag = '"0"';
const waitMs = Number(process.argv[2]) * 1000;
const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
  if (request.headers['if-none-match'] === undefined) response.writeHead(200, { etag, 'content-length': 2 }).end('{}');
  else setTimeout(() => response.writeHead(304, { etag }).end(), waitMs);
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
await once(server, 'listening');
reportMemoryToParent();
process.once('SIGTERM', () => process.exit(0));
const { port } = server.address() as AddressInfo;
process.send?.({ url: `http://127.0.0.1:${port}`, metrics: null } satisfies ServerReply);
