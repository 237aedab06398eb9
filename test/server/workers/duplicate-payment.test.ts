import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyFetchedStatus } from '../../../src/server/domain/apply-fetched-status.ts';
import { checkoutParams, TestCheckoutServer } from '../../support/test-checkout-server.ts';

// A second payment for an order is a duplicate, even when it belongs to another checkout of the order (row 43). Older versions
// could create several checkouts of an order, and these checkouts are still stored.

/** Opens a server whose store has `count` checkouts of one order, each with an invoice. Returns the checkouts' identifiers. */
async function openWithCheckouts(count: number): Promise<{ harness: TestCheckoutServer; ids: readonly string[] }> {
  const harness = await TestCheckoutServer.open();
  const ids = [harness.id];
  await harness.createInvoice();
  for (let n = 1; n < count; n += 1) {
    harness.id = await harness.createCheckout({ orderId: `temporary-${n}` });
    const { params, version, ...record } = await harness.loadRecord();
    const checkoutOfSameOrder = {
      ...record,
      version: version + 1,
      params: { ...params, orderId: checkoutParams.orderId },
    };
    assert.ok(await harness.store.save(checkoutOfSameOrder, []));
    await harness.createInvoice();
    ids.push(harness.id);
  }
  return { harness, ids };
}

test('a payment by another checkout of a paid order is a duplicate_payment with an error in the log', async () => {
  const { harness, ids } = await openWithCheckouts(2);
  harness.service.setStatus('PAID', 'inv_1');
  await harness.advance(3000);
  harness.service.setStatus('PAID', 'inv_2');
  await harness.advance(15_000);
  assert.deepEqual(
    harness.outcomes.map(({ kind, checkoutId, invoiceId, sequence }) => [kind, checkoutId, invoiceId, sequence]),
    [
      ['paid', ids[0], 'inv_1', 1],
      ['duplicate_payment', ids[1], 'inv_2', 1],
    ],
  );
  assert.equal(harness.outcomes[1]?.id.endsWith('.duplicate_payment'), true);
  const events = harness.logEntries.filter(({ level }) => level === 'error').map(({ event }) => event);
  assert.deepEqual(events, ['outcome_duplicate_payment']);
  assert.equal((await harness.getCheckout()).checkout.status, 'paid', 'the payer of the second checkout has paid');
});

test('four checkouts of one order that are paid at the same time lead to one paid and three duplicate_payment outcomes', async () => {
  const { harness } = await openWithCheckouts(4);
  for (const id of harness.service.invoices.keys()) harness.service.setStatus('PAID', id);
  await harness.advance(15_000);
  const kinds = harness.outcomes.map(({ kind }) => kind).sort();
  assert.deepEqual(kinds, ['duplicate_payment', 'duplicate_payment', 'duplicate_payment', 'paid']);
});

test('two processes that find both payments of an order at the same time report one payment as paid and one as a duplicate', async () => {
  const { harness, ids } = await openWithCheckouts(2);
  const isPaid = harness.store.isPaidByOtherCheckout.bind(harness.store);
  let calls = 0;
  // Both processes read that the order is not paid before one of them saves.
  harness.store.isPaidByOtherCheckout = async (...args) => (++calls <= 2 ? false : isPaid(...args));
  for (const id of harness.service.invoices.keys()) harness.service.setStatus('PAID', id);
  await harness.advance(15_000);
  assert.ok(calls > 2, 'the second process decided a second time');
  assert.deepEqual(harness.outcomes.map(({ kind }) => kind).sort(), ['duplicate_payment', 'paid']);
  assert.equal(new Set(harness.outcomes.map(({ checkoutId }) => checkoutId)).size, ids.length);
});

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
    timing: { graceMs: 0, missingGraceMs: 0 },
  };
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
  const deadline = (await harness.loadAttempts())[0]?.expiresAt;
  assert.ok(expiredInvoice && deadline);
  service.createInvoice = () =>
    Promise.resolve({ ...expiredInvoice, id, expires_at: new Date(deadline).toISOString() });
  await harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true });
  const attempts = await harness.loadAttempts();
  assert.deepEqual(
    attempts.map(({ invoice, expiresAt }) => [invoice?.id, expiresAt]),
    Array(2).fill([id, deadline]),
  );
  assert.ok(!harness.logEntries.some(({ event }) => event === 'deadline_unreadable'));
});
