import { expect, fact, NotRun, type Check, type Group } from '../check.ts';
import { describe } from '../exchange.ts';
import { look, summary, type Stage } from '../check-context.ts';
import { withInvoice } from './scene.ts';

const watched = fact('an invoice to be told about', (stage) => withInvoice(stage));

/** The good secret: the last part of the address that the backend gave to the service. */
const goodSecret = fact('the address for notifications', async (stage) => {
  const { invoiceId } = await watched(stage);
  const url = (await stage.sandbox().invoice(invoiceId)).url_config?.hook_url;
  const secret = url === undefined ? undefined : new URL(url).pathname.split('/').at(-1);
  if (secret === undefined || secret === '') throw new NotRun('the backend gave the service no hook_url');
  return decodeURIComponent(secret);
});

const clause = 'POST hook: 204 always for a good secret';

const accepts: Check = {
  id: 'hook.good_secret',
  clause,
  rule: 'answers 204 to a notification with the good secret, whatever its body',
  mend: 'Answer 204 without reading the body: its form is not described by the service.',
  async run(stage) {
    const secret = await goodSecret(stage);
    for (const body of ['{"invoice_id":"x"}', '', 'not JSON', '[]']) {
      const exchange = await stage.backend.notify(stage.checkout, secret, body);
      expect(exchange.status === 204, 'HTTP 204', describe(exchange));
    }
  },
};

const forged: Check = {
  id: 'hook.forged',
  clause: 'POST hook: its content is not believed',
  rule: 'believes nothing that a notification says',
  mend: 'Take a notification as a reason to fetch the invoice, and its status from FetchInvoices alone.',
  async run(stage) {
    const secret = await goodSecret(stage);
    const { invoiceId } = await watched(stage);
    for (const status of ['PAID', 'FAILED', 'EXPIRED']) {
      const body = JSON.stringify({ id: invoiceId, invoice_id: invoiceId, status, invoice: { id: invoiceId, status } });
      await stage.backend.notify(stage.checkout, secret, body);
    }
    await stage.ports.sleep(stage.tempo.settleMs);
    const seen = await look(stage);
    expect(seen.status === 'pending', '"pending": at the service it is', summary(seen));
  },
};

/** Calls of the service that one checkout may cause in some time, with what the watcher makes by itself. */
const allowance = (ms: number): number => 4 + Math.ceil((2 * ms) / 1000);
const many = 30;

async function expectFewCalls(stage: Stage, act: () => Promise<unknown>, what: string): Promise<void> {
  const { ports } = stage;
  const sandbox = stage.sandbox();
  const counters = [await sandbox.count('FetchInvoices'), await sandbox.count('FetchPaymentOptions')];
  const startedAt = ports.now();
  for (let times = 0; times < many; times += 1) await act();
  const allowed = allowance(ports.now() - startedAt);
  const fired = await Promise.all(counters.map((counter) => counter.fired()));
  await sandbox.tidy();
  const calls = fired.reduce((sum, one) => sum + one, 0);
  expect(calls <= allowed, `at most ${allowed} calls of the service for ${many} ${what}`, `${calls} calls`);
}

const merged: Check = {
  id: 'hook.merged',
  clause: 'POST hook: many calls become one fetch',
  rule: 'makes few fetches of many notifications',
  mend: 'Mark the invoice as due and let the watcher fetch it: at most one fetch a second.',
  async run(stage) {
    const secret = await goodSecret(stage);
    await expectFewCalls(stage, () => stage.backend.notify(stage.checkout, secret, '{}'), 'notifications');
  },
};

const polls: Check = {
  id: 'polls.no_call',
  clause: 'GET: a poll never causes a call to the service by itself',
  rule: 'answers polls without calling the service for each',
  mend: 'Take statuses from what the watcher has stored, and options from a cache of at most 30 s.',
  async run(stage) {
    await watched(stage);
    await expectFewCalls(stage, () => stage.backend.read(stage.checkout), 'polls');
    await expectFewCalls(stage, () => stage.backend.read(stage.checkout, {}, '?options=1'), 'polls with options');
  },
};

export const hook: Group = {
  title: 'Notifications and polls',
  checkout: 'fresh',
  sandbox: true,
  checks: [accepts, forged, merged, polls],
};
