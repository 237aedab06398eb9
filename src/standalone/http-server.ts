import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** How long responses under way may take after the server has begun to close, in milliseconds. */
const graceMs = 5000;

/**
 * How long requests are still accepted after the server has begun to close, in milliseconds: a load balancer, or the client of
 * an open connection, may have sent one.
 */
const drainMs = 500;

/**
 * Maximum number of connections that wait to be accepted, for example after a restart. The client's system repeats a dropped
 * one only after a second or more.
 */
const backlog = 4096;

/** How long a server waits for a client, in milliseconds. */
const clientTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  /** How often node checks the two timeouts above. */
  connectionsCheckingInterval: 2000,
  /** Longer than the widget waits between two polls, so that it does not need a new connection for each. */
  keepAliveTimeout: 65_000,
};

export type ClientTimeouts = Partial<typeof clientTimeouts>;

/** An HTTP server that a slow client cannot block. It does not listen. */
export function createHttpServer(timeouts: ClientTimeouts = {}): Server {
  return createServer({ ...clientTimeouts, ...timeouts });
}

/** Listens, and resolves with the URL. Port 0 is replaced by the free port that was chosen. */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  server.listen({ port, host, backlog });
  await once(server, 'listening');
  const bound = server.address();
  return `http://${urlHost(host)}:${typeof bound === 'object' && bound !== null ? bound.port : port}`;
}

/** Whether the host means every address of the machine. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** A host as it is written in a URL. */
export function urlHost(host: string): string {
  if (isWildcard(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** Tracks the responses of a server. The returned function prepares the server to be closed without cutting a response. */
export function createDrain(server: Server): () => Promise<void> {
  const underWay = new Set<ServerResponse>();
  let isDraining = false;
  const endConnection = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('connection', 'close');
  };
  server.prependListener('request', (_, response: ServerResponse) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
    if (isDraining) endConnection(response);
  });
  /** From now on each response closes its connection. Resolves when requests that were sent before have arrived. */
  return async () => {
    isDraining = true;
    for (const response of underWay) endConnection(response);
    await delay(drainMs);
    server.close();
  };
}

/** Stops accepting connections, waits for the responses under way, and closes what remains after a grace period. */
export async function closeServer(server: Server): Promise<void> {
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  // The callback is called when the last connection has ended, also where `close` was called before.
  await new Promise<void>((resolve) => {
    if (server.listening) server.close();
    server.closeIdleConnections();
    server.getConnections((error, count) => {
      if (error !== null || count === 0) resolve();
      else server.once('close', resolve);
    });
  });
  clearTimeout(deadline);
}
