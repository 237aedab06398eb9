import { once } from 'node:events';
import type { Server } from 'node:http';

/** How long answers that are under way may take when the shop closes, in milliseconds. */
const graceMs = 5000;

/** So many connections may come at once, such as after a restart; a longer line costs them seconds to be heard again. */
const crowd = 4096;

/** Listens, and resolves with the address; port 0 becomes the one that was free. */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  server.listen({ port, host, backlog: crowd });
  await once(server, 'listening');
  const bound = server.address();
  return `http://${nameOf(host)}:${typeof bound === 'object' && bound !== null ? bound.port : port}`;
}

/** Whether it stands for every address of the machine. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** A host as it stands in a URL. */
export function nameOf(host: string): string {
  if (isWildcard(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** Lets answers that are under way end for a while, then cuts them short. */
export async function closeServer(server: Server): Promise<void> {
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  const closed = server.listening ? once(server, 'close') : undefined;
  server.close();
  server.closeIdleConnections();
  await closed;
  clearTimeout(deadline);
}
