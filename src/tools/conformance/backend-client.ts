import { randomUUID } from 'node:crypto';
import { withoutEndSlashes } from '../../base/addresses.ts';
import { isReadableError, toError } from '../../base/thrown-value.ts';
import { checkoutUrl, hookUrl, invoiceUrl, problem, type CallName, type Problem } from '../../checkout-api.ts';
import type { Ports } from './conformance-options.ts';

/** A request and its response. */
export interface Exchange {
  /** Undefined for a request that is not one of the API's calls. */
  readonly call: CallName | undefined;
  /** The capability in the request. */
  readonly capability: string;
  /** The method and the path without the capability: `POST {checkout}/invoice`. */
  readonly request: string;
  /** The headers and the body that the check sent, each as one line. */
  readonly sent: readonly string[];
  readonly sentAt: number;
  readonly respondedAt: number;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, or undefined when it is not JSON. */
  readonly json: unknown;
}

/** A request that got no response at all. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse';
  readonly exchange: Pick<Exchange, 'request' | 'sent'>;

  constructor(exchange: NoResponse['exchange'], cause: unknown) {
    super(`no response to ${exchange.request}: ${rootCauseMessage(cause)}`, { cause });
    this.exchange = exchange;
  }
}

/** The media type of the body without its parameters; '' when there is none. */
export const mediaTypeOf = ({ headers }: Exchange): string =>
  headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';

/** The problem document of a response, or undefined when it is none. */
export function problemOf({ json }: Exchange): Problem | undefined {
  return problem.safeParse(json).data;
}

/** How long the response took, in milliseconds. */
export function durationMs({ sentAt, respondedAt }: Exchange): number {
  return respondedAt - sentAt;
}

/** A short description of a response: `HTTP 409 invoice_pending to POST {checkout}/invoice`. */
export function describeExchange(exchange: Exchange): string {
  const { status, text, request } = exchange;
  const code = problemOf(exchange)?.code;
  const type = mediaTypeOf(exchange) || 'no media type';
  const summary = code ?? (text === '' ? 'with no body' : `${type}, ${text.length} characters`);
  return `HTTP ${status} ${summary} to ${request}`;
}

/** Parts of a request that replace those of the client. */
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
/** A request that was answered with 429 is repeated after `Retry-After`, unless that is longer than this. */
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
    this.endpoint = withoutEndSlashes(endpoint);
    this.#ports = ports;
  }

  read(capability: string, headers: Readonly<Record<string, string>> = {}, query = ''): Promise<Exchange> {
    return this.#send('readCheckout', capability, checkoutUrl(this.endpoint, capability) + query, { headers });
  }

  /** Sends a request for an invoice; `body` is sent as JSON unless the overrides have a body. */
  create(
    capability: string,
    body: unknown,
    { key = randomUUID(), headers, ...requestOverrides }: CreateOverrides = {},
  ): Promise<Exchange> {
    return this.#send('createInvoice', capability, invoiceUrl(this.endpoint, capability), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key !== null && { 'idempotency-key': key }),
        ...headers,
      },
      body: JSON.stringify(body),
      ...requestOverrides,
    });
  }

  /** Sends a webhook as the service would. */
  notify(capability: string, secret: string, body: string): Promise<Exchange> {
    const headers = { 'content-type': 'application/json' };
    return this.#send('notify', capability, hookUrl(this.endpoint, capability, secret), {
      method: 'POST',
      headers,
      body,
    });
  }

  /** Sends a request to a URL of the checkout that is not one of the API's calls. */
  sendOther(capability: string, path: '' | '/invoice', overrides: RequestOverrides): Promise<Exchange> {
    return this.#send(undefined, capability, checkoutUrl(this.endpoint, capability) + path, overrides);
  }

  /**
   * Reads a checkout. The capability is put into the URL without encoding.
   * @param isCall - false when a web server may refuse the address before the request reaches the backend
   */
  readRaw(capability: string, isCall = true): Promise<Exchange> {
    return this.#send(isCall ? 'readCheckout' : undefined, capability, `${this.endpoint}/${capability}`, {});
  }

  async #send(
    call: CallName | undefined,
    capability: string,
    url: string,
    overrides: RequestOverrides,
  ): Promise<Exchange> {
    for (let tries = 1; ; tries += 1) {
      const exchange = await this.#sendOnce(call, capability, url, overrides);
      const seconds = Number(exchange.headers.get('retry-after') ?? Number.NaN);
      if (exchange.status !== 429 || tries === maxTriesAt429 || !(seconds <= longestRetryAfterSeconds)) return exchange;
      await this.#ports.sleep(seconds * 1000);
    }
  }

  async #sendOnce(
    call: CallName | undefined,
    capability: string,
    url: string,
    overrides: RequestOverrides,
  ): Promise<Exchange> {
    const { method = 'GET', headers = {}, body } = overrides;
    const path = url.slice(this.endpoint.length).replace(/^\/[^/?]*/, '{checkout}');
    const request = `${method} ${path.replace(/\/hook\/.*/, '/hook/{secret}')}`;
    const sent = formatSentLines(headers, body);
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
      const exchange = {
        call,
        capability,
        request,
        sent,
        sentAt,
        respondedAt: this.#ports.now(),
        status: response.status,
        headers: response.headers,
        text,
        json: parseJson(text),
      };
      this.log.push(exchange);
      return exchange;
    } catch (error) {
      throw new NoResponse({ request, sent }, error);
    }
  }
}

const cut = (line: string): string => (line.length > 500 ? `${line.slice(0, 500)}… (${line.length} characters)` : line);

function formatSentLines(headers: Readonly<Record<string, string>>, body: RequestOverrides['body']): readonly string[] {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (body === undefined) return lines.map(cut);
  return [...lines, typeof body === 'string' ? body : `${body.length} bytes: ${Array.from(body).join(' ')}`].map(cut);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON: the checks report it
  }
}

/** The message of the innermost cause: `fetch` has `ECONNREFUSED` only in the cause of its error. */
export function rootCauseMessage(thrown: unknown): string {
  const error = toError(thrown);
  const code = typeof error.code === 'string' ? error.code : '';
  if (isReadableError(error.cause)) return rootCauseMessage(error.cause);
  return code !== '' && !error.message.includes(code) ? `${error.message} (${code})` : error.message || code;
}
