import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

export interface RawServer {
  readonly url: string;
  /** The requests so far, as they came over the wire. */
  readonly requests: readonly string[];
  /** The number of connections made, and of open ones that have carried a request; `fetch` also keeps idle ones. */
  readonly connections: { readonly made: number; readonly used: number };
  readonly close: () => Promise<void>;
}

/** A server on loopback. Calls `answer` for each complete request, which may write anything to the socket. */
export async function rawServer(answer: (socket: Socket, count: number) => void): Promise<RawServer> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const connections = { made: 0, used: 0 };
  const server = createServer((socket) => {
    connections.made += 1;
    sockets.add(socket);
    let text = '';
    let isUsed = false;
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      if (!isWhole(text)) return;
      requests.push(text);
      if (!isUsed) connections.used += 1;
      isUsed = true;
      text = '';
      answer(socket, requests.length);
    });
    socket.on('error', () => undefined); // The tests reset connections on purpose.
    socket.on('close', () => {
      if (isUsed) connections.used -= 1;
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

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(text)?.[1];
  return end >= 0 && Buffer.byteLength(text.slice(end + 4)) >= Number(length ?? 0);
}

/** A whole HTTP answer as text. */
export function http(status: string, body: string, headers: readonly string[] = []): string {
  const lines = [`HTTP/1.1 ${status}`, 'content-type: application/json', `content-length: ${Buffer.byteLength(body)}`];
  return [...lines, ...headers, '', body].join('\r\n');
}
