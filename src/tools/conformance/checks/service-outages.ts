import { randomUUID } from 'node:crypto';
import { compareDecimals } from '../../../base/decimal.ts';
import { check, freshGroups, refuses, sharedStep, type Check, type CheckContext } from '../check.ts';
import { createTestInvoice } from '../create-test-invoice.ts';
import {
  checkoutIn,
  createBodyFor,
  expect,
  expectCheckout,
  expectInvoice,
  expectRetryable,
  expectState,
  invoiceIdIn,
} from '../expect.ts';

const startOutage = sharedStep('the outage', async (context) => {
  await createTestInvoice(context);
  const other = await context.openAnother();
  const body = await other.createBody();
  const fault = await context.setFault({ operation: '*', kind: 'status', status: 503 });
  return { other, body, key: randomUUID(), fault };
});

/** Sends a write during the outage and returns its response. */
const writeDuringOutage = sharedStep('the write during the outage', async (context) => {
  const { other, body, key } = await startOutage(context);
  return other.create(body, { key });
});

const createWithLostResponse = sharedStep('the lost response', async (context) => {
  const checkoutBefore = await context.readCheckout();
  const [body, key] = [createBodyFor(checkoutBefore), randomUUID()];
  const fault = await context.setFault({ operation: 'CreateInvoice', kind: 'lost' });
  const response = await context.create(body, { key });
  return { checkoutBefore, body, key, fault, response };
});

/** Throws a `Violation` unless all responses of the run showed the same invoice, however many the service created. */
function expectOneInvoiceShown({ run, capability }: CheckContext): void {
  const exchanges = run.backend.log.filter((exchange) => exchange.capability === capability);
  const shownIds = new Set(exchanges.flatMap((exchange) => checkoutIn(exchange)?.invoice?.id ?? []));
  expect(shownIds.size === 1, 'one invoice in all responses', `${shownIds.size} different invoices`);
}

const groups: Readonly<Record<string, Check | readonly Check[]>> = {
  'The service is unavailable': [
    check(
      'outage.write',
      'answers a write with 503 try_again or 202, and Retry-After, while the invoice service is unavailable',
      'Answer 503 try_again with Retry-After when the service certainly did nothing, and 202 when that is not certain.',
      async (context) => {
        expectRetryable(await writeDuringOutage(context));
      },
    ),
    check(
      'outage.stale',
      'shows the last known state as stale while the invoice service is unavailable',
      'Answer 200 from what is stored, and set `stale` when fetches have failed for some seconds.',
      async (context) => {
        await startOutage(context);
        expectState(await context.waitForStale(true), 'pending', { invoice: true });
      },
    ),
    check(
      'outage.ends',
      'accepts the same key again when the invoice service is available again',
      'Store the key of an unfinished write, and finish the write when a request with this key arrives.',
      async (context) => {
        const { other, body, key, fault } = await startOutage(context);
        await writeDuringOutage(context);
        await fault.end();
        await context.waitForStale(false);
        const id = invoiceIdIn(await other.createInvoice(body, key));
        expectInvoice(expectCheckout(await other.create(body, { key }), 200), id);
      },
    ),
  ],
  'The response of the service is lost': [
    check(
      'lost.unknown',
      'answers 202 with Retry-After when it is not known whether the invoice was created',
      'After a reset or a timeout the invoice may exist. Answer 202 and the checkout, never an error.',
      async (context) => {
        const { response } = await createWithLostResponse(context);
        expectCheckout(response, 202);
        expect(response.headers.has('retry-after'), 'Retry-After', 'none');
      },
    ),
    check(
      'lost.pending',
      'is pending without an invoice while it is not known whether the invoice was created',
      'Answer `status` "pending" and `invoice` null until the response is known.',
      async (context) => {
        await createWithLostResponse(context);
        expectState(await context.readCheckout(), 'pending', { invoice: false });
      },
    ),
    check(
      'lost.other_method',
      'creates no invoice for another method while it is not known whether the first invoice was created',
      'Refuse another method while a create is in doubt, with the same error as while an invoice is pending.',
      refuses(409, 'invoice_pending', async (context) => {
        const { checkoutBefore, body } = await createWithLostResponse(context);
        return [[createBodyFor(checkoutBefore, body)]];
      }),
    ),
    check(
      'lost.found',
      'shows one invoice in every response after the write was repeated with the same key, or refuses that key',
      'Repeat CreateInvoice with the same external_id, and offer one invoice, however many the service has created.',
      async (context) => {
        const { body, key, fault } = await createWithLostResponse(context);
        await fault.end();
        const id = invoiceIdIn(await context.repeatCreate(body, key));
        expectInvoice(await context.readCheckout(), id, 'this invoice in later reads');
        expectOneInvoiceShown(context);
      },
    ),
  ],
  'The service returns another amount': check(
    'amount.wrong',
    'never shows an invoice whose amount is not that of the order',
    'Compare the amount that CreateInvoice returns with the requested amount, as decimals, and do not offer an invoice for another amount.',
    async (context) => {
      const { amount: price } = await context.readCheckout();
      const body = await context.createBody();
      const fault = await context.setFault({ operation: 'CreateInvoice', kind: 'wrong_amount' });
      const exchange = await context.create(body);
      await fault.end();
      const shown = [checkoutIn(exchange), await context.readCheckout()].flatMap((one) => one?.invoice ?? []);
      const wrong = shown.find(({ amount }) => price !== null && compareDecimals(amount, price) !== 0);
      expect(wrong === undefined, `no invoice except for ${price ?? ''}`, `one for ${wrong?.amount ?? ''}`);
    },
  ),
};

export const serviceOutageChecks = freshGroups(groups, { sandbox: true });
