import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyFetchedStatus } from '../../support/apply-with-outcomes.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

test('one invoice that the service returned for two requests is one payment, reported as paid', async () => {
  const harness = await TestCheckoutServer.open();
  const { service } = harness;
  const firstResponse = await harness.createInvoice();
  const create = service.createInvoice.bind(service);
  service.createInvoice = async (request) => ({
    ...(await create(request)),
    id: firstResponse.checkout.invoice?.id ?? '',
  });
  const secondResponse = await harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true });
  assert.equal(secondResponse.checkout.invoice?.id, 'inv_1');
  service.setStatus('PAID', 'inv_1');
  await harness.advance(15_000);
  assert.deepEqual(
    harness.outcomes.map(({ kind, invoiceId }) => [kind, invoiceId]),
    [['paid', 'inv_1']],
    'nobody refunds the only payment',
  );
});

test('one invoice that the service returned for two requests with different amounts is paid for the request with its amount', async () => {
  const harness = await TestCheckoutServer.open({ amount: null });
  const { service } = harness;
  const firstResponse = await harness.createInvoice({ amount: '1500.00' });
  const create = service.createInvoice.bind(service);
  const id = firstResponse.checkout.invoice?.id ?? '';
  service.createInvoice = async (request) => ({ ...(await create(request)), id, amount: '1500.00' });
  await harness.createInvoice({ key: 'key-2', amount: '1600.00', replace: true });
  const record = await harness.loadRecord();
  const [firstAttempt, secondAttempt] = record.attempts;
  assert.ok(firstAttempt && secondAttempt);
  const result = {
    fetched: { id, status: 'PAID', amount: '1500.00' },
    requestedAt: harness.clock.now(),
    deadlineNow: harness.clock.now(),
  };
  const rules = {
    statuses: { paid: ['PAID'], failed: [], expired: [], pending: [] },
    timing: { graceMs: 0 },
    mode: 'TEST',
  } as const;
  const kinds: string[] = [];
  let latestRecord = record;
  // The fetch result is first applied to the attempt with the other amount.
  for (const { externalId } of [secondAttempt, firstAttempt]) {
    const update = applyFetchedStatus(latestRecord, externalId, result, rules, () => null, harness.clock.now());
    kinds.push(...(update?.outcomes ?? []).map(({ kind }) => kind));
    latestRecord = update?.record ?? latestRecord;
  }
  assert.deepEqual(kinds, ['amount_mismatch', 'paid']);
});

test('an expired invoice that the service returns for a later request keeps its deadline', async () => {
  const harness = await TestCheckoutServer.open();
  const { service } = harness;
  const firstResponse = await harness.createInvoice();
  await harness.advance(20 * 60_000);
  const id = firstResponse.checkout.invoice?.id ?? '';
  const expiredInvoice = service.invoices.get(id);
  const deadline = (await harness.loadInvoices())[0]?.expiresAt;
  assert.ok(expiredInvoice && deadline);
  service.createInvoice = () =>
    Promise.resolve({ ...expiredInvoice, id, expires_at: new Date(deadline).toISOString() });
  await harness.until(harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true }));
  const attempts = await harness.loadInvoices();
  assert.deepEqual(
    attempts.map(({ invoice, expiresAt }) => [invoice.id, expiresAt]),
    Array(2).fill([id, deadline]),
  );
  assert.ok(!harness.logEntries.some(({ event }) => event === 'deadline_unreadable'));
});
