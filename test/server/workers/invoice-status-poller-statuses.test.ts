import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

test('the merchant sets the status words for paid, and the default words no longer count', async () => {
  const statuses = { paid: ['Done', ' SETTLED '], failed: [], expired: [] };
  const harness = await TestCheckoutServer.openWithInvoice({}, { statuses });
  harness.service.setStatus('PAID');
  await harness.advance(3000);
  assert.equal((await harness.getCheckout()).checkout.status, 'pending');
  harness.service.setStatus('settled');
  await harness.advance(3000);
  assert.equal((await harness.getCheckout()).checkout.status, 'paid');
});

for (const [status, isLogged] of [
  ['SUCCEEDED', true],
  [' pending ', false],
] as const)
  test(`the status word ${JSON.stringify(status)} is ${isLogged ? 'logged once as unlisted' : 'not logged as unlisted'}`, async () => {
    const harness = await TestCheckoutServer.openWithInvoice();
    harness.service.setStatus(status);
    await harness.advance(30_000);
    const entries = harness.logEntries.filter(({ event }) => event === 'status_unknown');
    assert.equal(entries.length, isLogged ? 1 : 0);
    if (!isLogged) return;
    assert.deepEqual([entries[0]?.level, { status: '', ...entries[0]?.facts }.status], ['error', status]);
    assert.equal((await harness.getCheckout()).checkout.status, 'pending');
  });

test('a status word that the merchant has listed as paid is not logged as unlisted', async () => {
  const harness = await TestCheckoutServer.openWithInvoice(
    {},
    { statuses: { paid: ['SUCCEEDED'], failed: [], expired: [] } },
  );
  harness.service.setStatus('Succeeded');
  await harness.advance(10_000);
  assert.equal((await harness.getCheckout()).checkout.status, 'paid');
  assert.ok(!harness.loggedEvents().includes('status_unknown'));
});

test('an invoice with a status word that the merchant has listed as pending expires by time', async () => {
  const harness = await TestCheckoutServer.openWithInvoice({}, { statuses: { pending: ['PENDING', 'HELD_BY_BANK'] } });
  harness.service.setStatus('HELD_BY_BANK');
  await harness.advance(20 * 60_000);
  assert.equal((await harness.getCheckout()).checkout.status, 'expired');
  assert.ok(!harness.loggedEvents().includes('status_unknown'));
});
