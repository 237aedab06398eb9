import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * What is wrong with one connection. `latency`: each piece comes `ms` later, either way. `bandwidth`: that many bytes a
 * second, either way. `reset`, `cut` and `stall`: when `after` bytes of the answers have passed, the connection is
 * dropped, ended, or falls silent.
 */
export type WireFault =
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'bandwidth'; readonly bytesPerSecond: number }
  | { readonly kind: 'reset' | 'cut' | 'stall'; readonly after: number };

export const wireKinds = ['latency', 'reset', 'stall', 'cut', 'bandwidth'] as const satisfies WireFault['kind'][];

/** A TCP connection's way that can be spoilt. */
export interface Wire {
  readonly port: number;
  /** How often each kind of fault has struck. */
  readonly struck: ReadonlyMap<WireFault['kind'], number>;
  /** Ends what is spoilt; new connections are whole. */
  heal(): void;
  close(): Promise<void>;
}

export interface WireEnds {
  /** The port behind; undefined: nobody is there. */
  readonly target: () => number | undefined;
  /** What is wrong with the next connection; undefined: nothing. */
  readonly next?: () => WireFault | undefined;
}

/** Listens on a free port of this machine and passes what comes on to another one. */
export async function openWire({ target, next = () => undefined }: WireEnds): Promise<Wire> {
  const open = new Map<Socket, WireFault | undefined>();
  const struck = new Map<WireFault['kind'], number>();
  let isHealed = false;
  const strike = ({ kind }: WireFault): void => void struck.set(kind, (struck.get(kind) ?? 0) + 1);

  const server = createServer((near) => {
    near.on('error', () => undefined); // its end is what counts
    const port = target();
    if (port === undefined) {
      drop(near);
      return;
    }
    const fault = isHealed ? undefined : next();
    const far = connect(port, '127.0.0.1');
    far.on('error', () => drop(near));
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      open.set(socket, fault);
      socket.once('close', () => open.delete(socket));
    }
    near.once('close', () => far.destroy());
    void pass(near, far, slowed(fault, strike));
    void pass(far, near, ended(fault, near, far, strike));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    struck,
    heal() {
      isHealed = true;
      for (const [socket, fault] of open) if (fault !== undefined) socket.destroy();
    },
    async close() {
      for (const socket of open.keys()) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Resets a connection. One that is being ended cannot be reset: Node would never let go of it. */
function drop(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

/** What becomes of a piece on its way; false: nothing comes after it. */
type Change = (piece: Buffer, write: (part: Buffer) => void) => Promise<boolean>;

async function pass(from: Socket, to: Socket, change: Change): Promise<void> {
  try {
    for await (const piece of from) {
      if (!Buffer.isBuffer(piece)) continue;
      const write = (part: Buffer): void => {
        if (!to.destroyed) to.write(part);
      };
      if (!(await change(piece, write))) return;
    }
    to.end();
  } catch {
    to.destroy(); // the other half of a connection that is gone
  }
}

function slowed(fault: WireFault | undefined, strike: (fault: WireFault) => void): Change {
  return async (piece, write) => {
    if (fault?.kind === 'latency') {
      strike(fault);
      await delay(fault.ms);
      write(piece);
    } else if (fault?.kind === 'bandwidth') {
      strike(fault);
      const size = Math.max(1, Math.ceil(fault.bytesPerSecond / 50));
      for (let from = 0; from < piece.length; from += size) {
        await delay(20);
        write(piece.subarray(from, from + size));
      }
    } else write(piece);
    return true;
  };
}

function ended(fault: WireFault | undefined, near: Socket, far: Socket, strike: (fault: WireFault) => void): Change {
  if (fault === undefined || fault.kind === 'latency' || fault.kind === 'bandwidth') return slowed(fault, strike);
  let left = fault.after;
  return async (piece, write) => {
    if (left > 0) write(piece.subarray(0, left));
    left -= piece.length;
    if (left >= 0) return true;
    strike(fault);
    if (fault.kind === 'reset') drop(near);
    else if (fault.kind === 'cut') near.end(() => far.destroy());
    else await once(near, 'close');
    return false;
  };
}
