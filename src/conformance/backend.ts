import { randomUUID } from 'node:crypto';
import { checkoutUrl, hookUrl, invoiceUrl, type CallName } from '../protocol.ts';
import type { Ports } from './ports.ts';
import { NoAnswer, type Exchange } from './exchange.ts';

/** A request that is given field by field where a check needs it odd. */
export interface Sending {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** A write as the widget sends it; `key` null leaves the header out. */
export interface CreateSending extends Sending {
  readonly key?: string | null;
}

const timeoutMs = 60_000;
/** A backend that limits the rate is asked again as it says, if it does not say too much. */
const longestRetryAfter = 20;
const triesWhenLimited = 3;

/** The backend under test; it remembers every exchange. */
export class Backend {
  readonly log: Exchange[] = [];
  readonly #endpoint: string;
  readonly #ports: Ports;

  constructor(endpoint: string, ports: Ports) {
    this.#endpoint = endpoint.replace(/\/+$/, '');
    this.#ports = ports;
  }

  read(checkout: string, headers: Readonly<Record<string, string>> = {}, query = ''): Promise<Exchange> {
    return this.#send('readCheckout', checkout, checkoutUrl(this.#endpoint, checkout) + query, { headers });
  }

  /** Asks for requisites; `body` is sent as JSON unless the sending brings its own. */
  create(
    checkout: string,
    body: unknown,
    { key = randomUUID(), headers, ...more }: CreateSending = {},
  ): Promise<Exchange> {
    return this.#send('createInvoice', checkout, invoiceUrl(this.#endpoint, checkout), {
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

  /** A notification, as the service would send it. */
  notify(checkout: string, secret: string, body: string): Promise<Exchange> {
    const headers = { 'content-type': 'application/json' };
    return this.#send('notify', checkout, hookUrl(this.#endpoint, checkout, secret), { method: 'POST', headers, body });
  }

  /** A request to an address under the checkout that is none of the API's calls. */
  other(checkout: string, path: '' | '/invoice', sending: Sending): Promise<Exchange> {
    return this.#send(undefined, checkout, checkoutUrl(this.#endpoint, checkout) + path, sending);
  }

  /** A read of a capability that is given as it stands in the address, encoded or not. */
  readRaw(capability: string): Promise<Exchange> {
    return this.#send('readCheckout', capability, `${this.#endpoint}/${capability}`, {});
  }

  async #send(call: CallName | undefined, checkout: string, url: string, sending: Sending): Promise<Exchange> {
    for (let tries = 1; ; tries += 1) {
      const exchange = await this.#exchange(call, checkout, url, sending);
      const seconds = Number(exchange.headers.get('retry-after') ?? Number.NaN);
      if (exchange.status !== 429 || tries === triesWhenLimited || !(seconds <= longestRetryAfter)) return exchange;
      await this.#ports.sleep(seconds * 1000);
    }
  }

  async #exchange(call: CallName | undefined, checkout: string, url: string, sending: Sending): Promise<Exchange> {
    const { method = 'GET', headers = {}, body } = sending;
    const path = url.slice(this.#endpoint.length).replace(/^\/[^/?]*/, '{checkout}');
    const request = `${method} ${path.replace(/\/hook\/.*/, '/hook/{secret}')}`;
    const sentAt = this.#ports.now();
    try {
      const response = await this.#ports.fetch(
        new Request(url, {
          method,
          headers,
          redirect: 'manual',
          signal: AbortSignal.timeout(timeoutMs),
          // As bytes: a text would get a Content-Type where the check leaves it out.
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
        sentAt,
        answeredAt,
        status,
        headers: answered,
        text,
        json: read(text),
      };
      this.log.push(exchange);
      return exchange;
    } catch (error) {
      throw new NoAnswer(`no answer to ${request}: ${reasonOf(error)}`, { cause: error });
    }
  }
}

function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no JSON: the checks say what should have come
  }
}

/** The innermost reason: `fetch` hides `ECONNREFUSED` in its cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return code !== '' && !error.message.includes(code) ? `${error.message} (${code})` : error.message || code;
}
