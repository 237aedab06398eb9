// The shop's part of an order in a load run: it opens the checkout.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { adminToken } from '../../test/support/buyer.ts';

const createdSchema = z.object({ capability: z.string() });

/** The headers of a buyer with a network address of his own. */
export function buyerHeaders(index: number): Readonly<Record<string, string>> {
  return { 'x-forwarded-for': `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` };
}

/** Sends a new order to the admin API. */
export function sendOrder(port: number): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/admin/checkouts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ order_id: randomUUID(), amount: '1500.00', currency: 'RUB' }),
  });
}

/** The capability of the checkout in the response to `sendOrder`. */
export async function capabilityIn(response: Response): Promise<string> {
  return createdSchema.parse(await response.json()).capability;
}

/** Places an order, and repeats it while the server is overloaded. Resolves with the capability of its checkout. */
export async function placeOrder(port: number): Promise<string> {
  const response = await sendOrder(port);
  if (response.status === 201) return capabilityIn(response);
  if (response.status !== 503) throw new Error(`an order was answered with ${response.status}`);
  await response.arrayBuffer();
  await sleep(1000);
  return placeOrder(port);
}
