import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * The fault of one connection. `latency` delays every chunk by `ms`, in both directions. `bandwidth` limits both directions
 * to that many bytes a second. `reset`, `cut` and `stall` drop the connection, end it, or stop forwarding, after `after`
 * bytes of responses.
 */
export type ProxyFault =
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'bandwidth'; readonly bytesPerSecond: number }
  | { readonly kind: 'reset' | 'cut' | 'stall'; readonly after: number };

export const proxyFaultKinds = [
  'latency',
  'reset',
  'stall',
  'cut',
  'bandwidth',
] as const satisfies ProxyFault['kind'][];

/** A TCP proxy on loopback that injects faults. */
export interface FaultProxy {
  readonly port: number;
  /** How often each kind of fault took effect. */
  readonly applied: ReadonlyMap<ProxyFault['kind'], number>;
  /** Closes faulty connections; new connections have no faults. */
  stopFaults(): void;
  close(): Promise<void>;
}

export interface FaultProxyOptions {
  /** The port to connect to; undefined: nothing listens, and connections are dropped. */
  readonly target: () => number | undefined;
  /** The fault of the next connection; undefined: none. */
  readonly next?: () => ProxyFault | undefined;
}

/** Listens on a free port of loopback and forwards connections to another port. */
export async function openFaultProxy({ target, next = () => undefined }: FaultProxyOptions): Promise<FaultProxy> {
  const open = new Map<Socket, ProxyFault | undefined>();
  const applied = new Map<ProxyFault['kind'], number>();
  let isStopped = false;
  const countApplied = ({ kind }: ProxyFault): void => void applied.set(kind, (applied.get(kind) ?? 0) + 1);

  const server = createServer((client) => {
    client.on('error', () => undefined); // Its `close` event follows.
    const port = target();
    if (port === undefined) {
      drop(client);
      return;
    }
    const fault = isStopped ? undefined : next();
    const upstream = connect(port, '127.0.0.1');
    upstream.on('error', () => drop(client));
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      open.set(socket, fault);
      socket.once('close', () => open.delete(socket));
    }
    client.once('close', () => upstream.destroy());
    void pass(client, upstream, slowed(fault, countApplied));
    void pass(upstream, client, ended(fault, client, upstream, countApplied));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    applied,
    stopFaults() {
      isStopped = true;
      for (const [socket, fault] of open) if (fault !== undefined) socket.destroy();
    },
    async close() {
      for (const socket of open.keys()) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Resets a connection. One that is being ended is destroyed instead: Node would never close it after a reset. */
function drop(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

/** Writes a chunk, unchanged, delayed or cut. Resolves with false when nothing may follow. */
type Change = (chunk: Buffer, write: (part: Buffer) => void) => Promise<boolean>;

async function pass(from: Socket, to: Socket, change: Change): Promise<void> {
  try {
    for await (const chunk of from) {
      if (!Buffer.isBuffer(chunk)) continue;
      const write = (part: Buffer): void => {
        if (!to.destroyed) to.write(part);
      };
      if (!(await change(chunk, write))) return;
    }
    to.end();
  } catch {
    to.destroy(); // The other side of the connection is gone.
  }
}

function slowed(fault: ProxyFault | undefined, countApplied: (fault: ProxyFault) => void): Change {
  return async (chunk, write) => {
    if (fault?.kind === 'latency') {
      countApplied(fault);
      await delay(fault.ms);
      write(chunk);
    } else if (fault?.kind === 'bandwidth') {
      countApplied(fault);
      const size = Math.max(1, Math.ceil(fault.bytesPerSecond / 50));
      for (let from = 0; from < chunk.length; from += size) {
        await delay(20);
        write(chunk.subarray(from, from + size));
      }
    } else write(chunk);
    return true;
  };
}

function ended(
  fault: ProxyFault | undefined,
  client: Socket,
  upstream: Socket,
  countApplied: (fault: ProxyFault) => void,
): Change {
  if (fault === undefined || fault.kind === 'latency' || fault.kind === 'bandwidth') return slowed(fault, countApplied);
  let left = fault.after;
  return async (chunk, write) => {
    if (left > 0) write(chunk.subarray(0, left));
    left -= chunk.length;
    if (left >= 0) return true;
    countApplied(fault);
    if (fault.kind === 'reset') drop(client);
    else if (fault.kind === 'cut') client.end(() => upstream.destroy());
    else await once(client, 'close');
    return false;
  };
}
