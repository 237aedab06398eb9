// A minimal HTTP client for the load run. autocannon 9 sends at least one request a second on each connection, all in the
// first moment of that second, so it cannot be 10,000 payers who each poll every few seconds, evenly spaced.
import { connect, type Socket } from 'node:net';

/** The parts of a response that the payers use. */
export interface HttpResponse {
  readonly status: number;
  readonly etag: string;
  readonly body: string;
}

type Done = (answer: HttpResponse | Error) => void;

const headerEnd = Buffer.from('\r\n\r\n');

/**
 * One keep-alive connection with one request at a time. It is written on bare sockets because ten thousand of them must
 * cost less than the server that they measure.
 */
export class Connection {
  readonly #port: number;
  #socket: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);
  #done: Done | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends the text of a request. Calls `done` once, with the response or the error. */
  send(request: string, done: Done): void {
    this.#done = done;
    this.#socket ??= this.#open();
    this.#socket.write(request);
  }

  close(): void {
    this.#done = undefined;
    this.#socket?.destroy();
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    let reason = new Error('the connection was closed');
    socket.on('data', (chunk) => this.#onData(chunk));
    socket.on('error', (error) => (reason = error));
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
      this.#received = Buffer.alloc(0);
      this.#finish(reason);
    });
    return socket;
  }

  #onData(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const end = this.#received.indexOf(headerEnd);
    if (end === -1) return;
    const head = this.#received.toString('latin1', 0, end);
    const status = Number(head.slice(9, 12));
    const body = status === 304 || status === 204 ? '' : bodyOf(head, this.#received.subarray(end + 4));
    if (body === undefined) return;
    this.#received = Buffer.alloc(0);
    this.#finish({ status, etag: /^etag: *(.*)$/im.exec(head)?.[1] ?? '', body });
  }

  #finish(result: HttpResponse | Error): void {
    const done = this.#done;
    this.#done = undefined;
    done?.(result);
  }
}

/** The whole body, or undefined while some of it is missing. */
function bodyOf(head: string, rest: Buffer): string | undefined {
  const [, length] = /^content-length: *(\d+)/im.exec(head) ?? [];
  if (length !== undefined) return rest.length < Number(length) ? undefined : rest.toString('utf8');
  let body = '';
  for (let at = 0; ;) {
    const line = rest.indexOf('\r\n', at);
    if (line === -1) return undefined;
    const size = Number.parseInt(rest.toString('latin1', at, line), 16);
    if (size === 0) return rest.length >= line + 4 ? body : undefined;
    if (rest.length < line + 4 + size) return undefined;
    body += rest.toString('utf8', line + 2, line + 2 + size);
    at = line + 4 + size;
  }
}

/** The text of a request. */
export function requestText(
  method: 'GET' | 'POST',
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): string {
  const content = body === undefined ? '' : JSON.stringify(body);
  const all = {
    host: '127.0.0.1',
    ...headers,
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${content}`;
}
