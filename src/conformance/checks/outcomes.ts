import { randomUUID } from 'node:crypto';
import { parseTimestamp } from '../../contract/timestamp.ts';
import { checkout as checkoutSchema } from '../../protocol.ts';
import { expect, fact, NotRun, type Check, type Group } from '../check.ts';
import { checkoutIn, createUntilKnown, expectProblem, look, summary, untilStatus, type Stage } from '../check-context.ts';
import { withInvoice } from './scene.ts';

const started = fact('the invoice', (stage) => withInvoice(stage));

const paid = fact('the paid checkout', async (stage) => {
  const { invoiceId } = await started(stage);
  await stage.sandbox().happen(invoiceId, 'pay');
  return untilStatus(stage, 'paid');
});

const paidSeen: Check = {
  id: 'paid.seen',
  clause: 'GET: paid comes from a re-fetch of the invoice at the service',
  rule: 'becomes paid when the service says so',
  mend: 'Fetch pending invoices with FetchInvoices every few seconds; map the status PAID to "paid".',
  async run(stage) {
    await paid(stage);
  },
};

const paidOptions: Check = {
  id: 'paid.options',
  clause: 'GET: options, [] once paid',
  rule: 'offers nothing more once it is paid',
  mend: 'Answer `options` [] for a paid checkout, with ?options=1 too.',
  async run(stage) {
    await paid(stage);
    for (const query of ['', '?options=1']) {
      const { options } = checkoutIn(await stage.backend.read(stage.checkout, {}, query), 200);
      expect(options.length === 0, 'no options', `${options.length} of them`);
    }
  },
};

const paidRefused: Check = {
  id: 'paid.refused',
  clause: 'POST: 409 already_paid',
  rule: 'makes no more invoices once it is paid',
  mend: 'Answer 409 already_paid, also with `replace`, before anything else is judged.',
  async run(stage) {
    await paid(stage);
    const { body } = await started(stage);
    for (const wish of [body, { ...body, replace: true }])
      expectProblem(await stage.backend.create(stage.checkout, wish), [409], ['already_paid']);
  },
};

const paidFinal: Check = {
  id: 'paid.final',
  clause: 'GET: paid is final, nothing turns it back',
  rule: 'stays paid whatever the service says later',
  mend: 'Never overwrite "paid": store it with the outcome, and drop later and older answers.',
  async run(stage) {
    await paid(stage);
    const { invoiceId } = await started(stage);
    for (const status of ['PENDING', 'FAILED', 'EXPIRED']) {
      await stage.sandbox().setStatus(invoiceId, status);
      await stage.ports.sleep(stage.tempo.settleMs / 2);
      const seen = await look(stage);
      expect(seen.status === 'paid', '"paid" as before', summary(seen));
    }
  },
};

export const paying: Group = {
  title: 'Paid',
  checkout: 'fresh',
  sandbox: true,
  checks: [paidSeen, paidOptions, paidRefused, paidFinal],
};

const failed = fact('the failed checkout', async (stage) => {
  const { invoiceId } = await started(stage);
  await stage.sandbox().happen(invoiceId, 'fail');
  return untilStatus(stage, 'failed');
});

const failedSeen: Check = {
  id: 'failed.seen',
  clause: 'GET: failed comes from a re-fetch of the invoice at the service',
  rule: 'becomes failed when the service says so',
  mend: 'Map the status FAILED to "failed", by a fetch and by nothing else.',
  async run(stage) {
    await failed(stage);
  },
};

/** A new invoice after one that came to nothing. */
async function expectNewInvoice(stage: Stage): Promise<void> {
  const { invoiceId, body } = await started(stage);
  const seen = checkoutIn(await createUntilKnown(stage, body, randomUUID()), 201);
  expect(seen.status === 'pending' && seen.invoice !== null, '"pending" with an invoice', summary(seen));
  expect(seen.invoice.id !== invoiceId, 'a new invoice', 'the one that came to nothing');
}

const failedAgain: Check = {
  id: 'failed.again',
  clause: 'POST: 201 + the checkout',
  rule: 'lets the payer try again after a failure',
  mend: 'A failed invoice is not alive: create a new one for the same method without `replace`.',
  async run(stage) {
    await failed(stage);
    await expectNewInvoice(stage);
  },
};

export const failing: Group = {
  title: 'Failed',
  checkout: 'fresh',
  sandbox: true,
  checks: [failedSeen, failedAgain],
};

