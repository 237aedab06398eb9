import { once } from 'node:events';
import type { Server } from 'node:http';

/** A server that listens. */
export interface Listening {
  /** The address of the checkout API, such as `http://127.0.0.1:8080/checkout`. */
  readonly endpoint: string;
  readonly close: () => Promise<void>;
}

/** Makes a server listen on a free port of this machine. */
export async function listen(server: Server, path = '/checkout'): Promise<Listening> {
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
