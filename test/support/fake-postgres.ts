import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/**
 * How the server behaves. `answer`: every query gets a response without rows. `silent`: connections are accepted and nothing is
 * sent, as by a stopped process. `terminate`: a connection ends at its next query. `starting`: connections get the error 57P03.
 */
export type FakePostgresMode = 'answer' | 'silent' | 'terminate' | 'starting';

/** A server that implements as much of PostgreSQL's protocol as a query needs. */
export interface FakePostgres {
  readonly url: string;
  mode: FakePostgresMode;
  /** The SQLSTATE of an error that the next query without values gets; its connection stays open. */
  nextError: string | undefined;
  /** The texts of the queries received so far. */
  readonly queries: string[];
  /** How many connections are open. */
  readonly connections: number;
  /** Closes all connections, with the error that a terminated backend sends. */
  terminateAll(): void;
  /** Sends the responses that were held back while the mode was `silent`. */
  resume(): void;
  close(): Promise<void>;
}

export async function startFakePostgres(): Promise<FakePostgres> {
  /** The open connections, each with the responses that are held back. */
  const heldBySocket = new Map<Socket, (() => void)[]>();
  const queries: string[] = [];
  const state: { mode: FakePostgresMode; nextError: string | undefined } = { mode: 'answer', nextError: undefined };

  const server = createServer((socket) => {
    heldBySocket.set(socket, []);
    socket.once('close', () => heldBySocket.delete(socket)).on('error', () => undefined);
    let buffer = Buffer.alloc(0);
    let hasStarted = false;
    const reply = (...messages: Buffer[]): void => {
      const send = (): void => void socket.write(Buffer.concat(messages));
      if (state.mode === 'silent') heldBySocket.get(socket)?.push(send);
      else send();
    };
    socket.on('data', (chunk) => {
      buffer = Buffer.concat([buffer, Buffer.from(chunk)]);
      for (;;) {
        const typeLength = hasStarted ? 1 : 0;
        if (buffer.length < typeLength + 4) return;
        const length = typeLength + buffer.readUInt32BE(typeLength);
        if (buffer.length < length) return;
        const type = hasStarted ? buffer.toString('latin1', 0, 1) : 'start';
        const body = buffer.subarray(typeLength + 4, length);
        buffer = buffer.subarray(length);
        if (type === 'start') {
          hasStarted = true;
          if (state.mode === 'starting') terminate(socket, '57P03');
          else reply(message('R', Buffer.alloc(4)), readyForQuery);
          continue;
        }
        if (type === 'Q' || type === 'P') queries.push(queryText(body, type));
        if (type === 'Q' && state.nextError !== undefined) {
          reply(errorMessage('ERROR', state.nextError), readyForQuery);
          state.nextError = undefined;
        } else if (state.mode === 'terminate') terminate(socket, '57P01');
        else if (type === 'Q') reply(commandComplete, readyForQuery);
        else if (type === 'P') reply(message('1'), message('2'), message('n'), commandComplete);
        else if (type === 'S') reply(readyForQuery);
        else if (type === 'X') socket.end();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `postgres://test@127.0.0.1:${port}/test`,
    get mode() {
      return state.mode;
    },
    set mode(mode) {
      state.mode = mode;
    },
    get nextError() {
      return state.nextError;
    },
    set nextError(code) {
      state.nextError = code;
    },
    queries,
    get connections() {
      return heldBySocket.size;
    },
    terminateAll() {
      for (const socket of heldBySocket.keys()) terminate(socket, '57P01');
    },
    resume() {
      state.mode = 'answer';
      for (const sends of heldBySocket.values()) for (const send of sends.splice(0)) send();
    },
    async close() {
      for (const socket of heldBySocket.keys()) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function message(type: string, body: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const readyForQuery = message('Z', Buffer.from('I'));
const commandComplete = message('C', Buffer.from('SELECT 0\0'));

function queryText(body: Buffer, type: 'Q' | 'P'): string {
  return body.toString('utf8').split('\0')[type === 'Q' ? 0 : 1] ?? '';
}

function terminate(socket: Socket, code: string): void {
  socket.end(errorMessage('FATAL', code));
}

function errorMessage(severity: string, code: string): Buffer {
  return message('E', Buffer.from(`S${severity}\0V${severity}\0C${code}\0Mterminated\0\0`));
}
