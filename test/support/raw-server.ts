import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

export interface RawServer {
  readonly url: string;
  /** The requests received so far, as text. */
  readonly requests: readonly string[];
  /** How many open connections have carried a request: `fetch` also opens idle connections. */
  readonly connections: { readonly inUse: number };
  readonly close: () => Promise<void>;
}

/** Starts a server on loopback. It calls `respond` for each complete request; `respond` may write anything to the socket. */
export async function startRawServer(respond: (socket: Socket, requestCount: number) => void): Promise<RawServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const connections = { inUse: 0 };
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = '';
    let isUsed = false;
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      if (!isCompleteRequest(text)) return;
      requests.push(text);
      if (!isUsed) connections.inUse += 1;
      isUsed = true;
      text = '';
      respond(socket, requests.length);
    });
    socket.on('error', () => undefined); // The tests reset connections on purpose.
    socket.on('close', () => {
      if (isUsed) connections.inUse -= 1;
      sockets.delete(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}`, requests, connections, close };
}

function isCompleteRequest(text: string): boolean {
  const headEnd = text.indexOf('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(text)?.[1];
  return headEnd >= 0 && Buffer.byteLength(text.slice(headEnd + 4)) >= Number(length ?? 0);
}

/** A complete HTTP response as text. */
export function httpResponse(status: string, body: string, headers: readonly string[] = []): string {
  const lines = [`HTTP/1.1 ${status}`, 'content-type: application/json', `content-length: ${Buffer.byteLength(body)}`];
  return [...lines, ...headers, '', body].join('\r\n');
}
