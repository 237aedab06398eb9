import { randomUUID } from 'node:crypto';
import { compareDecimals } from '../../../base/decimal.ts';
import {
  expectCheckout,
  createInvoiceWithRetries,
  firstUsableOption,
  readCheckout,
  summarize,
  type Check,
  type CheckGroup,
  type CheckContext,
} from '../check.ts';
import { expect, NotRun } from '../expect.ts';
import { problemOf, type Exchange } from '../backend-client.ts';

/** How many writes are sent at once. */
const writeCount = 6;

/** Throws a `Violation` unless simultaneous writes with these keys create one invoice, which later reads show. */
async function expectOneInvoice(context: CheckContext, keys: readonly string[]): Promise<void> {
  const checkoutBefore = await readCheckout(context);
  const body = { payment_method_id: firstUsableOption(checkoutBefore).id };
  const firstResponses = await Promise.all(
    keys.map((key) => context.backend.create(context.capability, body, { key })),
  );
  const isInDoubt = (exchange: Exchange): boolean => [202, 503].includes(exchange.status);
  const responses = await Promise.all(
    firstResponses.map(async (exchange, index) =>
      isInDoubt(exchange) ? createInvoiceWithRetries(context, body, keys[index] ?? randomUUID()) : exchange,
    ),
  );
  const failedResponse = responses.find(({ status }) => status !== 200 && status !== 201);
  expect(failedResponse === undefined, `HTTP 201 and 200 to ${writeCount} writes at once`, failedResponse ?? '');
  const ids = new Set(responses.map((response) => expectCheckout(response, 200, 201).invoice?.id ?? 'none'));
  expect(ids.size === 1, 'one invoice', `${ids.size} different ones`);
  const laterCheckout = await readCheckout(context);
  expect(ids.has(laterCheckout.invoice?.id ?? 'none'), 'this invoice in later reads', summarize(laterCheckout));
  const createdCount = firstResponses.filter(({ status }) => status === 201).length;
  expect(createdCount <= 1, 'at most one 201', `${createdCount} responses with 201`);
}

const sameKeyWritesCheck: Check = {
  id: 'concurrent.same_key',
  clause: 'POST: 200, the same key: the same invoice again',
  rule: 'creates one invoice for several simultaneous writes with the same key',
  fix: 'Commit the key under a unique constraint before the service is called; the second write waits or gets 202.',
  run(context) {
    const key = randomUUID();
    return expectOneInvoice(
      context,
      Array.from({ length: writeCount }, () => key),
    );
  },
};

export const sameKeyWriteChecks: CheckGroup = {
  title: 'Simultaneous writes with one key',
  checkoutKind: 'fresh',
  checks: [sameKeyWritesCheck],
};

const severalTabsWritesCheck: Check = {
  id: 'concurrent.other_keys',
  clause: 'POST: 200, the same method while its invoice can be paid',
  rule: 'creates one invoice for simultaneous writes from several tabs',
  fix: 'Lock the checkout, or save it by its version: the second write reads the checkout again and finds the invoice.',
  run: (context) =>
    expectOneInvoice(
      context,
      Array.from({ length: writeCount }, () => randomUUID()),
    ),
};

export const severalTabsWriteChecks: CheckGroup = {
  title: 'Simultaneous writes from several tabs',
  checkoutKind: 'fresh',
  checks: [severalTabsWritesCheck],
};

const tamperedOrderCheck: Check = {
  id: 'order.tampering',
  clause: 'The price, the currency, the description and the return URLs come from the order',
  rule: 'ignores values of the order that the browser sends',
  fix: 'Read payment_method_id, replace and (only where the payer types it) amount from the body, and nothing else.',
  async run(context) {
    const checkoutBefore = await readCheckout(context);
    if (checkoutBefore.amount === null) throw new NotRun('the payer types the amount of this checkout');
    const request = {
      payment_method_id: firstUsableOption(checkoutBefore).id,
      amount: '1.00',
      currency: 'XXX',
      description: 'tampered',
      test: true,
      mode: 'TEST',
      status: 'paid',
      return_urls: { success_url: 'https://elsewhere.example/', fail_url: null },
    };
    const response = await createInvoiceWithRetries(context, request, randomUUID());
    const isRefused = response.status >= 400 && response.status < 500 && problemOf(response) !== undefined;
    const checkoutAfter = isRefused ? await readCheckout(context) : expectCheckout(response, 200, 201);
    const serializeOrderValues = ({
      amount,
      currency,
      description,
      test,
      return_urls,
    }: typeof checkoutBefore): string => JSON.stringify({ amount, currency, description, test, return_urls });
    expect(
      serializeOrderValues(checkoutAfter) === serializeOrderValues(checkoutBefore),
      serializeOrderValues(checkoutBefore),
      serializeOrderValues(checkoutAfter),
    );
    expect(checkoutAfter.status !== 'paid', 'not paid', '"paid"');
    const invoiceAmount = checkoutAfter.invoice?.amount;
    const hasOrderAmount = invoiceAmount === undefined || compareDecimals(invoiceAmount, checkoutBefore.amount) === 0;
    expect(hasOrderAmount, `an invoice for ${checkoutBefore.amount}`, `one for ${invoiceAmount ?? ''}`);
  },
};

const isolatedOrdersCheck: Check = {
  id: 'order.isolated',
  clause: 'The capability: that order, and nothing else',
  rule: 'never uses the invoice or the idempotency keys of one order for another order',
  fix: 'Find invoices and idempotency keys by the checkout, never by the key alone.',
  async run(context) {
    const otherCapability = await context.openAnotherCheckout();
    const body = { payment_method_id: firstUsableOption(await readCheckout(context)).id };
    const key = randomUUID();
    const firstCheckout = expectCheckout(await createInvoiceWithRetries(context, body, key), 200, 201);
    const secondCheckoutBefore = await readCheckout(context, otherCapability);
    expect(
      secondCheckoutBefore.status === 'open' && secondCheckoutBefore.invoice === null,
      'the other order open, without an invoice',
      summarize(secondCheckoutBefore),
    );
    const response = await createInvoiceWithRetries(
      context,
      { payment_method_id: firstUsableOption(secondCheckoutBefore).id },
      key,
      otherCapability,
    );
    if (response.status === 409 && problemOf(response)?.code === 'idempotency_mismatch') return;
    const secondCheckout = expectCheckout(response, 200, 201);
    expect(secondCheckout.id === otherCapability, 'the other checkout', 'the first one');
    expect(
      secondCheckout.invoice !== null && secondCheckout.invoice.id !== firstCheckout.invoice?.id,
      'an invoice of its own',
      'the invoice of the first order',
    );
  },
};

export const tamperedOrderChecks: CheckGroup = {
  title: 'Values that only the order sets',
  checkoutKind: 'fresh',
  checks: [tamperedOrderCheck],
};
export const twoOrdersChecks: CheckGroup = {
  title: 'Two orders',
  checkoutKind: 'fresh',
  checks: [isolatedOrdersCheck],
};
