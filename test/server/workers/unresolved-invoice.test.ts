import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

// The end of polling of an invoice that may still be paid is told to the shop.

/** How long the tests poll an invoice: short, because each second costs several rounds of the workers. */
const hourMs = 3_600_000;
const timing = { lateMs: hourMs, endlessMs: hourMs };

for (const [title, prepare] of [
  ['with a status word in no list', (harness: TestCheckoutServer) => harness.service.setStatus('HELD_BY_BANK')],
  ['without a deadline', () => undefined],
] as const)
  test(`an invoice ${title} that is no longer polled gives invoice_unresolved once, and an error in the log`, async () => {
    const harness = await TestCheckoutServer.open({}, { timing });
    if (title === 'without a deadline') harness.service.lifetimeMs = undefined;
    await harness.createInvoice();
    prepare(harness);
    await harness.advance(2 * hourMs);
    const kinds = (): readonly string[] => harness.outcomes.map(({ kind }) => kind);
    assert.deepEqual(kinds(), ['invoice_unresolved']);
    const entry = harness.logEntries.find(({ event }) => event === 'outcome_invoice_unresolved');
    assert.equal(entry?.level, 'error');
    await harness.sendWebhook(); // one more fetch, which changes nothing
    await harness.advance(hourMs / 4);
    assert.deepEqual(kinds(), ['invoice_unresolved']);
    harness.service.setStatus('PAID');
    await harness.sendWebhook();
    await harness.advance(5000);
    assert.deepEqual(kinds(), ['invoice_unresolved', 'paid']);
  });

test('an unresolved invoice is fetched again when a server starts whose lists have its status word', async () => {
  const harness = await TestCheckoutServer.openWithInvoice({}, { timing });
  harness.service.setStatus('SETTLED');
  await harness.advance(2 * hourMs);
  assert.deepEqual(harness.outcomeKinds(), ['invoice_unresolved']);
  await harness.server.stop();
  const options = { store: harness.store, service: harness.service, clock: harness.clock, timing };
  const restarted = new TestCheckoutServer({ ...options, statuses: { paid: ['PAID', 'Settled'] } });
  restarted.server.start();
  await harness.advance(5000);
  assert.deepEqual(restarted.outcomeKinds(), ['paid']);
});
