import { checkout, type Checkout } from '../../src/checkout-api.ts';

/** A client of the checkout API over a real socket, for one checkout. */
export class HttpCheckoutClient {
  readonly #url: string;

  constructor(endpoint: string, capability: string) {
    this.#url = `${endpoint}/${capability}`;
  }

  send(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.#url}${path}`, init);
  }

  async readCheckout(): Promise<Checkout> {
    return checkout.parse(await (await this.send('')).json());
  }

  async readEtag(headers: Record<string, string> = {}): Promise<string> {
    return (await this.send('', { headers })).headers.get('etag') ?? '';
  }

  /** Sends a GET that the server holds until the checkout changes, at most for `seconds`. */
  longPoll(etag: string, seconds: number, signal: AbortSignal | null = null): Promise<Response> {
    return this.send('', { headers: { 'if-none-match': etag, prefer: `wait=${seconds}` }, signal });
  }

  createInvoice({ headers = {}, body = '{"payment_method_id":"pm_card"}', key = 'key-1' } = {}): Promise<Response> {
    const allHeaders = { 'content-type': 'application/json', 'idempotency-key': key, ...headers };
    return this.send('/invoice', { method: 'POST', headers: allHeaders, body });
  }
}
