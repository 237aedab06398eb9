import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

const second = 1000;
const minute = 60 * second;

for (const status of ['FAILED', 'EXPIRED'])
  for (const ask of ['a check', 'a create'])
    test(`${ask} after an invoice that was ${status} asks the service at once, and finds a late payment`, async () => {
      const harness = await TestCheckoutServer.openWithInvoice();
      harness.service.setStatus(status);
      await harness.advance(20 * minute);
      assert.notEqual((await harness.getCheckout()).checkout.status, 'pending');
      await harness.advance(5 * second);
      harness.service.setStatus('PAID');
      if (ask === 'a create') {
        const { problem } = await harness.until(harness.createInvoice({ key: 'key-2' }));
        assert.equal(problem.code, 'already_paid');
        assert.equal(harness.service.invoices.size, 1);
      } else assert.equal((await harness.until(harness.getCheckout({}, '?check=1'))).status, 200);
      assert.equal((await harness.getCheckout()).checkout.status, 'paid');
    });

test('a check says when the service was asked, and never answers 304', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  await harness.advance(10 * second);
  const before = await harness.getCheckout();
  const pressedAt = harness.clock.now();
  const { status, checkout } = await harness.until(harness.getCheckout({ 'if-none-match': before.etag }, '?check=1'));
  assert.equal(status, 200);
  assert.ok(Date.parse(checkout.invoice?.checked_at ?? '') >= Math.floor(pressedAt) - 1);
});

test('a check whose answer is without the invoice does not move the time at which it was checked', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  await harness.advance(10 * second);
  const before = (await harness.getCheckout()).checkout.invoice?.checked_at;
  await harness.advance(minute);
  harness.service.invoices.clear();
  const { checkout } = await harness.until(harness.getCheckout({}, '?check=1'));
  assert.ok(Date.parse(checkout.invoice?.checked_at ?? '') < harness.clock.now() - second, before ?? 'never');
});

for (const isKnown of [true, false])
  test(`many checks at once are one fetch a second of an invoice that the service ${isKnown ? 'knows' : 'does not know'}`, async () => {
    const harness = await TestCheckoutServer.openWithInvoice();
    harness.service.setStatus('FAILED');
    await harness.advance(minute);
    if (!isKnown) harness.service.invoices.clear();
    harness.service.fetchRequests.length = 0;
    const checks = Array.from({ length: 50 }, () => harness.getCheckout({}, '?check=1'));
    await harness.until(Promise.all(checks));
    assert.ok(harness.service.fetchRequests.length <= 2, `${harness.service.fetchRequests.length} fetches`);
  });

test('a check is answered within ten seconds when the service does not answer', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  await harness.advance(10 * second);
  harness.service.outage = { kind: 'fails', failure: 'unavailable' };
  const pressedAt = harness.clock.now();
  const { status, checkout } = await harness.until(harness.getCheckout({}, '?check=1'));
  assert.equal(status, 200);
  assert.ok(Date.parse(checkout.invoice?.checked_at ?? '') < pressedAt);
  assert.ok(harness.clock.now() - pressedAt <= 12 * second);
});

test('an invoice whose time is up is fetched before another one takes its place', async () => {
  const harness = await TestCheckoutServer.openWithInvoice({}, { timing: { graceMs: minute } });
  await harness.advance(15 * minute + 2.5 * second);
  harness.service.setStatus('PAID');
  const { problem } = await harness.until(harness.createInvoice({ key: 'key-2', replace: true }));
  assert.equal(problem.code, 'already_paid');
});

test('a new invoice after a failed one is refused with 503 while the failed one cannot be fetched', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  harness.service.setStatus('FAILED');
  await harness.advance(minute);
  harness.service.fetchFaults.push(
    ...Array.from({ length: 50 }, () => ({ kind: 'fails', failure: 'unavailable' }) as const),
  );
  const requestedAt = harness.clock.now();
  const { status, problem, headers } = await harness.until(harness.createInvoice({ key: 'key-2' }));
  assert.deepEqual([status, problem.code], [503, 'try_again']);
  assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.ok(harness.clock.now() - requestedAt <= 7 * second);
  assert.equal(harness.service.invoices.size, 1);
  harness.service.fetchFaults.length = 0;
  await harness.advance(10 * second);
  assert.equal((await harness.until(harness.createInvoice({ key: 'key-2' }))).status, 201);
});
