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
      if (response.status !== 200 && response.status !== 201)
        // 200: a repeat for which the invoice was there
        throw new Error(`a create was answered with ${response.status}: ${response.body}`);
      return response;
    };
    for (let index = nextIndex++; index < firstIndex + count; index = nextIndex++) {
      const headers = { 'x-forwarded-for': `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` };
      const order = { order_id: randomUUID(), amount: '1500.00', currency: 'RUB' };
      const adminHeaders = { ...headers, authorization: `Bearer ${adminToken}` };
      const created = await post(formatRequest('POST', '/admin/checkouts', adminHeaders, order));
      const { capability: checkoutId } = createdSchema.parse(JSON.parse(created.body));
      // The same text sent again is a repeat, with the same key.
      const createHeaders = { ...headers, 'idempotency-key': randomUUID() };
      const path = `/checkout/${checkoutId}/invoice`;
      const { body, etag } = await post(formatRequest('POST', path, createHeaders, { payment_method_id: 'pm_sbp' }));
      const { invoice } = checkout.parse(JSON.parse(body));
      if (invoice === null) throw new Error('the response has no invoice');
      placedOrders.push({ checkoutId, invoiceId: invoice.id, etag });
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connectionCount }, placeOrdersOnConnection));
  return placedOrders;
}
