import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createMetrics, type TextMetrics } from '../../../src/server.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';
import { decorate } from '../../../src/server/telemetry/metrics.ts';

/** Returns the exposed samples by their names and labels. Fails for a line that is not of the text format. */
async function readSamples(metrics: TextMetrics): Promise<ReadonlyMap<string, number>> {
  const text = await metrics.expose();
  assert.ok(text.endsWith('\n'));
  const samples = new Map<string, number>();
  for (const line of text.trimEnd().split('\n')) {
    if (/^# (HELP [a-z_:0-9]+ [^\n]+|TYPE [a-z_:0-9]+ (counter|gauge|histogram))$/.test(line)) continue;
    const [, name = '', value] = /^([a-z_:0-9]+(?:\{(?:[a-z_]+="(?:[^"\\]|\\.)*",?)*\})?) (\S+)$/.exec(line) ?? [];
    assert.ok(Number.isFinite(Number(value)), line);
    assert.ok(!samples.has(name), `${name} occurs once`);
    samples.set(name, Number(value));
  }
  return samples;
}

describe('the text format', () => {
  test('describes each metric, and escapes the values of labels', async () => {
    const metrics = createMetrics();
    const count = metrics.counter('things_total', 'Things.');
    count({ kind: 'a"b\\c\nd' });
    count({ kind: 'a"b\\c\nd' }, 2);
    count();
    assert.equal(
      await metrics.expose(),
      '# HELP things_total Things.\n# TYPE things_total counter\nthings_total{kind="a\\"b\\\\c\\nd"} 3\nthings_total 1\n',
    );
  });

  test('counts a value in its bucket and in all larger buckets', async () => {
    const metrics = createMetrics();
    const observe = metrics.histogram('size', 'Sizes.', [1, 2.5]);
    for (const value of [0, 1, 2, 2.5, 3]) observe(value, { of: 'x' });
    assert.deepEqual(
      [...(await readSamples(metrics))],
      [
        ['size_bucket{of="x",le="1"}', 2],
        ['size_bucket{of="x",le="2.5"}', 4],
        ['size_bucket{of="x",le="+Inf"}', 5],
        ['size_sum{of="x"}', 8.5],
        ['size_count{of="x"}', 5],
      ],
    );
  });

  test('leaves out gauges that cannot be read, and writes the others', async () => {
    const metrics = createMetrics();
    metrics.gauge('broken', 'Broken.', () => Promise.reject(new Error('disk')));
    metrics.gauge('thrown', 'Thrown.', () => {
      throw new Error('disk');
    });
    metrics.gauge('unknown', 'Unknown.', () => undefined);
    metrics.gauge('whole', 'Whole.', () => Promise.resolve(7));
    assert.deepEqual([...(await readSamples(metrics))], [['whole', 7]]);
  });
});

/** A checkout server with one checkout, and functions that read its metrics without their common prefix. */
async function openWithMetrics() {
  const metrics = createMetrics();
  const harness = await TestCheckoutServer.open({}, { metrics });
  const read = async (name: string): Promise<number> =>
    (await readSamples(metrics)).get(`pay_invoice_${name}`) ?? assert.fail(name);
  /** Asserts the values of samples. */
  const assertSamples = async (expected: Readonly<Record<string, number>>): Promise<void> => {
    for (const [name, value] of Object.entries(expected)) assert.equal(await read(name), value, name);
  };
  return { harness, metrics, read, assertSamples };
}

describe('the metrics of the checkout server contain', () => {
  test('calls of the service by operation and outcome, creates by result, and requests by route and status', async () => {
    const { harness, assertSamples } = await openWithMetrics();
    await assertSamples({
      'creates_total{result="in_doubt"}': 0, // known results are there before they are counted
      'outcome_deliveries_total{kind="paid",result="failed"}': 0,
      'service_calls_total{operation="FetchInvoices",outcome="unavailable"}': 0,
    });
    harness.service.createFaults.push({ kind: 'fails', failure: 'refused', code: 'invalid_argument' });
    await harness.createInvoice({ key: 'refused' });
    await harness.createInvoice();
    await harness.getCheckout();
    await harness.request('/nothing');
    await harness.sendWebhook();
    await harness.advance(4000);
    const fetches = harness.service.fetchRequests.length;
    await assertSamples({
      'service_calls_total{operation="CreateInvoice",outcome="refused"}': 1,
      'service_calls_total{operation="CreateInvoice",outcome="ok"}': 1,
      'service_calls_total{operation="FetchInvoices",outcome="ok"}': fetches,
      'service_call_duration_seconds_count{operation="FetchInvoices"}': fetches,
      batch_invoices_sum: fetches,
      'creates_total{result="rejected"}': 1,
      'creates_total{result="created"}': 1,
      'requests_total{route="checkout",status="200"}': 1,
      'requests_total{route="invoice",status="201"}': 1,
      'request_duration_seconds_count{route="invoice"}': 2,
      'requests_total{route="none",status="404"}': 1,
      'requests_total{route="hook",status="204"}': 1,
      invoices_due_total: fetches,
      poll_lag_seconds_count: fetches,
      active_viewers: 1,
    });
  });

  test('the number of long polls, and whether the service is in an outage', async () => {
    const { harness, read, assertSamples } = await openWithMetrics();
    const { etag } = await harness.createInvoice();
    const longPoll = harness.longPoll(etag, 20);
    await harness.advance(10);
    await assertSamples({ long_polls: 1, stale: 0 });
    harness.service.outage = { kind: 'fails', failure: 'unavailable' };
    await harness.advance(12_000);
    await assertSamples({ stale: 1 });
    assert.ok((await read('log_events_total{level="warn",event="fetch_failed"}')) > 1);
    harness.service.outage = undefined;
    await harness.advance(12_000);
    await harness.until(longPoll);
    await assertSamples({ long_polls: 0, stale: 0 });
  });

  test('outcomes by the result of their delivery, and the age of the oldest undelivered outcome', async () => {
    const { harness, read, assertSamples } = await openWithMetrics();
    await harness.createInvoice();
    harness.onOutcome = () => Promise.reject(new Error('closed'));
    harness.service.setStatus('PAID');
    await harness.advance(20_000);
    assert.ok((await read('outcome_deliveries_total{kind="paid",result="failed"}')) >= 3);
    assert.ok((await read('outcome_oldest_undelivered_seconds')) > 15);
    await assertSamples({ outcomes_undelivered: 1, outcomes_delivering: 0 });
    harness.onOutcome = () => new Promise(() => undefined);
    await harness.advance(60_000);
    assert.ok((await read('outcome_deliveries_total{kind="paid",result="timeout"}')) >= 1);
    harness.onOutcome = () => Promise.resolve();
    await harness.advance(60_000);
    await assertSamples({
      'outcome_deliveries_total{kind="paid",result="ok"}': 1,
      outcome_oldest_undelivered_seconds: 0,
      outcomes_undelivered: 0,
    });
  });

  test('the number of saves that were rejected because their version was not the newest', async () => {
    const { harness, assertSamples } = await openWithMetrics();
    const save = harness.store.save.bind(harness.store);
    harness.store.save = async (record, outcomes) => {
      harness.store.save = save;
      await save(record, []);
      return save(record, outcomes);
    };
    await harness.until(harness.createInvoice());
    await assertSamples({ store_conflicts_total: 1 });
  });

  test('how long the earliest due invoice has been due while no process polls', async () => {
    const { harness, read } = await openWithMetrics();
    await harness.createInvoice();
    assert.ok((await read('poll_overdue_seconds')) < 3);
    await harness.until(harness.server.stop());
    await harness.advance(30_000);
    assert.ok((await read('poll_overdue_seconds')) > 25);
  });

  test('created and paid invoices by the type of their method, with the seconds until the payment', async () => {
    const { harness, read, assertSamples } = await openWithMetrics();
    await harness.createInvoice({ method: 'pm_sbp' });
    await assertSamples({ 'invoices_paid_total{method="sbp"}': 0 });
    await harness.advance(20_000);
    harness.service.setStatus('PAID');
    await harness.advance(20_000);
    await assertSamples({ 'invoices_created_total{method="sbp"}': 1, 'invoices_paid_total{method="sbp"}': 1 });
    const seconds = await read('seconds_until_paid_sum{method="sbp"}');
    assert.ok(seconds >= 20 && seconds <= 40, `${seconds} s`);
    assert.ok((await read('store_call_duration_seconds_count{call="save"}')) >= 2);
  });
});

test('a decorated port forwards every argument, and may be a class with private fields', async () => {
  class Port {
    #calls = 0;
    call(...args: number[]): Promise<readonly number[]> {
      this.#calls += 1;
      return Promise.resolve([this.#calls, ...args]);
    }
  }
  const decorated = decorate(new Port(), { call: async (call) => (await call()).map((value) => value * 10) });
  assert.deepEqual(
    [await decorated.call(2, 3), await decorate(new Port(), {}).call(2, 3)],
    [
      [10, 20, 30],
      [1, 2, 3],
    ],
  );
});
