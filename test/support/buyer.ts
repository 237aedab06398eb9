import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { callAdmin } from './documented-admin-answers.ts';
import { checkout as checkoutSchema, type Checkout } from '../../src/checkout-api.ts';

const createdSchema = z.object({ id: z.string(), capability: z.string() });
const outcomesSchema = z.object({
  outcomes: z.array(z.object({ kind: z.string(), delivered_at: z.string().nullable() })),
});

/** The admin token of the servers that tests start. */
export const adminToken = 'a-token-of-24-characters';

/** Sends the requests of a shop and of the widget to a running checkout server. */
export class Buyer {
  readonly #shop: string;
  readonly #sandbox: string;
  /** The checkout's identifier, `co_…`. */
  id: string;
  /** The checkout's capability. */
  checkoutId: string;

  /** @param other - a buyer at another process, whose checkout this buyer continues */
  constructor(
    { url, sandbox }: { readonly url: string; readonly sandbox: string | null },
    other?: Partial<Pick<Buyer, 'id' | 'checkoutId'>>,
  ) {
    this.id = other?.id ?? '';
    this.checkoutId = other?.checkoutId ?? '';
    this.#shop = url;
    this.#sandbox = sandbox ?? '';
  }

  /** Creates a checkout for a new order. */
  async order(amount = '1500.00'): Promise<void> {
    const body = { order_id: randomUUID(), amount, currency: 'RUB' };
    const { json } = await callAdmin(this.#shop, '/admin/checkouts', adminToken, body);
    ({ id: this.id, capability: this.checkoutId } = createdSchema.parse(json));
  }

  async readCheckout(): Promise<Checkout> {
    const response = await fetch(`${this.#shop}/checkout/${this.checkoutId}`);
    assert.equal(response.status, 200);
    return checkoutSchema.parse(await response.json());
  }

  /** Creates an invoice. Resolves with the checkout, which contains the invoice. */
  async createInvoice(payment_method_id = 'pm_sbp', key: string = randomUUID()): Promise<Checkout> {
    const url = `${this.#shop}/checkout/${this.checkoutId}/invoice`;
    return checkoutSchema.parse(await this.#post(url, { payment_method_id }, 201, { 'idempotency-key': key }));
  }

  /** Pays, refuses or expires an invoice through the sandbox. */
  async simulate(invoiceId: string, result: 'pay' | 'fail' | 'expire'): Promise<void> {
    await this.#post(`${this.#sandbox}/sandbox/invoices/${invoiceId}/${result}`, undefined, 200);
  }

  /** Waits as the widget does, with conditional requests that the server holds, until the checkout has a status. */
  async waitFor(status: Checkout['status'], withinMs = 15_000): Promise<Checkout> {
    const signal = AbortSignal.timeout(withinMs);
    let etag = '';
    for (;;) {
      const headers = { prefer: 'wait=5', ...(etag === '' ? {} : { 'if-none-match': etag }) };
      const response = await fetch(`${this.#shop}/checkout/${this.checkoutId}`, { headers, signal });
      etag = response.headers.get('etag') ?? '';
      if (response.status === 304) continue;
      const checkout = checkoutSchema.parse(await response.json());
      if (checkout.status === status) return checkout;
    }
  }

  /** The kinds of the outcomes that the shop has received. */
  async readDelivered(): Promise<readonly string[]> {
    const { json } = await callAdmin(this.#shop, `/admin/checkouts/${this.id}`, adminToken);
    const { outcomes } = outcomesSchema.parse(json);
    return outcomes.filter(({ delivered_at }) => delivered_at !== null).map(({ kind }) => kind);
  }

  async #post(
    url: string,
    body: unknown,
    expectedStatus: number,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const responseBody: unknown = await response.json();
    assert.equal(response.status, expectedStatus, JSON.stringify(responseBody));
    return responseBody;
  }
}
