// A minimal HTTP client for the load run. autocannon 9 sends at least one request a second on each connection, all at the start
// of that second, so it cannot simulate 10,000 payers whose polls are evenly spaced.
import { connect, type Socket } from 'node:net';

/** The parts of a response that the payers use. */
export interface HttpResponse {
  readonly status: number;
  readonly etag: string;
  /** The `Retry-After` header; 0 without it. */
  readonly retryAfterMs: number;
  readonly body: string;
}

type ResponseCallback = (answer: HttpResponse | Error) => void;

const headerEnd = Buffer.from('\r\n\r\n');

/**
 * One keep-alive connection with one request at a time. It is written on bare sockets because ten thousand of them must
 * cost less than the server that they measure.
 */
export class Connection {
  readonly #port: number;
  #socket: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);
  #callback: ResponseCallback | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends the text of a request. Calls `done` once, with the response or the error. */
  send(request: string, callback: ResponseCallback): void {
    this.#callback = callback;
    this.#socket ??= this.#open();
    this.#socket.write(request);
  }

  close(): void {
    this.#callback = undefined;
    this.#socket?.destroy();
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    let closeReason = new Error('the connection was closed');
    socket.on('data', (chunk) => this.#onData(chunk));
    socket.on('error', (error) => (closeReason = error));
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
      this.#received = Buffer.alloc(0);
      this.#finish(closeReason);
    });
    return socket;
  }

  #onData(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const end = this.#received.indexOf(headerEnd);
    if (end === -1) return;
    const head = this.#received.toString('latin1', 0, end);
    const status = Number(head.slice(9, 12));
    const body = status === 304 || status === 204 ? '' : readBody(head, this.#received.subarray(end + 4));
    if (body === undefined) return;
    this.#received = Buffer.alloc(0);
    const header = (name: string): string => new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1] ?? '';
    this.#finish({ status, etag: header('etag'), retryAfterMs: Number(header('retry-after')) * 1000, body });
  }

  #finish(result: HttpResponse | Error): void {
    const callback = this.#callback;
    this.#callback = undefined;
    callback?.(result);
  }
}

/** Returns the body, or undefined while a part of it has not arrived. */
function readBody(head: string, received: Buffer): string | undefined {
  const [, length] = /^content-length: *(\d+)/im.exec(head) ?? [];
  if (length !== undefined) return received.length < Number(length) ? undefined : received.toString('utf8');
  let body = '';
  for (let offset = 0; ;) {
    const lineEnd = received.indexOf('\r\n', offset);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(received.toString('latin1', offset, lineEnd), 16);
    if (size === 0) return received.length >= lineEnd + 4 ? body : undefined;
    if (received.length < lineEnd + 4 + size) return undefined;
    body += received.toString('utf8', lineEnd + 2, lineEnd + 2 + size);
    offset = lineEnd + 4 + size;
  }
}

/** Formats the text of an HTTP request. */
export function formatRequest(
  method: 'GET' | 'POST',
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): string {
  const content = body === undefined ? '' : JSON.stringify(body);
  const allHeaders = {
    host: '127.0.0.1',
    ...headers,
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
  };
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${content}`;
}
