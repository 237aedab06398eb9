import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failure } from '../../support/fake-invoice-service.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

/** Opens checkouts with an invoice each. */
async function openMany(harness: TestCheckoutServer, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    harness.id = await harness.createCheckout({ ...(await harness.loadRecord()).params, orderId: `order-${n}` });
    await harness.createInvoice();
    ids.push(harness.id);
  }
  return ids;
}

async function viewAll(harness: TestCheckoutServer, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    harness.id = id;
    await harness.getCheckout();
  }
}

interface FetchCall {
  readonly at: number;
  readonly requested: readonly string[];
}

/** Records each call of FetchInvoices from now on with its time; `before` runs first and may throw the call's error. */
function recordFetches(
  harness: TestCheckoutServer,
  before: (requested: readonly string[]) => void = () => undefined,
): { readonly calls: readonly FetchCall[] } {
  const calls: FetchCall[] = [];
  const fetch = harness.service.fetchInvoices.bind(harness.service);
  harness.service.fetchInvoices = async (requested) => {
    calls.push({ at: harness.clock.now(), requested });
    before(requested);
    return fetch(requested);
  };
  return { calls };
}

/** Starts another server on the store, the service and the clock of the first. */
function startSecondProcess({ store, clock, service }: TestCheckoutServer): TestCheckoutServer {
  const other = new TestCheckoutServer({ store, clock, service });
  other.server.start();
  return other;
}

const minute = 60_000;

test('fetches many invoices with one call a batch, and each invoice once a tick while payers view it', async () => {
  const harness = await TestCheckoutServer.open();
  const ids = await openMany(harness, 250);
  await harness.advance(4000);
  await viewAll(harness, ids);
  await harness.advance(4000);
  harness.service.fetched.length = 0;
  await harness.advance(10_000);
  assert.equal(harness.service.fetched.length, 15, 'three calls a tick of two seconds');
  assert.equal(harness.service.fetched.flat().length, 250 * 5);
  assert.ok(harness.service.fetched.every((batch) => batch.length <= 100));
});

test('fetches an invoice that nobody views with growing intervals, and delivers the outcome paid', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  await harness.advance(5 * minute);
  const after5 = harness.service.fetched.length;
  await harness.advance(5 * minute);
  const later = harness.service.fetched.length - after5;
  assert.ok(after5 >= 25 && after5 <= 32, `${after5} in the first five minutes`);
  assert.ok(later >= 10 && later <= 20, `${later} in the next five`);
  harness.service.setStatus('PAID');
  await harness.advance(minute);
  assert.deepEqual(
    harness.outcomes.map(({ kind, orderId }) => [kind, orderId]),
    [['paid', 'order-1']],
  );
  const paidAt = harness.service.fetched.length;
  await harness.advance(60 * minute);
  assert.equal(harness.service.fetched.length, paidAt, 'a paid invoice is never fetched again');
});

test('does not save a checkout whose status has not changed', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  await harness.advance(15_000); // the first fetch returns the word PENDING
  const { version } = await harness.loadRecord();
  await harness.advance(5 * minute);
  assert.equal((await harness.loadRecord()).version, version);
});

test('reports an invoice as expired only after a fetch that came after the deadline and the grace period', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  await harness.getCheckout();
  await harness.advance(15 * minute + 4000);
  const { checkout } = await harness.getCheckout();
  assert.equal(checkout.status, 'pending');
  assert.equal(checkout.invoice?.expires_in_ms, 0);
  await harness.advance(52_000);
  assert.equal((await harness.getCheckout()).checkout.status, 'pending');
  await harness.advance(8000);
  assert.equal((await harness.getCheckout()).checkout.status, 'expired');
  assert.deepEqual(
    harness.outcomes.map(({ kind }) => kind),
    ['expired'],
  );
});

