import { randomUUID } from 'node:crypto';
import { compareDecimals } from '../../../base/decimal.ts';
import type { Checkout } from '../../../checkout-api.ts';
import { problemOf } from '../backend-client.ts';
import { check, freshGroups, type Check, type CheckContext } from '../check.ts';
import { expect, expectCheckout, expectInvoice, expectState, invoiceIdIn } from '../expect.ts';
import { readPricedCheckout } from './get-checkout.ts';

/** How many writes are sent at once. */
const writeCount = 6;

/** Throws a `Violation` unless simultaneous writes, each with the next key, create one invoice, which later reads show. */
async function expectOneInvoice(context: CheckContext, nextKey: () => string): Promise<void> {
  const body = await context.createBody();
  const keys = Array.from({ length: writeCount }, nextKey);
  const firstResponses = await Promise.all(keys.map((key) => context.create(body, { key })));
  const responses = await Promise.all(
    firstResponses.map(async (exchange, index) =>
      [202, 503].includes(exchange.status) ? context.createWithRetries(body, keys[index]) : exchange,
    ),
  );
  const failedResponse = responses.find(({ status }) => status !== 200 && status !== 201);
  expect(failedResponse === undefined, `HTTP 201 and 200 to ${writeCount} writes at once`, failedResponse ?? '');
  const ids = new Set(responses.map((response) => expectCheckout(response, 200, 201).invoice?.id ?? 'none'));
  expect(ids.size === 1, 'one invoice', `${ids.size} different ones`);
  expectInvoice(await context.readCheckout(), [...ids].join(), 'this invoice in later reads');
  const createdCount = firstResponses.filter(({ status }) => status === 201).length;
  expect(createdCount <= 1, 'at most one 201', `${createdCount} responses with 201`);
}

/** The values that only the order sets. */
const orderText = ({ amount, currency, description, test, return_urls }: Checkout): string =>
  JSON.stringify({ amount, currency, description, test, return_urls });

const groups: Readonly<Record<string, Check>> = {
  'Values that only the order sets': check(
    'order.tampering',
    'ignores values of the order that the browser sends',
    'Read payment_method_id, replace and (only where the payer types it) amount from the body, and nothing else.',
    async (context) => {
      const checkoutBefore = await context.readCheckout();
      const { amount } = await readPricedCheckout(context);
      const response = await context.createWithRetries({
        ...(await context.createBody()),
        amount: '1.00',
        currency: 'JPY',
        description: 'tampered',
        test: true,
        mode: 'TEST',
        status: 'paid',
        return_urls: { success_url: 'https://elsewhere.example/', fail_url: null },
      });
      const isRefused = response.status >= 400 && response.status < 500 && problemOf(response) !== undefined;
      const checkoutAfter = isRefused ? await context.readCheckout() : expectCheckout(response, 200, 201);
      const [before, after] = [orderText(checkoutBefore), orderText(checkoutAfter)];
      expect(after === before, before, after);
      expect(checkoutAfter.status !== 'paid', 'not paid', '"paid"');
      const invoiceAmount = checkoutAfter.invoice?.amount ?? amount;
      expect(compareDecimals(invoiceAmount, amount) === 0, `an invoice for ${amount}`, `one for ${invoiceAmount}`);
    },
  ),
  'Simultaneous writes with one key': check(
    'concurrent.same_key',
    'creates one invoice for several simultaneous writes with the same key',
    'Commit the key under a unique constraint before the service is called; the second write waits or gets 202.',
    (context) => {
      const key = randomUUID();
      return expectOneInvoice(context, () => key);
    },
  ),
  'Simultaneous writes from several tabs': check(
    'concurrent.other_keys',
    'creates one invoice for simultaneous writes from several tabs',
    'Lock the checkout, or save it by its version: the second write reads the checkout again and finds the invoice.',
    (context) => expectOneInvoice(context, randomUUID),
  ),
  'Two orders': check(
    'order.isolated',
    'never uses the invoice or the idempotency keys of one order for another order',
    'Find invoices and idempotency keys by the checkout, never by the key alone.',
    async (context) => {
      const other = await context.openAnother();
      const key = randomUUID();
      const first = await context.createInvoice(undefined, key);
      expectState(await other.readCheckout(), 'open', { invoice: false });
      const response = await other.createWithRetries(await other.createBody(), key);
      if (response.status === 409 && problemOf(response)?.code === 'idempotency_mismatch') return;
      const otherCheckout = expectCheckout(response, 200, 201);
      expect(otherCheckout.id !== first.id, 'the other checkout', 'the first one');
      expect(
        invoiceIdIn(otherCheckout) !== invoiceIdIn(first),
        'an invoice of its own',
        'the invoice of the first order',
      );
    },
  ),
};

export const orderIntegrityChecks = freshGroups(groups);
