import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { checkout as checkoutSchema, type Checkout } from '../../src/checkout-api.ts';

const placedOrderSchema = z.object({ order_id: z.string(), checkout: z.string() });
const orderSchema = z.object({ status: z.enum(['new', 'paid']), paid_at: z.string().nullable() });

/** Sends the requests that the demo's page and the widget send to a running shop. */
export class Buyer {
  readonly #shop: string;
  readonly #sandbox: string;
  orderId: string;
  checkoutId: string;

  /** @param other - a buyer at another process of the shop, whose order this buyer continues */
  constructor({ url, sandbox }: { readonly url: string; readonly sandbox: string | null }, other?: Buyer) {
    this.orderId = other?.orderId ?? '';
    this.checkoutId = other?.checkoutId ?? '';
    this.#shop = url;
    this.#sandbox = sandbox ?? '';
  }

  async order(items = [{ sku: 'cup', quantity: 1 }]): Promise<void> {
    const placedOrder = placedOrderSchema.parse(await this.#post(`${this.#shop}/shop/orders`, { items }, 201));
    this.orderId = placedOrder.order_id;
    this.checkoutId = placedOrder.checkout;
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

  /** Reads the order from the shop's server. */
  async readOrder(): Promise<z.output<typeof orderSchema>> {
    return orderSchema.parse(await (await fetch(`${this.#shop}/shop/orders/${this.orderId}`)).json());
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
