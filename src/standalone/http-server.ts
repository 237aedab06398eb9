import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { Server as SocketServer, type ListenOptions } from 'node:net';
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
 * How many sockets listen on a port, where the system divides connections among them. Node accepts one connection of each in a
 * turn of the event loop. With one socket a busy server accepts fewer connections than its payers need: their requests end
 * without an answer, each needs another connection, and the server stays busy with those that nobody waits for any more.
 */
export const socketsOfPort = process.platform === 'linux' ? 8 : 1;

/**
 * Maximum number of connections that wait at a socket to be accepted, for example after a restart. A client gives up after 10 s:
 * in a longer queue the first connections are those that nobody waits for any more. A busy turn takes up to 75 ms, so 128
 * connections are accepted within 10 s. The system of a client that finds the queue full tries again after a second.
 */
export const backlog = 128;

/** The sockets of a server's port beside its own. */
const otherSockets = new WeakMap<Server, readonly SocketServer[]>();
const socketsOf = (server: Server): readonly SocketServer[] => [server, ...(otherSockets.get(server) ?? [])];

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
  const most = Math.ceil(kept * 1.1);
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => (open -= 1));
    if (open > most) socket.destroy();
  });
  server.on('request', (_, response) => {
    if (open > kept) response.setHeader('connection', 'close');
  });
  return server;
}

/**
 * Listens and resolves with the URL. With port 0, the URL has the free port that was chosen.
 * @throws Error of the system, for example with `code: 'EADDRINUSE'`
 * @example
 * ```ts
 * import { createHttpServer, listen } from 'pay-invoice/standalone';
 *
 * const url = await listen(createHttpServer(), 0, '127.0.0.1');
 * console.log(url); // http://127.0.0.1:49152
 * ```
 */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  // The system would also let another program share the port, by mistake: first it must be free.
  if (port !== 0 && socketsOfPort > 1) await closeSocket(await listenOn(new SocketServer(), { port, host }));
  const reusePort = socketsOfPort > 1;
  const chosenPort = portOf(await listenOn(server, { port, host, backlog, reusePort }));
  const others = Array.from({ length: socketsOfPort - 1 }, () => {
    const socket = new SocketServer((connection) => server.emit('connection', connection));
    return listenOn(socket, { port: chosenPort, host, backlog, reusePort });
  });
  otherSockets.set(server, await Promise.all(others));
  server.once('close', () => {
    closePort(server);
  });
  return `http://${urlHost(host)}:${chosenPort}`;
}

async function listenOn<T extends SocketServer>(socket: T, options: ListenOptions): Promise<T> {
  socket.listen(options);
  await once(socket, 'listening');
  return socket;
}

function portOf(socket: SocketServer): number {
  const address = socket.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function closeSocket(socket: SocketServer): Promise<void> {
  socket.close();
  await once(socket, 'close');
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
  for (const socket of socketsOf(server)) if (socket.listening) SocketServer.prototype.close.call(socket);
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
  closePort(server);
  await Promise.all(socketsOf(server).map(allConnectionsEnded));
  for (const timer of timers) clearTimeout(timer);
}

/** Resolves when no connection is open that a closed socket has accepted. The last one may have ended before. */
function allConnectionsEnded(socket: SocketServer): Promise<void> {
  return new Promise((resolve) => {
    socket.getConnections((error, count) => {
      if (error !== null || count === 0) resolve();
      else socket.once('close', resolve);
    });
  });
}
