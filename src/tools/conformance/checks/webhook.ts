import { check, sharedStep, type CheckContext, type CheckGroup } from '../check.ts';
import { createSharedInvoice } from '../create-test-invoice.ts';
import { expect, expectState, NotRun } from '../expect.ts';

/** Reads the webhook secret: the last part of the webhook URL that the backend sent to the service. */
const readWebhookSecret = sharedStep('the address of the webhook', async (context) => {
  const { invoiceId } = await createSharedInvoice(context);
  const url = await context.sandbox.readWebhookUrl(invoiceId);
  const secret = url === undefined ? undefined : new URL(url).pathname.split('/').at(-1);
  if (secret === undefined || secret === '') throw new NotRun('the backend gave the service no hook_url');
  return decodeURIComponent(secret);
});

/** How many calls to the service one checkout may cause within `ms`, including those of the status poller. */
const maxCallsWithin = (ms: number): number => 4 + Math.ceil((2 * ms) / 1000);
const requestCount = 30;

/** Throws a `Violation` when many requests to the backend cause too many calls to the service. */
async function expectFewCalls(context: CheckContext, requestKind: string, send: () => Promise<unknown>): Promise<void> {
  const { sandbox } = context;
  const { ports } = context.run;
  const counters = [await sandbox.countCalls('FetchInvoices'), await sandbox.countCalls('FetchPaymentOptions')];
  const startedAt = ports.now();
  for (let times = 0; times < requestCount; times += 1) await send();
  const maxCalls = maxCallsWithin(ports.now() - startedAt);
  const callCounts = await Promise.all(counters.map((counter) => counter.countFired()));
  await sandbox.restore();
  const callCount = callCounts.reduce((sum, count) => sum + count, 0);
  const expected = `at most ${maxCalls} calls to the service for ${requestCount} ${requestKind}`;
  expect(callCount <= maxCalls, expected, `${callCount} calls`);
}

export const webhookChecks: CheckGroup = {
  title: 'Notifications and polls',
  checkoutKind: 'fresh',
  sandbox: true,
  checks: [
    check(
      'hook.good_secret',
      'answers 204 to a notification with the right secret, whatever its body',
      'Answer 204 without reading the body: the service does not describe its format.',
      async (context) => {
        const secret = await readWebhookSecret(context);
        for (const body of ['{"invoice_id":"x"}', '', 'not JSON', '[]']) {
          const exchange = await context.notify(secret, body);
          expect(exchange.status === 204, 'HTTP 204', exchange);
        }
      },
    ),
    check(
      'hook.forged',
      'ignores the content of a notification',
      'Fetch the invoice when a notification arrives, and use only the status that FetchInvoices returns.',
      async (context) => {
        const secret = await readWebhookSecret(context);
        const { invoiceId: id } = await createSharedInvoice(context);
        for (const status of ['PAID', 'FAILED', 'EXPIRED'])
          await context.notify(secret, JSON.stringify({ id, invoice_id: id, status, invoice: { id, status } }));
        expectState(await context.readSettledCheckout(), 'pending', { when: 'as it is at the service' });
      },
    ),
    check(
      'hook.merged',
      'makes few FetchInvoices calls when many notifications arrive',
      'Mark the invoice as due and let the status poller fetch it: at most one fetch a second.',
      async (context) => {
        const secret = await readWebhookSecret(context);
        await expectFewCalls(context, 'notifications', () => context.notify(secret, '{}'));
      },
    ),
    check(
      'polls.no_call',
      'does not call the invoice service for each poll',
      'Take statuses from what the status poller has stored, and options from a cache of at most 30 s.',
      async (context) => {
        await createSharedInvoice(context);
        await expectFewCalls(context, 'polls', () => context.read());
        await expectFewCalls(context, 'polls with options', () => context.read({}, '?options=1'));
      },
    ),
  ],
};
