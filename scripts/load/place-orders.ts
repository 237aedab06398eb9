// Creates the orders and the invoices that the payers of a load run wait for.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { checkout } from '../../src/checkout-api.ts';
import { adminToken } from '../../test/support/buyer.ts';
import { Connection, formatRequest, type HttpResponse } from './http-connection.ts';

/** An order whose invoice waits for payment. */
export interface PlacedOrder {
  readonly checkoutId: string;
  readonly invoiceId: string;
  readonly etag: string;
}

export interface OrdersToPlace {
  /** The server's port. */
  readonly port: number;
  readonly count: number;
  /** The number of the first order, from which the network addresses follow. */
  readonly firstIndex: number;
}

const createdSchema = z.object({ capability: z.string() });

/** The headers of a buyer with a network address of his own. */
export function buyerHeaders(index: number): Readonly<Record<string, string>> {
  return { 'x-forwarded-for': `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` };
}

/** The request for a new order. */
export function orderRequest(headers: Readonly<Record<string, string>>): string {
  const order = { order_id: randomUUID(), amount: '1500.00', currency: 'RUB' };
  return formatRequest('POST', '/admin/checkouts', { ...headers, authorization: `Bearer ${adminToken}` }, order);
}

/** The capability of the checkout in the response to `orderRequest`. */
export function capabilityOf({ body }: HttpResponse): string {
  return createdSchema.parse(JSON.parse(body)).capability;
}

/** The request for an invoice. The same text sent again is a repeat, with the same key. */
export function invoiceRequest(capability: string, headers: Readonly<Record<string, string>>): string {
  const createHeaders = { ...headers, 'idempotency-key': randomUUID() };
  return formatRequest('POST', `/checkout/${capability}/invoice`, createHeaders, { payment_method_id: 'pm_sbp' });
}

/** Whether a create has succeeded. 200: a repeat for which the invoice was there. */
export function isCreated({ status }: HttpResponse): boolean {
  return status === 200 || status === 201;
}

const connectionCount = 16;

/** Places orders and creates their invoices over HTTP, each order from a different network address. */
export async function placeOrders({ port, count, firstIndex }: OrdersToPlace): Promise<readonly PlacedOrder[]> {
  const placedOrders: PlacedOrder[] = [];
  let nextIndex = firstIndex;
  const placeOrdersOnConnection = async (): Promise<void> => {
    const connection = new Connection(port);
    const post = async (request: string): Promise<HttpResponse> => {
      let response: HttpResponse | Error;
      do {
        response = await new Promise((resolve) => connection.send(request, resolve));
        if (response instanceof Error) throw response;
      } while ([202, 503].includes(response.status) && (await sleep(1000, true))); // in doubt, or overloaded: repeat
      if (!isCreated(response)) throw new Error(`a create was answered with ${response.status}: ${response.body}`);
      return response;
    };
    for (let index = nextIndex++; index < firstIndex + count; index = nextIndex++) {
      const headers = buyerHeaders(index);
      const checkoutId = capabilityOf(await post(orderRequest(headers)));
      const { body, etag } = await post(invoiceRequest(checkoutId, headers));
      const { invoice } = checkout.parse(JSON.parse(body));
      if (invoice === null) throw new Error('the response has no invoice');
      placedOrders.push({ checkoutId, invoiceId: invoice.id, etag });
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connectionCount }, placeOrdersOnConnection));
  return placedOrders;
}