const shortLived = fact('the invoice with little time', async (stage) => {
  await stage.sandbox().setLifetime(stage.tempo.lifetimeMs);
  return started(stage);
});

const expired = fact('the expired checkout', async (stage) => {
  await shortLived(stage);
  return untilStatus(stage, 'expired');
});

const expiredSeen: Check = {
  id: 'expired.seen',
  clause: 'GET: expired needs the deadline, a grace period and a last fetch',
  rule: 'becomes expired some time after the deadline',
  mend: 'After the deadline and a grace period fetch the invoice once more; then answer "expired".',
  async run(stage) {
    await expired(stage);
  },
};

const expiredLate: Check = {
  id: 'expired.deadline',
  clause: 'GET: expired needs the deadline, a grace period and a last fetch',
  rule: 'is not expired before its deadline',
  mend: 'Compare expires_at with the clock of the server in UTC.',
  async run(stage) {
    await expired(stage);
    const { seen } = await shortLived(stage);
    const deadline = parseTimestamp(seen.invoice?.expires_at ?? '');
    if (deadline === undefined) throw new NotRun('the invoice has no deadline');
    const early = stage.backend.log
      .filter(({ checkout }) => checkout === stage.checkout)
      .flatMap(({ json }) => checkoutSchema.safeParse(json).data ?? [])
      .find(({ status, server_time }) => status === 'expired' && (parseTimestamp(server_time) ?? deadline) < deadline);
    expect(
      early === undefined,
      `"expired" not before ${seen.invoice?.expires_at ?? ''}`,
      `at ${early?.server_time ?? ''}`,
    );
  },
};

const expiredAgain: Check = {
  id: 'expired.again',
  clause: 'POST: 201 + the checkout',
  rule: 'lets the payer ask for new requisites after the expiry',
  mend: 'An expired invoice is not alive: create a new one for the same method without `replace`.',
  async run(stage) {
    await expired(stage);
    await stage.sandbox().tidy();
    await expectNewInvoice(stage);
  },
};

export const expiring: Group = {
  title: 'Expired',
  checkout: 'fresh',
  sandbox: true,
  checks: [expiredSeen, expiredLate, expiredAgain],
};

const replacedPaid: Check = {
  id: 'replaced.paid',
  clause: 'GET: a paid invoice that the payer had left for another one still makes the checkout paid',
  rule: 'becomes paid when the invoice that was replaced is paid',
  mend: 'Go on fetching replaced invoices until they end; whichever is paid makes the checkout paid.',
  async run(stage) {
    const { invoiceId } = await started(stage);
    await withInvoice(stage, stage.checkout, true);
    await stage.sandbox().happen(invoiceId, 'pay');
    await untilStatus(stage, 'paid');
  },
};

export const replacing: Group = { title: 'Replaced', checkout: 'fresh', sandbox: true, checks: [replacedPaid] };

const unknownPending: Check = {
  id: 'unknown_status.pending',
  clause: 'GET: a status that is not in the configured lists is pending',
  rule: 'takes a status that it does not know as in progress',
  mend: 'Map known words to paid, failed and expired, and everything else to "pending", numbers too.',
  async run(stage) {
    const { invoiceId } = await started(stage);
    for (const status of ['ON_HOLD', 'PAID_PARTIALLY', 7]) {
      await stage.sandbox().setStatus(invoiceId, status);
      await stage.ports.sleep(stage.tempo.settleMs);
      const seen = await look(stage);
      expect(seen.status === 'pending', `"pending" at the service's ${status}`, summary(seen));
    }
  },
};

const unknownPaid: Check = {
  id: 'unknown_status.goes_on',
  clause: 'GET: a status that is not in the configured lists is pending',
  rule: 'goes on watching an invoice with a status that it does not know',
  mend: 'Stop watching at paid, failed and expired only.',
  async run(stage) {
    const { invoiceId } = await started(stage);
    await stage.sandbox().setStatus(invoiceId, 'ON_HOLD');
    await stage.ports.sleep(stage.tempo.settleMs);
    await stage.sandbox().setStatus(invoiceId, 'PAID');
    await untilStatus(stage, 'paid');
  },
};

export const unknownStatus: Group = {
  title: 'A status that nobody knows',
  checkout: 'fresh',
  sandbox: true,
  checks: [unknownPending, unknownPaid],
};
