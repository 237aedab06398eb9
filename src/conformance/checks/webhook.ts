import { sharedStep, readCheckout, summarize, type Check, type Group, type CheckContext } from '../check.ts';
import { expect, NotRun } from '../violation.ts';
import { createAnInvoice } from '../create-test-invoice.ts';

const pendingInvoice = sharedStep('a pending invoice', (context) => createAnInvoice(context));

/** The secret: the last part of the webhook address that the backend sent to the service. */
const goodSecret = sharedStep('the address of the webhook', async (context) => {
  const { invoiceId } = await pendingInvoice(context);
  const url = (await context.sandbox().invoice(invoiceId)).url_config?.hook_url;
  const secret = url === undefined ? undefined : new URL(url).pathname.split('/').at(-1);
  if (secret === undefined || secret === '') throw new NotRun('the backend gave the service no hook_url');
  return decodeURIComponent(secret);
});

const clause = 'POST hook: 204 always for a good secret';

const accepts: Check = {
  id: 'hook.good_secret',
  clause,
  rule: 'answers 204 to a notification with the right secret, whatever its body',
  fix: 'Answer 204 without reading the body: its form is not described by the service.',
  async run(context) {
    const secret = await goodSecret(context);
    for (const body of ['{"invoice_id":"x"}', '', 'not JSON', '[]']) {
      const exchange = await context.backend.notify(context.checkout, secret, body);
      expect(exchange.status === 204, 'HTTP 204', exchange);
    }
  },
};

const forged: Check = {
  id: 'hook.forged',
  clause: 'POST hook: its content is ignored',
  rule: 'ignores the content of a notification',
  fix: 'Take a notification as a reason to fetch the invoice, and its status from FetchInvoices alone.',
  async run(context) {
    const secret = await goodSecret(context);
    const { invoiceId } = await pendingInvoice(context);
    for (const status of ['PAID', 'FAILED', 'EXPIRED']) {
      const body = JSON.stringify({ id: invoiceId, invoice_id: invoiceId, status, invoice: { id: invoiceId, status } });
      await context.backend.notify(context.checkout, secret, body);
    }
    await context.ports.sleep(context.timeouts.settleMs);
    const seen = await readCheckout(context);
    expect(seen.status === 'pending', '"pending", as it is at the service', summarize(seen));
  },
};

/** How many calls to the service one checkout may cause in a time, including those of the status poller. */
const maxCallsWithin = (ms: number): number => 4 + Math.ceil((2 * ms) / 1000);
const requestCount = 30;

/** Throws a `Violation` when many requests to the backend cause too many calls to the service. */
async function expectFewCalls(context: CheckContext, send: () => Promise<unknown>, what: string): Promise<void> {
  const { ports } = context;
  const sandbox = context.sandbox();
  const counters = [await sandbox.countCalls('FetchInvoices'), await sandbox.countCalls('FetchPaymentOptions')];
  const startedAt = ports.now();
  for (let times = 0; times < requestCount; times += 1) await send();
  const allowed = maxCallsWithin(ports.now() - startedAt);
  const fired = await Promise.all(counters.map((counter) => counter.countFired()));
  await sandbox.restore();
  const calls = fired.reduce((sum, one) => sum + one, 0);
  expect(calls <= allowed, `at most ${allowed} calls to the service for ${requestCount} ${what}`, `${calls} calls`);
}

const merged: Check = {
  id: 'hook.merged',
  clause: 'POST hook: many calls become one fetch',
  rule: 'makes few FetchInvoices calls when many notifications arrive',
  fix: 'Mark the invoice as due and let the status poller fetch it: at most one fetch a second.',
  async run(context) {
    const secret = await goodSecret(context);
    await expectFewCalls(context, () => context.backend.notify(context.checkout, secret, '{}'), 'notifications');
  },
};

const polls: Check = {
  id: 'polls.no_call',
  clause: 'GET: a poll never causes a call to the service by itself',
  rule: 'answers polls without a call of the invoice service for each',
  fix: 'Take statuses from what the status poller has stored, and options from a cache of at most 30 s.',
  async run(context) {
    await pendingInvoice(context);
    await expectFewCalls(context, () => context.backend.read(context.checkout), 'polls');
    await expectFewCalls(context, () => context.backend.read(context.checkout, {}, '?options=1'), 'polls with options');
  },
};

export const webhook: Group = {
  title: 'Notifications and polls',
  checkout: 'fresh',
  sandbox: true,
  checks: [accepts, forged, merged, polls],
};
