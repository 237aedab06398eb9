import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { Server as SocketServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connectionsOfProcess } from './connections-within-memory.ts';

/** How long unfinished responses may take after the server has begun to close, in milliseconds. */
const graceMs = 5000;

/**
 * How long the server still accepts requests after it has begun to close, in milliseconds: a load balancer or the client of an
 * open connection may have sent a request before it noticed.
 */
const drainDelayMs = 500;

/**
 * Maximum number of connections that wait to be accepted, for example after a restart. Node accepts one in each turn of the
 * event loop, and a client gives up after 10 s: in a longer queue the first connections are those that nobody waits for any
 * more, and the server accepts nothing else. A busy turn takes up to 75 ms, so 128 connections are accepted within 10 s. The
 * system of a client that finds the queue full tries again after a second, and then finds a place.
 */
export const backlog = 128;

/** How long a server waits for a client, in milliseconds. */
const clientTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  /** How often node checks the two timeouts above. */
  connectionsCheckingInterval: 2000,
  /** Longer than the widget waits between two polls, so that a poll does not need a new connection. */
  keepAliveTimeout: 65_000,
};

export type ClientTimeouts = Partial<typeof clientTimeouts>;

/** The longest headers of a request, in bytes. The cookies of a shop on the same host may be longer than Node's 16 KiB. */
const maxHeaderSize = 32 * 1024;

/**
 * Creates an HTTP server that slow clients cannot block, and many cannot fill. The server does not listen yet.
 * @param kept - how many connections stay open between two requests: an idle one takes as much memory as one with a held
 * response. Beyond them each response closes its connection, and beyond a tenth more none is accepted
 * @example
 * ```ts
 * import { createHttpServer, listen } from 'pay-invoice/standalone';
 *
 * const server = createHttpServer();
 * server.on('request', (_request, response) => response.end('a shop'));
 * console.log(await listen(server, 0, '127.0.0.1')); // http://127.0.0.1:49152
 * ```
 */
export function createHttpServer(timeouts: ClientTimeouts = {}, kept = connectionsOfProcess()): Server {
  const server = createServer({ maxHeaderSize, ...clientTimeouts, ...timeouts });
  server.maxConnections = Math.ceil(kept * 1.1);
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => (open -= 1));
  });
  server.on('request', (_, response) => {
    if (open > kept) response.setHeader('connection', 'close');
  });
  return server;
}

/**
 * Listens and resolves with the URL. With port 0, the URL has the free port that was chosen.
 * @example
 * ```ts
 * import { createHttpServer, listen } from 'pay-invoice/standalone';
 *
 * const url = await listen(createHttpServer(), 0, '127.0.0.1');
 * console.log(url); // http://127.0.0.1:49152
 * ```
 */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  server.listen({ port, host, backlog });
  await once(server, 'listening');
  const address = server.address();
  return `http://${urlHost(host)}:${typeof address === 'object' && address !== null ? address.port : port}`;
}

/** Whether the host means every address of the machine. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Formats a host for a URL. */
export function urlHost(host: string): string {
  if (isWildcard(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** Tracks the responses of a server. The returned function stops the server from accepting requests without cutting a response. */
export function createDrain(server: Server): () => Promise<void> {
  const openResponses = new Set<ServerResponse>();
  let isDraining = false;
  const endConnection = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('connection', 'close');
  };
  server.prependListener('request', (_, response: ServerResponse) => {
    openResponses.add(response);
    response.once('close', () => openResponses.delete(response));
    if (isDraining) endConnection(response);
  });
  /**
   * Makes each further response close its connection. Resolves when requests that clients had already sent have arrived, and the
   * port is closed. Idle connections stay open: a proxy may be sending a request there.
   */
  return async () => {
    isDraining = true;
    for (const response of openResponses) endConnection(response);
    await delay(drainDelayMs);
    closePort(server);
  };
}

/** Stops accepting connections. Idle connections stay open, which `server.close()` would close. */
function closePort(server: Server): void {
  SocketServer.prototype.close.call(server);
}

/**
 * Stops accepting connections, waits for unfinished responses, and closes the remaining connections after a grace period.
 * @param idleMs - when idle connections are closed, in milliseconds. After `createDrain` each closes with its next response; a
 * proxy that sends that request at the moment when the connection is closed would answer 502.
 * @example
 * ```ts
 * import { closeServer, createHttpServer, listen } from 'pay-invoice/standalone';
 *
 * const server = createHttpServer();
 * await listen(server, 0, '127.0.0.1');
 * process.once('SIGTERM', () => closeServer(server));
 * ```
 */
export async function closeServer(server: Server, idleMs = 0): Promise<void> {
  const timers = [
    setTimeout(() => server.closeIdleConnections(), idleMs),
    setTimeout(() => server.closeAllConnections(), graceMs),
  ];
  if (server.listening) closePort(server);
  // The last connection may have ended before.
  await new Promise<void>((resolve) => {
    server.getConnections((error, count) => {
      if (error !== null || count === 0) resolve();
      else server.once('close', resolve);
    });
  });
  for (const timer of timers) clearTimeout(timer);
}
