import assert from 'node:assert/strict';
import { invoicesOf } from '../../../src/server/domain/checkout-status.ts';
import { test } from 'node:test';
import { defaultTiming } from '../../../src/server/timing-and-limit-defaults.ts';
import { assertFollowsTable } from '../../support/fetch-schedule.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

/** Creates checkouts with an invoice each, and returns their identifiers. */
async function createCheckouts(harness: TestCheckoutServer, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) {
    harness.id = await harness.createCheckout({ ...(await harness.loadRecord()).params, orderId: `order-${n}` });
    await harness.createInvoice({ address: `2001:db8:0:${n.toString(16)}::1` });
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
  readonly requestedIds: readonly string[];
}

/** Records each call of FetchInvoices from now on with its time. `beforeCall` runs first, and may throw the call's error. */
function recordFetches(
  harness: TestCheckoutServer,
  beforeCall: (requestedIds: readonly string[]) => void = () => undefined,
): { readonly calls: readonly FetchCall[] } {
  const calls: FetchCall[] = [];
  const fetch = harness.service.fetchInvoices.bind(harness.service);
  harness.service.fetchInvoices = async (requestedIds) => {
    calls.push({ at: Math.round(harness.clock.now()), requestedIds }); // as the server reads it
    beforeCall(requestedIds);
    return fetch(requestedIds);
  };
  return { calls };
}

const minute = 60_000;

test('many viewed invoices are fetched in batches of at most 100, and each invoice once a tick', async () => {
  const harness = await TestCheckoutServer.open();
  const ids = await createCheckouts(harness, 250);
  await harness.advance(4000);
  await viewAll(harness, ids);
  await harness.advance(5000); // between two ticks
  harness.service.fetchRequests.length = 0;
  await harness.advance(10_000);
  assert.equal(harness.service.fetchRequests.length, 15, 'three calls a tick of two seconds');
  assert.equal(harness.service.fetchRequests.flat().length, 250 * 5);
  assert.ok(harness.service.fetchRequests.every((batch) => batch.length <= 100));
});

/** How late a fetch may be: a tick, and the pause after a claim. */
const lateByMs = defaultTiming.fastMs + 100;
const schedule = { timing: defaultTiming, lateByMs };

test('the fetches of a viewed invoice follow the table of the schedule, and a paid invoice is not fetched', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const [invoice] = await harness.loadInvoices();
  assert.ok(invoice);
  const { calls } = recordFetches(harness);
  for (let second = 0; second < 120; second += 5) {
    await harness.getCheckout();
    await harness.advance(5000);
  }
  assert.ok(calls.length >= 58, `${calls.length} fetches in two minutes`);
  const fetchedAt = calls.map(({ at }) => at);
  assertFollowsTable(fetchedAt.slice(1), invoice, true, schedule);
  harness.service.setStatus('PAID');
  await harness.advance(5000);
  const { length } = calls;
  await harness.advance(60 * minute);
  assert.equal(calls.length, length);
});

for (const word of ['PENDING', 'FAILED'] as const)
  test(`the fetches of an invoice that nobody views follow the table of the schedule, with the status ${word}`, async () => {
    const harness = await TestCheckoutServer.openWithInvoice();
    const [invoice] = await harness.loadInvoices();
    assert.ok(invoice?.expiresAt);
    const { calls } = recordFetches(harness);
    if (word === 'FAILED') harness.service.setStatus(word);
    await harness.advance(180 * minute);
    const graceEndsAt = invoice.expiresAt + defaultTiming.graceMs;
    const fetchedAt = calls.map(({ at }) => at);
    const endedAt = word === 'FAILED' ? (fetchedAt[0] ?? NaN) : graceEndsAt;
    const before = fetchedAt.filter((at) => at < endedAt);
    const after = fetchedAt.filter((at) => at > endedAt + defaultTiming.fastMs);
    assertFollowsTable(before.slice(1), invoice, false, schedule);
    assertFollowsTable(after, { ...invoice, outcome: word === 'FAILED' ? 'failed' : 'expired' }, false, schedule);
    assert.ok(after.length > 5, `${after.length} fetches after the end`);
    for (const dueAt of word === 'FAILED' ? [] : [invoice.expiresAt, graceEndsAt])
      assert.ok(
        fetchedAt.some((at) => at >= dueAt && at <= dueAt + lateByMs),
        'fetched on time',
      );
  });

test('a fetch that changes no status does not save the checkout', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  await harness.advance(15_000); // the first fetch returns the word PENDING
  const { version } = await harness.loadRecord();
  await harness.advance(5 * minute);
  assert.equal((await harness.loadRecord()).version, version);
});

for (const lateMs of [0, 2000, 59_000, 90_000])
  test(`a payment ${lateMs} ms after the deadline makes the checkout paid`, async () => {
    const harness = await TestCheckoutServer.openWithInvoice();
    await harness.advance(15 * minute + lateMs);
    harness.service.setStatus('PAID');
    await harness.advance(Math.max(10_000, 1.1 * lateMs));
    assert.equal((await harness.getCheckout()).checkout.status, 'paid');
    assert.equal(harness.outcomes.at(-1)?.kind, 'paid');
  });

test('an invoice that is missing in the responses stays pending, and expires long after its deadline', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  harness.service.invoices.clear();
  await harness.advance(20 * minute);
  assert.equal((await harness.getCheckout()).checkout.status, 'pending');
  await harness.advance(10 * minute);
  assert.equal((await harness.getCheckout()).checkout.status, 'expired');
});

