import { randomUUID } from 'node:crypto';
import { checkout as checkoutSchema, type Checkout } from '../../checkout-api.ts';
import { describeExchange, type Exchange } from './backend-client.ts';
import {
  sharedStep,
  expectCheckout,
  createInvoiceWithRetries,
  firstUsableOption,
  readCheckout,
  summarize,
  listUsableOptions,
  type CheckContext,
} from './check.ts';
import { expect, NotRun } from './expect.ts';

/** An invoice that the run created, its create request, and the checkout in the response. */
export interface CreatedInvoice {
  readonly checkout: Checkout;
  readonly invoiceId: string;
  readonly key: string;
  readonly body: { readonly payment_method_id: string };
}

/**
 * Creates an invoice with the first usable payment option, or replaces the invoice with the second when `replace` is true.
 * Adds the webhook URL, which the sandbox has, to the secrets. Throws `NotRun` when no invoice is created: other checks test
 * writes.
 */
export async function createTestInvoice(
  context: CheckContext,
  capability = context.capability,
  replace = false,
): Promise<CreatedInvoice> {
  const checkoutBefore = await readCheckout(context, capability);
  const [firstOption, secondOption] = listUsableOptions(await ensureOptions(context, capability, checkoutBefore));
  const method = replace ? secondOption : firstOption;
  if (method === undefined) throw new NotRun('the checkout has too few payment options that can be used');
  const body = { payment_method_id: method.id, ...(replace && { replace }) };
  const key = randomUUID();
  const response = await createInvoiceWithRetries(context, body, key, capability);
  const checkout = checkoutSchema.safeParse(response.json).data;
  const invoice = checkout?.invoice;
  if (checkout === undefined || !invoice || (response.status !== 200 && response.status !== 201))
    throw new NotRun(`no invoice could be created: ${describeExchange(response)}`);
  const { hooks } = context.secrets;
  const webhookUrl = (await context.sandbox().readInvoice(invoice.id)).url_config?.hook_url;
  if (webhookUrl !== undefined) hooks.add(webhookUrl);
  return { checkout, invoiceId: invoice.id, key, body };
}

/** Returns the checkout with its payment options, which a read without `?options=1` may leave out. */
async function ensureOptions({ backend }: CheckContext, capability: string, checkout: Checkout): Promise<Checkout> {
  if (checkout.options.length > 0) return checkout;
  return checkoutSchema.safeParse((await backend.read(capability, {}, '?options=1')).json).data ?? checkout;
}

/** Builds the body of a create request for the first usable payment option. */
export async function buildCreateBody(
  context: CheckContext,
  capability = context.capability,
): Promise<{ readonly payment_method_id: string }> {
  return { payment_method_id: firstUsableOption(await readCheckout(context, capability)).id };
}

/** The identifier of a usable payment method other than that of a create request. Throws `NotRun` when there is none. */
export function findOtherMethod(checkout: Checkout, body: { readonly payment_method_id: string }): string {
  const otherOption = listUsableOptions(checkout).find(({ id }) => id !== body.payment_method_id);
  if (otherOption === undefined) throw new NotRun('the checkout has only one payment option that can be used');
  return otherOption.id;
}

/** The first invoice of a checkout, its create request, and the checkout before and after the create. */
interface FirstInvoice {
  readonly checkoutBefore: Checkout;
  /** The ETag before the invoice was created. */
  readonly tag: string;
  /** The exchange of a long poll that was open while the invoice was created. */
  readonly longPoll: Exchange;
  readonly key: string;
  readonly body: { readonly payment_method_id: string };
  readonly response: Exchange;
  readonly checkout: Checkout;
  readonly invoiceId: string;
}

const longPollSeconds = 5;

/** Creates the first invoice of the group's checkout while a long poll is open. Throws `NotRun` when the checkout is not open. */
export const createFirstInvoice = sharedStep('the first invoice', async (context): Promise<FirstInvoice> => {
  const { backend, capability, ports, timeouts } = context;
  const firstRead = await backend.read(capability);
  const checkoutBefore = expectCheckout(firstRead, 200);
  if (checkoutBefore.status !== 'open')
    throw new NotRun(`it needs a fresh checkout, and this one is ${summarize(checkoutBefore)}`);
  const body = { payment_method_id: firstUsableOption(checkoutBefore).id };
  const tag = firstRead.headers.get('etag') ?? '"none"';
  const longPollResponse = backend.read(capability, { 'if-none-match': tag, prefer: `wait=${longPollSeconds}` });
  await ports.sleep(timeouts.pollMs);
  const key = randomUUID();
  const [response, longPoll] = await Promise.all([createInvoiceWithRetries(context, body, key), longPollResponse]);
  const checkout = expectCheckout(response, 201, 200);
  expect(checkout.invoice !== null, 'an invoice in the response', summarize(checkout));
  return { checkoutBefore, tag, longPoll, key, body, response, checkout, invoiceId: checkout.invoice.id };
});

/** Reads the checkout and returns the identifier of its invoice. */
export async function readCurrentInvoiceId(context: CheckContext): Promise<string | undefined> {
  return (await readCheckout(context)).invoice?.id;
}

/** Throws a `Violation` unless the response has one of the statuses, and the invoice with the identifier. */
export function expectInvoice(exchange: Exchange, id: string, ...statuses: readonly number[]): void {
  const { invoice } = expectCheckout(exchange, ...statuses);
  expect(invoice?.id === id, 'the same invoice', invoice === null ? 'no invoice' : 'another invoice');
}
