import assert from 'node:assert/strict';
import { checkout, problem, type Checkout, type Problem } from '../../src/protocol.ts';

/** An answer as it came over the socket. */
export interface Came {
  readonly status: number;
  readonly headers: Headers;
  readonly etag: string;
  readonly text: string;
  readonly checkout: () => Checkout;
  readonly problem: () => Problem;
}

interface Asked {
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly key?: string;
}

/** Asks over a real socket, as the widget does. */
export class Page {
  readonly #endpoint: string;
  readonly #id: string;

  constructor(endpoint: string, id: string) {
    this.#endpoint = endpoint;
    this.#id = id;
  }

  async send(path: string, init: RequestInit = {}): Promise<Came> {
    const { status, headers, ...response } = await answered(fetch(`${this.#endpoint}${path}`, init));
    const json = (): unknown => JSON.parse(response.text);
    return {
      status,
      headers,
      etag: headers.get('etag') ?? '',
      text: response.text,
      checkout: () => checkout.parse(json()),
      problem: () => {
        assert.equal(headers.get('content-type'), 'application/problem+json');
        const told = problem.parse(json());
        assert.equal(told.status, status);
        return told;
      },
    };
  }

  async look(headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Came> {
    return this.send(`/${this.#id}`, { headers, ...(signal === undefined ? {} : { signal }) });
  }

  /** A read that the server holds while nothing changes. */
  async wait(etag: string, seconds: number, signal?: AbortSignal): Promise<Came> {
    return this.look({ 'if-none-match': etag, prefer: `wait=${seconds}` }, signal);
  }

  async ask({ headers, body = '{"payment_method_id":"pm_card"}', key = 'key-1' }: Asked = {}): Promise<Came> {
    return this.send(`/${this.#id}/invoice`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key, ...headers },
      body,
    });
  }

  async hook(secret: string, init: RequestInit = {}): Promise<Came> {
    return this.send(`/${this.#id}/hook/${secret}`, { method: 'POST', body: '{"status":"PAID"}', ...init });
  }
}

async function answered(fetched: Promise<Response>) {
  const response = await fetched;
  return { status: response.status, headers: response.headers, text: await response.text() };
}
