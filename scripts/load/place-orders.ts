// Creates the orders and the invoices that the payers of a load run wait for.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { checkout } from '../../src/protocol.ts';
import { Connection, requestText, type Answer } from './http-connection.ts';

/** A payer with requisites on the screen. */
export interface SeededPayer {
  readonly checkoutId: string;
  readonly invoiceId: string;
  readonly etag: string;
}

const placed = z.object({ checkout: z.string() });
const atOnce = 16;

/** Places orders and asks for requisites as payers do, each from an address of its own. */
export async function seed(port: number, payers: number): Promise<readonly SeededPayer[]> {
  const seeded: SeededPayer[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    const connection = new Connection(port);
    const post = async (path: string, headers: Readonly<Record<string, string>>, body: unknown): Promise<Answer> => {
      const answer = await new Promise<Answer | Error>((resolve) => {
        connection.send(requestText('POST', path, headers, body), resolve);
      });
      if (answer instanceof Error) throw answer;
      if (answer.status !== 201) throw new Error(`${path} is answered with ${answer.status}: ${answer.body}`);
      return answer;
    };
    for (let index = next++; index < payers; index = next++) {
      const headers = { 'x-forwarded-for': `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}` };
      const order = await post('/shop/orders', headers, { items: [{ sku: 'cup', quantity: 1 }] });
      const checkoutId = placed.parse(JSON.parse(order.body)).checkout;
      const ask = { ...headers, 'idempotency-key': randomUUID() };
      const { body, etag } = await post(`/checkout/${checkoutId}/invoice`, ask, { payment_method_id: 'pm_sbp' });
      const { invoice } = checkout.parse(JSON.parse(body));
      if (invoice === null) throw new Error('there is no invoice');
      seeded.push({ checkoutId, invoiceId: invoice.id, etag });
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return seeded;
}
