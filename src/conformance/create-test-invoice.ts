import { randomUUID } from 'node:crypto';
import { checkout as checkoutSchema, type Checkout } from '../protocol.ts';
import { describeExchange, type Exchange } from './backend-client.ts';
import {
  sharedStep,
  checkoutIn,
  createUntilKnown,
  firstUsableOption,
  readCheckout,
  summarize,
  usableOptions,
  type CheckContext,
} from './check.ts';
import { expect, NotRun } from './violation.ts';

/** A checkout that has an invoice. */
export interface CreatedInvoice {
  readonly seen: Checkout;
  readonly invoiceId: string;
  readonly key: string;
  readonly body: { readonly payment_method_id: string };
}

/**
 * Creates an invoice with the first usable payment option, or with the second for `replace`. Adds its webhook URL, which it
 * reads from the sandbox, to the secrets. Throws `NotRun` when it cannot create one: other checks test writes.
 */
export async function createAnInvoice(
  context: CheckContext,
  checkout = context.checkout,
  replace = false,
): Promise<CreatedInvoice> {
  const before = await readCheckout(context, checkout);
  const [first, second] = usableOptions(await withOptions(context, checkout, before));
  const method = replace ? second : first;
  if (method === undefined) throw new NotRun('the checkout has too few payment options that can be used');
  const body = { payment_method_id: method.id, ...(replace && { replace }) };
  const key = randomUUID();
  const answer = await createUntilKnown(context, body, key, checkout);
  const seen = checkoutSchema.safeParse(answer.json).data;
  const made = seen?.invoice;
  if (seen === undefined || !made || (answer.status !== 200 && answer.status !== 201))
    throw new NotRun(`no invoice could be created: ${describeExchange(answer)}`);
  const { hooks } = context.secrets;
  const hook = (await context.sandbox().invoice(made.id)).url_config?.hook_url;
  if (hook !== undefined) hooks.add(hook);
  return { seen, invoiceId: made.id, key, body };
}

/** The checkout with its payment options, which a read without `?options=1` may leave out. */
async function withOptions({ backend }: CheckContext, checkout: string, before: Checkout): Promise<Checkout> {
  if (before.options.length > 0) return before;
  return checkoutSchema.safeParse((await backend.read(checkout, {}, '?options=1')).json).data ?? before;
}

/** The body of a create request for the first usable payment option. */
export async function createBody(
  context: CheckContext,
  checkout = context.checkout,
): Promise<{ readonly payment_method_id: string }> {
  return { payment_method_id: firstUsableOption(await readCheckout(context, checkout)).id };
}

/** The identifier of a usable payment method other than that of a create request. Throws `NotRun` when there is none. */
export function otherMethod(checkout: Checkout, body: { readonly payment_method_id: string }): string {
  const other = usableOptions(checkout).find(({ id }) => id !== body.payment_method_id);
  if (other === undefined) throw new NotRun('the checkout has only one payment option that can be used');
  return other.id;
}

/** The first invoice of a checkout, its request, and the answers before, during and after its creation. */
interface FirstInvoice {
  readonly before: Checkout;
  /** The ETag before the invoice was created. */
  readonly tag: string;
  /** A long poll that was open while the invoice was created. */
  readonly held: Exchange;
  readonly key: string;
  readonly body: { readonly payment_method_id: string };
  readonly answer: Exchange;
  readonly seen: Checkout;
  readonly invoiceId: string;
}

const heldSeconds = 5;

export const firstInvoice = sharedStep('the first invoice', async (context): Promise<FirstInvoice> => {
  const { backend, checkout, ports, timeouts } = context;
  const first = await backend.read(checkout);
  const before = checkoutIn(first, 200);
  if (before.status !== 'open') throw new NotRun(`it needs a fresh checkout, and this one is ${summarize(before)}`);
  const body = { payment_method_id: firstUsableOption(before).id };
  const tag = first.headers.get('etag') ?? '"none"';
  const waiting = backend.read(checkout, { 'if-none-match': tag, prefer: `wait=${heldSeconds}` });
  await ports.sleep(timeouts.pollMs);
  const key = randomUUID();
  const [answer, held] = await Promise.all([createUntilKnown(context, body, key), waiting]);
  const seen = checkoutIn(answer, 201, 200);
  expect(seen.invoice !== null, 'an invoice in the answer', summarize(seen));
  return { before, tag, held, key, body, answer, seen, invoiceId: seen.invoice.id };
});

export async function currentInvoiceId(context: CheckContext): Promise<string | undefined> {
  return (await readCheckout(context)).invoice?.id;
}

/** Throws a `Violation` unless the answer has one of the statuses, and the invoice with the identifier. */
export function expectInvoice(exchange: Exchange, id: string, ...statuses: readonly number[]): void {
  const seen = checkoutIn(exchange, ...statuses);
  expect(seen.invoice?.id === id, 'the same invoice', seen.invoice === null ? 'none' : 'another one');
}
