import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * The fault of one connection. `latency` delays every chunk by `ms`, in both directions. `bandwidth` limits both directions
 * to that many bytes a second. After `afterBytes` bytes of responses `reset` drops the connection, `cut` ends it, and `stall`
 * stops forwarding.
 */
export type ProxyFault =
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'bandwidth'; readonly bytesPerSecond: number }
  | { readonly kind: 'reset' | 'cut' | 'stall'; readonly afterBytes: number };

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
  readonly timesApplied: ReadonlyMap<ProxyFault['kind'], number>;
  /** Closes faulty connections. New connections have no faults. */
  stopFaults(): void;
  close(): Promise<void>;
}

export interface FaultProxyOptions {
  /** Returns the port to connect to. While it is undefined, connections are dropped. */
  readonly target: () => number | undefined;
  /** Returns the fault of the next connection, or undefined for a connection without a fault. */
  readonly nextFault?: () => ProxyFault | undefined;
}

/** Listens on a free port of loopback and forwards connections to another port. */
export async function openFaultProxy({ target, nextFault = () => undefined }: FaultProxyOptions): Promise<FaultProxy> {
  const faultsBySocket = new Map<Socket, ProxyFault | undefined>();
  const timesApplied = new Map<ProxyFault['kind'], number>();
  let isStopped = false;
  const countApplied = ({ kind }: ProxyFault): void => void timesApplied.set(kind, (timesApplied.get(kind) ?? 0) + 1);

  const server = createServer((client) => {
    client.on('error', () => undefined); // Its `close` event follows.
    const port = target();
    if (port === undefined) {
      drop(client);
      return;
    }
    const fault = isStopped ? undefined : nextFault();
    const upstream = connect(port, '127.0.0.1');
    upstream.on('error', () => drop(client));
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      faultsBySocket.set(socket, fault);
      socket.once('close', () => faultsBySocket.delete(socket));
    }
    client.once('close', () => upstream.destroy());
    void forward(client, upstream, slowDown(fault, countApplied));
    void forward(upstream, client, interrupt(fault, client, upstream, countApplied));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    timesApplied,
    stopFaults() {
      isStopped = true;
      for (const [socket, fault] of faultsBySocket) if (fault !== undefined) socket.destroy();
    },
    async close() {
      for (const socket of faultsBySocket.keys()) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Resets a connection. A connection that is being ended is destroyed, because Node would never close it after a reset. */
function drop(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

/** Writes a chunk unchanged, delayed or cut. Resolves with false when no chunk may follow. */
type ChunkTransform = (chunk: Buffer, write: (part: Buffer) => void) => Promise<boolean>;

async function forward(from: Socket, to: Socket, transform: ChunkTransform): Promise<void> {
  try {
    for await (const chunk of from) {
      if (!Buffer.isBuffer(chunk)) continue;
      const write = (part: Buffer): void => {
        if (!to.destroyed) to.write(part);
      };
      if (!(await transform(chunk, write))) return;
    }
    to.end();
  } catch {
    to.destroy(); // The other side of the connection is gone.
  }
}

function slowDown(fault: ProxyFault | undefined, countApplied: (fault: ProxyFault) => void): ChunkTransform {
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

function interrupt(
  fault: ProxyFault | undefined,
  client: Socket,
  upstream: Socket,
  countApplied: (fault: ProxyFault) => void,
): ChunkTransform {
  if (fault === undefined || fault.kind === 'latency' || fault.kind === 'bandwidth')
    return slowDown(fault, countApplied);
  let remainingBytes = fault.afterBytes;
  return async (chunk, write) => {
    if (remainingBytes > 0) write(chunk.subarray(0, remainingBytes));
    remainingBytes -= chunk.length;
    if (remainingBytes >= 0) return true;
    countApplied(fault);
    if (fault.kind === 'reset') drop(client);
    else if (fault.kind === 'cut') client.end(() => upstream.destroy());
    else await once(client, 'close');
    return false;
  };
}
