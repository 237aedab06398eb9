import { randomUUID } from 'node:crypto';
import { checkoutUrl, hookUrl, invoiceUrl, problem, type CallName, type Problem } from '../protocol.ts';
import type { Ports } from './options.ts';

/** A request and its answer. */
export interface Exchange {
  /** Undefined for a request that is not one of the API's calls. */
  readonly call: CallName | undefined;
  /** The capability in the request. */
  readonly checkout: string;
  /** A description without the capability: `POST {checkout}/invoice`. */
  readonly request: string;
  /** The headers and the body that the check sent, a line each. */
  readonly sent: readonly string[];
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, or undefined when it is not JSON. */
  readonly json: unknown;
}

/** A request that got no answer at all. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly exchange: Pick<Exchange, 'request' | 'sent'>;

  constructor(exchange: NoAnswer['exchange'], cause: unknown) {
    super(`no answer to ${exchange.request}: ${reasonOf(cause)}`, { cause });
    this.exchange = exchange;
  }
}

const mediaType = ({ headers }: Exchange): string => headers.get('content-type')?.split(';')[0]?.trim() ?? '';

/** Whether the body is a problem document by its media type. */
export function isProblemType(exchange: Exchange): boolean {
  return mediaType(exchange).toLowerCase() === 'application/problem+json';
}

/** Whether the body is JSON by its media type. */
export function isJsonType(exchange: Exchange): boolean {
  return mediaType(exchange).toLowerCase() === 'application/json';
}

/** The problem document of an answer, or undefined when it is none. */
export function problemOf({ json }: Exchange): Problem | undefined {
  return problem.safeParse(json).data;
}

/** How long the answer took, in milliseconds. */
export function durationMs({ sentAt, answeredAt }: Exchange): number {
  return answeredAt - sentAt;
}

/** A short description of an answer: `HTTP 409 invoice_pending to POST {checkout}/invoice`. */
export function describeExchange(exchange: Exchange): string {
  const { status, text, request } = exchange;
  const code = problemOf(exchange)?.code;
  const type = mediaType(exchange) || 'no media type';
  const what = code ?? (text === '' ? 'with no body' : `${type}, ${text.length} characters`);
  return `HTTP ${status} ${what} to ${request}`;
}

/** Parts of a request that a check sets itself. */
export interface RequestOverrides {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** A write as the widget sends it; `key` null leaves the header out. */
export interface CreateOverrides extends RequestOverrides {
  readonly key?: string | null;
}

const timeoutMs = 60_000;
/** A 429 is retried after `Retry-After`, unless that is longer. */
const longestRetryAfterSeconds = 20;
/** How often a request is sent at most while it is answered with 429. */
const maxTriesAt429 = 3;

/** A client of the backend under test; it records every exchange. */
export class BackendClient {
  readonly log: Exchange[] = [];
  /** The address at which the checkout API is mounted. */
  readonly endpoint: string;
  readonly #ports: Ports;

  constructor(endpoint: string, ports: Ports) {
    this.endpoint = endpoint.replace(/\/+$/, '');
    this.#ports = ports;
  }

  read(checkout: string, headers: Readonly<Record<string, string>> = {}, query = ''): Promise<Exchange> {
    return this.#send('readCheckout', checkout, checkoutUrl(this.endpoint, checkout) + query, { headers });
  }

  /** Sends a request for an invoice; `body` is sent as JSON unless the overrides have a body. */
  create(
    checkout: string,
    body: unknown,
    { key = randomUUID(), headers, ...more }: CreateOverrides = {},
  ): Promise<Exchange> {
    return this.#send('createInvoice', checkout, invoiceUrl(this.endpoint, checkout), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key !== null && { 'idempotency-key': key }),
        ...headers,
      },
      body: JSON.stringify(body),
      ...more,
    });
  }

  /** Sends a webhook as the service would. */
  notify(checkout: string, secret: string, body: string): Promise<Exchange> {
    const headers = { 'content-type': 'application/json' };
    return this.#send('notify', checkout, hookUrl(this.endpoint, checkout, secret), { method: 'POST', headers, body });
  }

  /** A request under the checkout's address that is not one of the API's calls. */
  sendOther(checkout: string, path: '' | '/invoice', sending: RequestOverrides): Promise<Exchange> {
    return this.#send(undefined, checkout, checkoutUrl(this.endpoint, checkout) + path, sending);
  }

  /** A read whose capability is put into the URL without encoding it. */
  readRaw(capability: string): Promise<Exchange> {
    return this.#send('readCheckout', capability, `${this.endpoint}/${capability}`, {});
  }

  async #send(call: CallName | undefined, checkout: string, url: string, sending: RequestOverrides): Promise<Exchange> {
    for (let tries = 1; ; tries += 1) {
      const exchange = await this.#exchange(call, checkout, url, sending);
      const seconds = Number(exchange.headers.get('retry-after') ?? Number.NaN);
      if (exchange.status !== 429 || tries === maxTriesAt429 || !(seconds <= longestRetryAfterSeconds)) return exchange;
      await this.#ports.sleep(seconds * 1000);
    }
  }

  async #exchange(
    call: CallName | undefined,
    checkout: string,
    url: string,
    sending: RequestOverrides,
  ): Promise<Exchange> {
    const { method = 'GET', headers = {}, body } = sending;
    const path = url.slice(this.endpoint.length).replace(/^\/[^/?]*/, '{checkout}');
    const request = `${method} ${path.replace(/\/hook\/.*/, '/hook/{secret}')}`;
    const sentAt = this.#ports.now();
    try {
      const response = await this.#ports.fetch(
        new Request(url, {
          method,
          headers,
          redirect: 'manual',
          signal: AbortSignal.timeout(timeoutMs),
          // As bytes: fetch would add a Content-Type to a string.
          ...(body !== undefined && { body: typeof body === 'string' ? new TextEncoder().encode(body) : body }),
        }),
      );
      const text = await response.text();
      const answeredAt = this.#ports.now();
      const { status, headers: answered } = response;
      const exchange = {
        call,
        checkout,
        request,
        sent: sentLines(headers, body),
        sentAt,
        answeredAt,
        status,
        headers: answered,
        text,
        json: parseJson(text),
      };
      this.log.push(exchange);
      return exchange;
    } catch (error) {
      throw new NoAnswer({ request, sent: sentLines(headers, body) }, error);
    }
  }
}

function sentLines(headers: RequestOverrides['headers'] = {}, body: RequestOverrides['body']): readonly string[] {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (body === undefined) return lines;
  return [...lines, typeof body === 'string' ? body : `${body.length} bytes: ${Array.from(body).join(' ')}`];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON: the checks report it
  }
}

/** The message of the innermost cause: `fetch` has `ECONNREFUSED` only in the cause of its error. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return code !== '' && !error.message.includes(code) ? `${error.message} (${code})` : error.message || code;
}
