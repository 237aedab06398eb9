import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { suite, test, type TestContext } from 'node:test';
import { createInvoiceServiceClient, type Outcome } from '../../src/server.ts';
import { alignToTick, sleep, systemClock } from '../../src/base/clock.ts';
import { defaultTiming } from '../../src/server/timing-and-limit-defaults.ts';
import { viewedForMs } from '../../src/server/workers/record-viewed-checkouts.ts';
import { assertFollowsTable } from '../support/fetch-schedule.ts';
import { startRecordingService, type RecordingService } from '../support/recording-service.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

// What the wire shows of the polling, on the system's clock, compared with the one table of the schedule: the fetches of a viewed
// and of an unviewed invoice, at the deadline and in the grace period, after paid, failed and expired, and their batches.

/** The real schedule, ten times as fast: a tick of 2 s is 200 ms here. */
const timing = {
  ...defaultTiming,
  fastMs: 200,
  slowMs: 1000,
  slowestMs: 3000,
  graceMs: 3000,
  lateMs: 30_000,
};
/** How late a fetch is at most where nothing else runs: a tick, the pause after a claim, and the way. */
const usualLateMs = timing.fastMs + 100 + 250;

interface Wire {
  readonly service: RecordingService;
  readonly outcomes: readonly Outcome[];
  /** The status word of each invoice; absent: `PENDING`. */
  readonly statuses: Map<string, string>;
  /** Creates an order with an invoice, which expires at `expiresAt`; resolves with the identifier of its checkout. */
  readonly createInvoice: (orderId: string, expiresAt?: number) => Promise<string>;
  readonly read: (id: string) => Promise<void>;
  /** How late a fetch may have been until now: the turns of this process, in which everything runs, show how busy the machine is. */
  readonly lateByMs: () => number;
  /** When the service received the requests to fetch an invoice. Milliseconds since 1970, as all times here. */
  readonly fetchesOf: (orderId: string) => readonly number[];
}

async function openWire(t: TestContext): Promise<Wire> {
  const turns = monitorEventLoopDelay({ resolution: 10 });
  turns.enable();
  const statuses = new Map<string, string>();
  const deadlines = new Map<string, number>();
  const service = await startRecordingService(({ operation, body }) => {
    if (operation === 'FetchPaymentOptions')
      return { body: { options: [{ id: 'pm', type: 'CARD', name: 'Card', available: true, limits: {} }] } };
    if (operation === 'CreateInvoice') {
      const { amount, external_id, metadata } = body;
      const orderId =
        typeof metadata === 'object' && metadata !== null ? String(Reflect.get(metadata, 'order_id')) : '';
      const expires_at = new Date(deadlines.get(orderId) ?? Date.now() + 3_600_000).toISOString();
      return { body: { id: orderId, amount, external_id, expires_at, sbp: { phone: '+79990000000' } } };
    }
    const ids = Array.isArray(body['ids']) ? body['ids'].map(String) : [];
    return { body: { invoices: ids.map((id) => ({ id, status: statuses.get(id) ?? 'PENDING' })) } };
  });
  const harness = new TestCheckoutServer({
    service: createInvoiceServiceClient({ baseUrl: service.url, token: 'token', log: () => undefined }),
    clock: systemClock,
    timing,
  });
  harness.server.start();
  t.after(async () => {
    await harness.server.stop();
    await service.close();
  });
  return {
    service,
    outcomes: harness.outcomes,
    statuses,
    lateByMs: () => usualLateMs + (2 * turns.max) / 1e6,
    async createInvoice(orderId, expiresAt) {
      if (expiresAt !== undefined) deadlines.set(orderId, expiresAt);
      harness.id = await harness.createCheckout({ orderId });
      assert.equal((await harness.createInvoice({ key: orderId, method: 'pm' })).status, 201);
      return harness.id;
    },
    async read(id) {
      harness.id = id;
      await harness.getCheckout();
    },
    fetchesOf(orderId) {
      return service.requests
        .filter(({ operation, body }) => operation === 'FetchInvoices' && [body['ids']].flat().includes(orderId))
        .map(({ at }) => at);
    },
  };
}

