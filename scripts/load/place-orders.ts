// The shop's part of an order in a load run: it opens the checkout.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { adminToken } from '../../test/support/buyer.ts';
import { observeFetch, type RecordResult } from './observe-fetch.ts';

const createdSchema = z.object({ capability: z.string() });
const outcomesSchema = z.object({
  outcomes: z.array(z.object({ kind: z.string(), order_id: z.string() })),
  next_cursor: z.string().nullable(),
});
const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };

/** The headers of a buyer with a network address of his own. */
export function buyerHeaders(index: number): Readonly<Record<string, string>> {
  return { 'x-forwarded-for': `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` };
}

/** The capability of the order's checkout, or, when the server gives none, after how many milliseconds it may be asked again. */
export type PlacedOrder = { readonly capability: string } | { readonly retryAfterMs: number };

/** Places an order with the admin API. */
export async function placeOrder(url: string, record: RecordResult): Promise<PlacedOrder> {
  const body = JSON.stringify({ order_id: randomUUID(), amount: '1500.00', currency: 'RUB' });
  const request = { method: 'POST', headers, body, signal: AbortSignal.timeout(30_000) };
  try {
    const response = await observeFetch(fetch, record)(`${url}/admin/checkouts`, request);
    const content: unknown = await response.json();
    if (response.ok) return createdSchema.parse(content);
    return { retryAfterMs: Number(response.headers.get('retry-after') ?? 0) * 1000 };
  } catch {
    return { retryAfterMs: 0 }; // the result is recorded
  }
}

/** The orders of all outcomes `paid` in the server's feed, one for each outcome. */
export async function readPaidOrders(url: string): Promise<readonly string[]> {
  const orders: string[] = [];
  for (let cursor = ''; ;) {
    const query = new URLSearchParams({ limit: '100', ...(cursor !== '' && { after: cursor }) });
    const signal = AbortSignal.timeout(10_000);
    const response = await fetch(`${url}/admin/outcomes?${query.toString()}`, { headers, signal });
    const { outcomes, next_cursor } = outcomesSchema.parse(await response.json());
    orders.push(...outcomes.flatMap(({ kind, order_id }) => (kind === 'paid' ? [order_id] : [])));
    if (outcomes.length === 0 || next_cursor === null || next_cursor === cursor) return orders;
    cursor = next_cursor;
  }
}
