import { sharedStep, readCheckout, summarize, type Check, type CheckGroup, type CheckContext } from '../check.ts';
import { expect, NotRun } from '../expect.ts';
import { createTestInvoice } from '../create-test-invoice.ts';

const createPendingInvoice = sharedStep('a pending invoice', (context) => createTestInvoice(context));

/** Reads the webhook secret: the last part of the webhook URL that the backend sent to the service. */
const readWebhookSecret = sharedStep('the address of the webhook', async (context) => {
  const { invoiceId } = await createPendingInvoice(context);
  const url = (await context.sandbox().readInvoice(invoiceId)).url_config?.hook_url;
  const secret = url === undefined ? undefined : new URL(url).pathname.split('/').at(-1);
  if (secret === undefined || secret === '') throw new NotRun('the backend gave the service no hook_url');
  return decodeURIComponent(secret);
});

const clause = 'POST hook: 204 always for a good secret';

const acceptedNotificationCheck: Check = {
  id: 'hook.good_secret',
  clause,
  rule: 'answers 204 to a notification with the right secret, whatever its body',
  fix: 'Answer 204 without reading the body: the service does not describe its format.',
  async run(context) {
    const secret = await readWebhookSecret(context);
    for (const body of ['{"invoice_id":"x"}', '', 'not JSON', '[]']) {
      const exchange = await context.backend.notify(context.capability, secret, body);
      expect(exchange.status === 204, 'HTTP 204', exchange);
    }
  },
};

const forgedNotificationCheck: Check = {
  id: 'hook.forged',
  clause: 'POST hook: its content is ignored',
  rule: 'ignores the content of a notification',
  fix: 'Fetch the invoice when a notification arrives, and use only the status that FetchInvoices returns.',
  async run(context) {
    const secret = await readWebhookSecret(context);
    const { invoiceId } = await createPendingInvoice(context);
    for (const status of ['PAID', 'FAILED', 'EXPIRED']) {
      const body = JSON.stringify({ id: invoiceId, invoice_id: invoiceId, status, invoice: { id: invoiceId, status } });
      await context.backend.notify(context.capability, secret, body);
    }
    await context.ports.sleep(context.timeouts.settleMs);
    const checkout = await readCheckout(context);
    expect(checkout.status === 'pending', '"pending", as it is at the service', summarize(checkout));
  },
};

/** How many calls to the service one checkout may cause within `ms`, including those of the status poller. */
const maxCallsWithin = (ms: number): number => 4 + Math.ceil((2 * ms) / 1000);
const requestCount = 30;

/** Throws a `Violation` when many requests to the backend cause too many calls to the service. */
async function expectFewCalls(context: CheckContext, send: () => Promise<unknown>, requestKind: string): Promise<void> {
  const { ports } = context;
  const sandbox = context.sandbox();
  const callCounters = [await sandbox.countCalls('FetchInvoices'), await sandbox.countCalls('FetchPaymentOptions')];
  const startedAt = ports.now();
  for (let times = 0; times < requestCount; times += 1) await send();
  const maxCalls = maxCallsWithin(ports.now() - startedAt);
  const callCounts = await Promise.all(callCounters.map((counter) => counter.countFired()));
  await sandbox.restore();
  const callCount = callCounts.reduce((sum, count) => sum + count, 0);
  expect(
    callCount <= maxCalls,
    `at most ${maxCalls} calls to the service for ${requestCount} ${requestKind}`,
    `${callCount} calls`,
  );
}

const mergedNotificationsCheck: Check = {
  id: 'hook.merged',
  clause: 'POST hook: many calls become one fetch',
  rule: 'makes few FetchInvoices calls when many notifications arrive',
  fix: 'Mark the invoice as due and let the status poller fetch it: at most one fetch a second.',
  async run(context) {
    const secret = await readWebhookSecret(context);
    await expectFewCalls(context, () => context.backend.notify(context.capability, secret, '{}'), 'notifications');
  },
};

const pollsWithoutCallsCheck: Check = {
  id: 'polls.no_call',
  clause: 'GET: a poll never causes a call to the service by itself',
  rule: 'does not call the invoice service for each poll',
  fix: 'Take statuses from what the status poller has stored, and options from a cache of at most 30 s.',
  async run(context) {
    await createPendingInvoice(context);
    await expectFewCalls(context, () => context.backend.read(context.capability), 'polls');
    await expectFewCalls(
      context,
      () => context.backend.read(context.capability, {}, '?options=1'),
      'polls with options',
    );
  },
};

export const webhookChecks: CheckGroup = {
  title: 'Notifications and polls',
  checkoutKind: 'fresh',
  sandbox: true,
  checks: [acceptedNotificationCheck, forgedNotificationCheck, mergedNotificationsCheck, pollsWithoutCallsCheck],
};
