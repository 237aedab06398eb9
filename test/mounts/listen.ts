import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Mounted } from './merchant-backend.ts';

/** Makes a server listen on a free port of this machine. */
export async function listen(server: Server, path = '/checkout'): Promise<Mounted> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${portOf(server)}${path}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

export function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