test('no invoice expires while the service does not answer', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  harness.service.outage = { kind: 'fails', failure: 'unavailable' };
  await harness.advance(120 * minute);
  const { checkout } = await harness.getCheckout();
  assert.equal(checkout.status, 'pending');
  assert.equal(checkout.stale, true);
  harness.service.setStatus('PAID');
  harness.service.outage = undefined;
  await harness.advance(10_000);
  assert.equal((await harness.getCheckout()).checkout.status, 'paid');
  assert.deepEqual(
    harness.outcomes.map(({ kind }) => kind),
    ['paid'],
  );
});

for (const lateMs of [0, 1000, 2000, 6000, 30_000, 59_000, 90_000, 60 * minute, 180 * minute])
  test(`a payment ${lateMs} ms after the deadline makes the checkout paid`, async () => {
    const harness = await TestCheckoutServer.open();
    await harness.createInvoice();
    await harness.advance(15 * minute + lateMs);
    harness.service.setStatus('PAID');
    await harness.advance(Math.max(10_000, 1.1 * lateMs));
    assert.equal((await harness.getCheckout()).checkout.status, 'paid');
    assert.equal(harness.outcomes.at(-1)?.kind, 'paid');
  });

test('fetches an invoice that ended unpaid a few more times, and then never again', async () => {
  const harness = await TestCheckoutServer.open({}, { timing: { lateMs: 60 * minute } });
  await harness.createInvoice();
  harness.service.setStatus('EXPIRED');
  await harness.advance(3000);
  const { length } = harness.service.fetched;
  await harness.advance(80 * minute);
  const late = harness.service.fetched.length - length;
  assert.ok(late >= 8 && late <= 20, `${late} late fetches`);
  assert.equal((await harness.loadAttempts())[0]?.runAt, null);
});

test('an invoice that is missing in the response is not failed, and expires long after its deadline', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  harness.service.invoices.clear();
  await harness.advance(20 * minute);
  assert.equal((await harness.getCheckout()).checkout.status, 'pending');
  await harness.advance(10 * minute);
  assert.equal((await harness.getCheckout()).checkout.status, 'expired');
});

test('matches fetched invoices by identifier, in whatever order they come', async () => {
  const harness = await TestCheckoutServer.open();
  const ids = await openMany(harness, 3);
  const fetch = harness.service.fetchInvoices.bind(harness.service);
  harness.service.fetchInvoices = async (requested) => [...(await fetch(requested))].reverse();
  harness.service.setStatus('PAID', 'inv_2');
  await harness.advance(3000);
  const statuses = [];
  for (const id of ids) statuses.push((await harness.store.load(id))?.attempts[0]?.outcome);
  assert.deepEqual(statuses, ['pending', 'paid', 'pending']);
});

test('fetches the other invoices of a batch when the service refuses one identifier, within the rate limit', async () => {
  const harness = await TestCheckoutServer.open({}, { limits: { fetchesPerSecond: 5 } });
  const ids = await openMany(harness, 40);
  const { calls } = recordFetches(harness, (requested) => {
    if (requested.includes('inv_3')) throw failure('refused', 'not_found', 404);
  });
  for (const id of ['inv_1', 'inv_40']) harness.service.setStatus('PAID', id);
  await harness.advance(10_000);
  const outcomes = new Map<string, string | undefined>();
  for (const id of ids) {
    const attempt = (await harness.store.load(id))?.attempts[0];
    outcomes.set(attempt?.invoice?.id ?? '', attempt?.outcome);
  }
  assert.deepEqual(
    [...outcomes].filter(([, outcome]) => outcome !== 'pending'),
    [
      ['inv_1', 'paid'],
      ['inv_40', 'paid'],
    ],
  );
  assert.ok(
    calls.some(({ requested }) => requested.length === 1 && requested[0] === 'inv_3'),
    'the batch is split down to the refused identifier',
  );
  const inSecond = calls.map(({ at }) => calls.filter((call) => call.at >= at && call.at < at + 1000).length);
  assert.ok(Math.max(...inSecond) <= 6, `${Math.max(...inSecond)} calls in the busiest second`);
});