suite('the wire shows the schedule', () => {
  test('of a viewed and an unviewed invoice, whose fetches share batches, and of an invoice that is paid', async (t) => {
    const { service, statuses, createInvoice, read, fetchesOf, outcomes, ...wire } = await openWire(t);
    const createdAt = Date.now();
    const viewed = await createInvoice('viewed');
    await createInvoice('unviewed');
    const paid = await createInvoice('paid');
    await read(paid);
    let paidAt = 0;
    for (let second = 0; second < 8; second += 1) {
      await read(viewed);
      await sleep(systemClock, 1000);
      if (second !== 3) continue;
      paidAt = Date.now();
      statuses.set('paid', 'PAID');
    }
    const lateByMs = wire.lateByMs();
    const schedule = { timing, lateByMs };
    const viewedFetches = fetchesOf('viewed');
    assert.ok(viewedFetches.length <= 8000 / timing.fastMs + 6, `${viewedFetches.length} fetches in 8 s`);
    assertFollowsTable(viewedFetches.slice(1), { outcome: 'pending', createdAt, expiresAt: null }, true, schedule);
    assertFollowsTable(
      fetchesOf('unviewed').slice(1),
      { outcome: 'pending', createdAt, expiresAt: null },
      false,
      schedule,
    );
    const paidFetches = fetchesOf('paid');
    assert.ok(Math.max(...paidFetches) <= paidAt + lateByMs, 'a paid invoice is fetched no more');
    assert.deepEqual(
      outcomes.map(({ kind, orderId }) => [kind, orderId]),
      [['paid', 'paid']],
    );
    const batches = service.requests.filter(({ operation }) => operation === 'FetchInvoices');
    const shared = batches.filter(({ body }) => [body['ids']].flat().length > 1);
    assert.ok(shared.length >= paidFetches.length - 3, `${shared.length} batches with several invoices`);
    // The viewer is gone: after `viewedForMs` the invoice is fetched as an unviewed one.
    await sleep(systemClock, viewedForMs + usualLateMs);
    const before = fetchesOf('viewed').length;
    await sleep(systemClock, 4000);
    assert.ok(fetchesOf('viewed').length - before <= 5, `${fetchesOf('viewed').length - before} fetches in 4 s`);
  });

  test('at the deadline, in the grace period, after the end, and after a failure', async (t) => {
    const { statuses, createInvoice, fetchesOf, outcomes, ...wire } = await openWire(t);
    const createdAt = Date.now();
    // Between two ticks: the service would receive a fetch at the deadline before or after it, as chance has it.
    const expiresAt = alignToTick(createdAt + 3000, timing.fastMs) + 0.6 * timing.fastMs;
    const graceEndsAt = expiresAt + timing.graceMs;
    await createInvoice('expiring', expiresAt);
    await createInvoice('failed');
    await sleep(systemClock, 1500);
    statuses.set('failed', 'FAILED');
    await sleep(systemClock, 14_000);
    const lateByMs = wire.lateByMs();
    const schedule = { timing, lateByMs };
    const fetches = fetchesOf('expiring');
    const text = `${expiresAt}; ${fetches.join()}`;
    const isFetchedAt = (time: number): boolean => fetches.some((at) => at >= time && at <= time + lateByMs);
    assert.ok(isFetchedAt(expiresAt), `at the deadline: ${text}`);
    assert.ok(isFetchedAt(graceEndsAt), `at the end of the grace period: ${text}`);
    assertFollowsTable(
      fetches.filter((at) => at < graceEndsAt).slice(1),
      { outcome: 'pending', createdAt, expiresAt },
      false,
      schedule,
    );
    const late = fetches.filter((at) => at > graceEndsAt + lateByMs);
    assertFollowsTable(late, { outcome: 'expired', createdAt, expiresAt }, false, schedule);
    const afterFailure = fetchesOf('failed').filter((at) => at - createdAt > 1500 + timing.slowMs + lateByMs);
    assert.ok(afterFailure.length >= 2, `${afterFailure.length} fetches after the failure`);
    assertFollowsTable(afterFailure, { outcome: 'failed', createdAt, expiresAt: null }, false, schedule);
    assert.deepEqual(outcomes.map(({ kind, orderId }) => `${orderId} ${kind}`).sort(), [
      'expiring expired',
      'failed failed',
    ]);
  });
});