test('the service is called less often during an outage, and without a burst after the outage', async () => {
  const harness = await TestCheckoutServer.open();
  const ids = await createCheckouts(harness, 1000);
  await viewAll(harness, ids);
  await harness.advance(10_000);
  harness.service.outage = { kind: 'fails', failure: 'unavailable' };
  harness.service.fetchRequests.length = 0;
  await harness.advance(minute);
  const callsInOutage = harness.service.fetchRequests.length;
  assert.ok(callsInOutage <= 80, `${callsInOutage} calls in a minute, against 300 without an outage`);
  harness.service.outage = undefined;
  await viewAll(harness, ids);
  harness.service.fetchRequests.length = 0;
  let maxCallsPerSecond = 0;
  for (let second = 0; second < 10; second += 1) {
    const callsBefore = harness.service.fetchRequests.length;
    await harness.advance(1000);
    maxCallsPerSecond = Math.max(maxCallsPerSecond, harness.service.fetchRequests.length - callsBefore);
  }
  assert.ok(maxCallsPerSecond <= 60, `${maxCallsPerSecond} calls in the busiest second`);
  assert.equal(new Set(harness.service.fetchRequests.flat()).size, 1000, 'all are fetched within ten seconds');
});

test('a FetchInvoices that hangs is aborted, and polling continues', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  harness.service.fetchFaults.push({ kind: 'hangs', until: new Promise(() => undefined) });
  harness.service.setStatus('PAID');
  await harness.advance(15_000);
  assert.equal((await harness.getCheckout()).checkout.status, 'paid');
});

test('two processes on one store fetch each invoice that a payer views once a tick', async () => {
  const harness = await TestCheckoutServer.open();
  const ids = await createCheckouts(harness, 150);
  const otherProcess = harness.otherProcess();
  otherProcess.server.start();
  await viewAll(harness, ids);
  await harness.advance(6000);
  await viewAll(harness, ids);
  const { calls } = recordFetches(harness);
  await harness.advance(20_000);
  for (const id of harness.service.invoices.keys()) {
    const ticks = calls
      .filter(({ requestedIds }) => requestedIds.includes(id))
      .map(({ at }) => Math.floor(Math.round(at) / 2000));
    const pauses = ticks.slice(1).map((tick, index) => tick - (ticks[index] ?? 0));
    assert.deepEqual(
      pauses.filter((pause) => pause !== 1),
      [],
      `${id} is fetched in the ticks ${ticks.join()}`,
    );
    assert.ok(ticks.length >= 9, `${id} is fetched in ${ticks.length} of ten ticks`);
  }
  await harness.server.stop();
  await otherProcess.server.stop();
});

test('no batch is claimed before it may be sent, so that the invoice of a webhook is in the next call', async () => {
  const harness = await TestCheckoutServer.open();
  let allowedAt = 0;
  harness.service.waitMs = () => Math.max(0, allowedAt - harness.clock.now());
  const ids = await createCheckouts(harness, 450);
  await viewAll(harness, ids);
  const { calls } = recordFetches(harness, () => {
    assert.equal(harness.service.waitMs('FetchInvoices'), 0, 'a batch was claimed before it may be sent');
    allowedAt = harness.clock.now() + 900;
  });
  await harness.advance(9000);
  assert.ok(calls.length >= 8, `${calls.length} calls`);
  for (const index of [449, 10, 250, 130, 370]) {
    harness.id = ids[index] ?? '';
    await harness.sendWebhook();
    await harness.advance(2000); // a webhook causes no fetch within a second of the last one
    const [attempt] = invoicesOf(await harness.loadRecord());
    assert.ok(calls.slice(-2).some(({ requestedIds }) => requestedIds.includes(attempt?.invoice.id ?? '')));
  }
});

test('while more invoices are due, the poller leaves a slow database almost as much time as its claims take', async () => {
  const harness = await TestCheckoutServer.open();
  const ids = await createCheckouts(harness, 450);
  await viewAll(harness, ids);
  const claims: { readonly from: number; to: number; count: number }[] = [];
  const claim = harness.store.claimDueAttempts.bind(harness.store);
  harness.store.claimDueAttempts = async (...args) => {
    const entry = { from: harness.clock.now(), to: Infinity, count: 0 };
    claims.push(entry);
    await new Promise<void>((resolve) => harness.clock.schedule(300, resolve));
    const due = await claim(...args);
    Object.assign(entry, { to: harness.clock.now(), count: due.length });
    return due;
  };
  await harness.advance(10_000);
  const pauses = claims.flatMap(({ to, count }, index) =>
    count === 100 ? [(claims[index + 1]?.from ?? Infinity) - to] : [],
  );
  assert.ok(pauses.length > 4, `${pauses.length} full batches`);
  assert.ok(
    pauses.every((pause) => pause >= 240),
    pauses.join(),
  );
});

test('a status word in no list is logged once, and ends no invoice', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  harness.service.setStatus('SUCCEEDED');
  await harness.advance(30_000);
  const entries = harness.logEntries.filter(({ event }) => event === 'status_unknown');
  assert.deepEqual(
    entries.map(({ level, facts }) => [level, 'status' in facts && facts.status]),
    [['error', 'SUCCEEDED']],
  );
  assert.equal((await harness.getCheckout()).checkout.status, 'pending');
});

test('an invoice with a status word that the merchant has listed as pending expires by time', async () => {
  const harness = await TestCheckoutServer.openWithInvoice({}, { statuses: { pending: ['PENDING', 'HELD_BY_BANK'] } });
  harness.service.setStatus('HELD_BY_BANK');
  await harness.advance(20 * 60_000);
  assert.equal((await harness.getCheckout()).checkout.status, 'expired');
  assert.ok(!harness.loggedEvents().includes('status_unknown'));
});
