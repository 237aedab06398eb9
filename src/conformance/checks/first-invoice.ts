import { randomUUID } from 'node:crypto';
import type { Checkout } from '../../protocol.ts';
import { expect, fact, NotRun } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { checkoutIn, createUntilKnown, firstMethod, look, summary, type Stage } from '../check-context.ts';

/** What the payer's first choice led to. */
interface Created {
  readonly before: Checkout;
  readonly tag: string;
  /** A read that was held back while the choice was made. */
  readonly held: Exchange;
  readonly key: string;
  readonly body: { readonly payment_method_id: string };
  readonly answer: Exchange;
  readonly seen: Checkout;
  readonly invoiceId: string;
}

const heldSeconds = 5;

export const created = fact('the first invoice', async (stage): Promise<Created> => {
  const { backend, checkout, ports, tempo } = stage;
  const first = await backend.read(checkout);
  const before = checkoutIn(first, 200);
  if (before.status !== 'open') throw new NotRun(`it needs a fresh checkout, and this one is ${summary(before)}`);
  const body = { payment_method_id: firstMethod(before).id };
  const tag = first.headers.get('etag') ?? '"none"';
  const waiting = backend.read(checkout, { 'if-none-match': tag, prefer: `wait=${heldSeconds}` });
  await ports.sleep(tempo.pollMs);
  const key = randomUUID();
  const [answer, held] = await Promise.all([createUntilKnown(stage, body, key), waiting]);
  const seen = checkoutIn(answer, 201, 200);
  expect(seen.invoice !== null, 'an invoice in the answer', summary(seen));
  return { before, tag, held, key, body, answer, seen, invoiceId: seen.invoice.id };
});

export async function offered(stage: Stage): Promise<string | undefined> {
  return (await look(stage)).invoice?.id;
}

/** A finding unless the answer is 200 (or 201 where it may be) with the invoice of that id. */
export function expectInvoice(exchange: Exchange, id: string, ...statuses: readonly number[]): void {
  const seen = checkoutIn(exchange, ...statuses);
  expect(seen.invoice?.id === id, 'the same invoice', seen.invoice === null ? 'none' : 'another one');
}