test('calls the service less often during an outage, and without a burst after it', async () => {
  const harness = await TestCheckoutServer.open();
  const ids = await openMany(harness, 1000);
  await viewAll(harness, ids);
  await harness.advance(10_000);
  harness.service.outage = { kind: 'fails', failure: 'unavailable' };
  harness.service.fetched.length = 0;
  await harness.advance(minute);
  const during = harness.service.fetched.length;
  assert.ok(during <= 80, `${during} calls in a minute, against 300 without an outage`);
  harness.service.outage = undefined;
  await viewAll(harness, ids);
  harness.service.fetched.length = 0;
  let busiest = 0;
  for (let second = 0; second < 10; second += 1) {
    const before = harness.service.fetched.length;
    await harness.advance(1000);
    busiest = Math.max(busiest, harness.service.fetched.length - before);
  }
  assert.ok(busiest <= 60, `${busiest} calls in the busiest second`);
  assert.equal(new Set(harness.service.fetched.flat()).size, 1000, 'all are fetched within ten seconds');
});

test('calls that hang are aborted, and polling continues', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  harness.service.fetchFaults.push({ kind: 'hangs', until: new Promise(() => undefined) });
  harness.service.setStatus('PAID');
  await harness.advance(15_000);
  assert.equal((await harness.getCheckout()).checkout.status, 'paid');
});

test('polling continues after the store has failed for a while', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  const original = { ...harness.store };
  harness.store.claimDueAttempts = () => Promise.reject(new Error('disk'));
  await harness.advance(10_000);
  Object.assign(harness.store, original);
  harness.store.save = () => Promise.reject(new Error('disk'));
  harness.service.setStatus('PAID');
  await harness.advance(10_000);
  assert.equal((await harness.getCheckout()).checkout.status, 'pending');
  Object.assign(harness.store, original);
  await harness.advance(10_000);
  assert.equal((await harness.getCheckout()).checkout.status, 'paid');
  assert.deepEqual(
    harness.outcomes.map(({ kind }) => kind),
    ['paid'],
  );
});

test('two processes on one store fetch each invoice that a payer views once a tick', async () => {
  const harness = await TestCheckoutServer.open();
  const ids = await openMany(harness, 150);
  const other = startSecondProcess(harness);
  await viewAll(harness, ids);
  await harness.advance(6000);
  await viewAll(harness, ids);
  const { calls } = recordFetches(harness);
  await harness.advance(20_000);
  for (const id of harness.service.invoices.keys()) {
    const ticks = calls.filter(({ requested }) => requested.includes(id)).map(({ at }) => Math.floor(at / 2000));
    const pauses = ticks.slice(1).map((tick, index) => tick - (ticks[index] ?? 0));
    assert.deepEqual(
      pauses.filter((pause) => pause !== 1),
      [],
      `${id} is fetched in the ticks ${ticks.join()}`,
    );
    assert.ok(ticks.length >= 9, `${id} is fetched in ${ticks.length} of ten ticks`);
  }
  await harness.server.stop();
  await other.server.stop();
});

test('a second process on the store fetches all invoices when the first one stops', async () => {
  const harness = await TestCheckoutServer.open();
  await openMany(harness, 150);
  const other = startSecondProcess(harness);
  await harness.advance(6000);
  await harness.server.stop();
  harness.service.fetched.length = 0;
  harness.service.setStatus('PAID', 'inv_7');
  await harness.advance(30_000);
  assert.equal(new Set(harness.service.fetched.flat()).size, 150);
  assert.deepEqual(harness.outcomes, []);
  assert.deepEqual(
    other.outcomes.map(({ invoiceId }) => invoiceId),
    ['inv_7'],
  );
  await other.server.stop();
});

test('stop() leaves no timer', async () => {
  const harness = await TestCheckoutServer.open();
  await harness.createInvoice();
  await harness.advance(5000);
  await harness.server.stop();
  assert.equal(harness.fakeClock.pending, 0);
});
