import assert from 'node:assert/strict';
import { checkout, problem, type Checkout, type Problem } from '../../src/checkout-api.ts';

/** A response that was received over the socket. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly etag: string;
  readonly text: string;
  readonly checkout: () => Checkout;
  readonly problem: () => Problem;
}

interface CreateInvoiceOptions {
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly key?: string;
}

/** A client of the checkout API over a real socket. */
export class HttpCheckoutClient {
  readonly #endpoint: string;
  readonly #id: string;

  constructor(endpoint: string, id: string) {
    this.#endpoint = endpoint;
    this.#id = id;
  }

  async send(path: string, init: RequestInit = {}): Promise<ReceivedResponse> {
    const { status, headers, ...response } = await readResponse(fetch(`${this.#endpoint}${path}`, init));
    const json = (): unknown => JSON.parse(response.text);
    return {
      status,
      headers,
      etag: headers.get('etag') ?? '',
      text: response.text,
      checkout: () => checkout.parse(json()),
      problem: () => {
        assert.equal(headers.get('content-type'), 'application/problem+json');
        const document = problem.parse(json());
        assert.equal(document.status, status);
        return document;
      },
    };
  }

  async getCheckout(headers: Record<string, string> = {}, signal?: AbortSignal): Promise<ReceivedResponse> {
    return this.send(`/${this.#id}`, { headers, ...(signal === undefined ? {} : { signal }) });
  }

  /** Sends a GET that the server holds until the checkout changes, at most for `seconds`. */
  async longPoll(etag: string, seconds: number, signal?: AbortSignal): Promise<ReceivedResponse> {
    return this.getCheckout({ 'if-none-match': etag, prefer: `wait=${seconds}` }, signal);
  }

  async createInvoice({
    headers,
    body = '{"payment_method_id":"pm_card"}',
    key = 'key-1',
  }: CreateInvoiceOptions = {}): Promise<ReceivedResponse> {
    return this.send(`/${this.#id}/invoice`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key, ...headers },
      body,
    });
  }

  async sendWebhook(secret: string, init: RequestInit = {}): Promise<ReceivedResponse> {
    return this.send(`/${this.#id}/hook/${secret}`, { method: 'POST', body: '{"status":"PAID"}', ...init });
  }
}

async function readResponse(fetching: Promise<Response>) {
  const response = await fetching;
  return { status: response.status, headers: response.headers, text: await response.text() };
}
