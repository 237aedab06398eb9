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

/** A checkout server with one checkout and with metrics. */
async function openWithMetrics() {
  const metrics = createMetrics();
  const harness = await TestCheckoutServer.open({}, { metrics });
  return { harness, metrics, readCurrentSamples: () => readSamples(metrics) };
}

describe('the metrics of the checkout server contain', () => {
  test('calls of the service by operation and outcome, creates by result, and requests by route and status', async () => {
    const { harness, readCurrentSamples } = await openWithMetrics();
    harness.service.createFaults.push({ kind: 'fails', failure: 'refused', code: 'invalid_argument' });
    await harness.until(harness.createInvoice({ key: 'refused' }));
    await harness.until(harness.createInvoice());
    await harness.getCheckout();
    await harness.request('/nothing');
    assert.equal(await harness.sendWebhook(), 204);
    await harness.advance(4000);
    const samples = await readCurrentSamples();
    const assertSample = (name: string, value: number): void => assert.equal(samples.get(name), value, name);
    assertSample('pay_invoice_service_calls_total{operation="CreateInvoice",outcome="refused"}', 1);
    assertSample('pay_invoice_service_calls_total{operation="CreateInvoice",outcome="ok"}', 1);
    assertSample(
      'pay_invoice_service_calls_total{operation="FetchInvoices",outcome="ok"}',
      harness.service.fetchRequests.length,
    );
    assertSample(
      'pay_invoice_service_call_duration_seconds_count{operation="FetchInvoices"}',
      harness.service.fetchRequests.length,
    );
    assertSample('pay_invoice_batch_invoices_sum', harness.service.fetchRequests.length);
    assertSample('pay_invoice_creates_total{result="rejected"}', 1);
    assertSample('pay_invoice_creates_total{result="created"}', 1);
    assertSample('pay_invoice_requests_total{route="checkout",status="200"}', 1);
    assertSample('pay_invoice_requests_total{route="invoice",status="201"}', 1);
    assertSample('pay_invoice_request_duration_seconds_count{route="invoice"}', 2);
    assertSample('pay_invoice_requests_total{route="none",status="404"}', 1);
    assertSample('pay_invoice_requests_total{route="hook",status="204"}', 1);
    assertSample('pay_invoice_invoices_due_total', harness.service.fetchRequests.length);
    assertSample('pay_invoice_poll_lag_seconds_count', harness.service.fetchRequests.length);
    assertSample('pay_invoice_active_viewers', 1);
  });

  test('each known result before it is counted', async () => {
    const { readCurrentSamples } = await openWithMetrics();
    const samples = await readCurrentSamples();
    for (const name of [
      'pay_invoice_creates_total{result="in_doubt"}',
      'pay_invoice_outcome_deliveries_total{kind="paid",result="failed"}',
      'pay_invoice_service_calls_total{operation="FetchInvoices",outcome="unavailable"}',
    ])
      assert.equal(samples.get(name), 0, name);
  });

  test('the number of long polls, and whether the service is in an outage', async () => {
    const { harness, readCurrentSamples } = await openWithMetrics();
    const { etag } = await harness.until(harness.createInvoice());
    const longPoll = harness.getCheckout({ 'if-none-match': etag, prefer: 'wait=20' });
    await harness.advance(10);
    assert.equal((await readCurrentSamples()).get('pay_invoice_long_polls'), 1);
    assert.equal((await readCurrentSamples()).get('pay_invoice_stale'), 0);
    harness.service.outage = { kind: 'fails', failure: 'unavailable' };
    await harness.advance(12_000);
    assert.equal((await readCurrentSamples()).get('pay_invoice_stale'), 1);
    assert.ok(
      ((await readCurrentSamples()).get('pay_invoice_log_events_total{level="warn",event="fetch_failed"}') ?? 0) > 1,
    );
    harness.service.outage = undefined;
    await harness.advance(12_000);
    await harness.until(longPoll);
    assert.equal((await readCurrentSamples()).get('pay_invoice_long_polls'), 0);
    assert.equal((await readCurrentSamples()).get('pay_invoice_stale'), 0);
  });

  test('outcomes by the result of their delivery, and the age of the oldest undelivered outcome', async () => {
    const { harness, readCurrentSamples } = await openWithMetrics();
    await harness.until(harness.createInvoice());
    harness.onOutcome = () => Promise.reject(new Error('closed'));
    harness.service.setStatus('PAID');
    await harness.advance(20_000);
    const samplesInOutage = await readCurrentSamples();
    assert.ok((samplesInOutage.get('pay_invoice_outcome_deliveries_total{kind="paid",result="failed"}') ?? 0) >= 3);
    assert.ok((samplesInOutage.get('pay_invoice_outcome_oldest_undelivered_seconds') ?? 0) > 15);
    assert.equal(samplesInOutage.get('pay_invoice_outcomes_undelivered'), 1);
    assert.equal(samplesInOutage.get('pay_invoice_outcomes_delivering'), 0);
    harness.onOutcome = () => new Promise(() => undefined);
    await harness.advance(60_000);
    assert.ok(
      ((await readCurrentSamples()).get('pay_invoice_outcome_deliveries_total{kind="paid",result="timeout"}') ?? 0) >=
        1,
    );
    harness.onOutcome = () => Promise.resolve();
    await harness.advance(60_000);
    const samplesAfterOutage = await readCurrentSamples();
    assert.equal(samplesAfterOutage.get('pay_invoice_outcome_deliveries_total{kind="paid",result="ok"}'), 1);
    assert.equal(samplesAfterOutage.get('pay_invoice_outcome_oldest_undelivered_seconds'), 0);
    assert.equal(samplesAfterOutage.get('pay_invoice_outcomes_undelivered'), 0);
  });

  test('the number of saves that were rejected because their version was not the newest', async () => {
    const { harness, readCurrentSamples } = await openWithMetrics();
    assert.equal((await readCurrentSamples()).get('pay_invoice_store_conflicts_total'), undefined);
    const save = harness.store.save.bind(harness.store);
    harness.store.save = async (record, outcomes) => {
      harness.store.save = save;
      await save(record, []);
      return save(record, outcomes);
    };
    await harness.until(harness.createInvoice());
    assert.equal((await readCurrentSamples()).get('pay_invoice_store_conflicts_total'), 1);
  });

  test('how long the earliest due invoice has been due while no process polls', async () => {
    const { harness, readCurrentSamples } = await openWithMetrics();
    await harness.until(harness.createInvoice());
    assert.ok(((await readCurrentSamples()).get('pay_invoice_poll_overdue_seconds') ?? 9) < 3);
    await harness.until(harness.server.stop());
    await harness.advance(30_000);
    assert.ok(((await readCurrentSamples()).get('pay_invoice_poll_overdue_seconds') ?? 0) > 25);
  });
});

test('created and paid invoices are counted by the type of their method, with the seconds until the payment', async () => {
  const metrics = createMetrics();
  const harness = await TestCheckoutServer.open({}, { metrics });
  await harness.createInvoice({ method: 'pm_sbp' });
  assert.equal((await readSamples(metrics)).get('pay_invoice_invoices_paid_total{method="sbp"}'), 0);
  await harness.advance(20_000);
  harness.service.setStatus('PAID');
  await harness.advance(20_000);
  const samples = await readSamples(metrics);
  assert.equal(samples.get('pay_invoice_invoices_created_total{method="sbp"}'), 1);
  assert.equal(samples.get('pay_invoice_invoices_paid_total{method="sbp"}'), 1);
  const seconds = samples.get('pay_invoice_seconds_until_paid_sum{method="sbp"}') ?? 0;
  assert.ok(seconds >= 20 && seconds <= 40, `${seconds} s`);
  assert.ok((samples.get('pay_invoice_store_call_duration_seconds_count{call="save"}') ?? 0) >= 2);
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
