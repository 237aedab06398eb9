import { randomUUID } from 'node:crypto';
import type { Checkout } from '../../checkout-api.ts';
import { describeExchange, type Exchange } from './backend-client.ts';
import { sharedStep, waits, type CheckContext } from './check.ts';
import {
  checkoutIn,
  createBodyFor,
  expectCheckout,
  invoiceIdIn,
  NotRun,
  summarize,
  type CreateBody,
} from './expect.ts';

/** An invoice that the run created, its create request, and the checkout in the response. */
export interface CreatedInvoice {
  readonly checkout: Checkout;
  readonly invoiceId: string;
  readonly key: string;
  readonly body: CreateBody;
}

/**
 * Creates an invoice with the first usable payment option, or replaces the invoice with the second when `replace` is true.
 * Adds the webhook URL, which the sandbox has, to the secrets. Throws `NotRun` when no invoice is created: other checks test
 * writes.
 */
export async function createTestInvoice(context: CheckContext, replace = false): Promise<CreatedInvoice> {
  const checkoutBefore = await context.readCheckout();
  // A read without `?options=1` may leave out the options.
  const withOptions = checkoutBefore.options.length > 0 ? undefined : checkoutIn(await context.read({}, '?options=1'));
  const firstBody = createBodyFor(withOptions ?? checkoutBefore);
  const body = replace ? { ...createBodyFor(withOptions ?? checkoutBefore, firstBody), replace } : firstBody;
  const key = randomUUID();
  const response = await context.createWithRetries(body, key);
  const checkout = checkoutIn(response);
  if (!checkout?.invoice || (response.status !== 200 && response.status !== 201))
    throw new NotRun(`no invoice could be created: ${describeExchange(response)}`);
  const invoiceId = checkout.invoice.id;
  const webhookUrl = await context.sandbox.readWebhookUrl(invoiceId);
  if (webhookUrl !== undefined) context.run.secrets.hooks.add(webhookUrl);
  return { checkout, invoiceId, key, body };
}

/** The invoice of a group, which its checks share. */
export const createSharedInvoice = sharedStep('the invoice', (context) => createTestInvoice(context));

/** The first invoice of a checkout, its create request, and the checkout before and after the create. */
interface FirstInvoice extends CreatedInvoice {
  readonly checkoutBefore: Checkout;
  /** The ETag before the invoice was created. */
  readonly tag: string;
  /** The exchange of a long poll that was open while the invoice was created. */
  readonly longPoll: Exchange;
  readonly response: Exchange;
}

const longPollSeconds = 5;

/** Creates the first invoice of the group's checkout while a long poll is open. Throws `NotRun` when the checkout is not open. */
export const createFirstInvoice = sharedStep('the first invoice', async (context): Promise<FirstInvoice> => {
  const firstRead = await context.read();
  const checkoutBefore = expectCheckout(firstRead, 200);
  requireOpen(checkoutBefore);
  const body = createBodyFor(checkoutBefore);
  const tag = firstRead.headers.get('etag') ?? '"none"';
  const longPollResponse = context.read({ 'if-none-match': tag, prefer: `wait=${longPollSeconds}` });
  await context.sleep(waits.pollMs);
  const key = randomUUID();
  const [response, longPoll] = await Promise.all([context.createWithRetries(body, key), longPollResponse]);
  const checkout = expectCheckout(response, 201, 200);
  return { checkoutBefore, tag, longPoll, key, body, response, checkout, invoiceId: invoiceIdIn(checkout) };
});

/** Throws `NotRun` when the checkout is not open. */
export function requireOpen(checkout: Checkout): void {
  if (checkout.status !== 'open') throw new NotRun(`it needs a fresh checkout, and this one is ${summarize(checkout)}`);
}
