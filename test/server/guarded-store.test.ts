import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  createMemoryStore,
  createMetrics,
  StoreUnavailableError,
  type CheckoutStore,
  type Log,
  type NewOutcome,
} from '../../src/server.ts';
import type { CheckoutRecord } from '../../src/server-internals.ts';
import { createGuardedStore } from '../../src/server/guarded-store/guarded-store.ts';
import { RecordRuleError } from '../../src/server/guarded-store/record-rule-check.ts';
import { noMetrics } from '../../src/server/telemetry/metrics.ts';
import { systemClock } from '../../src/base/clock.ts';
import { brokenRules } from '../../src/server/domain/checkout-record-rules.ts';
import { invoicesOf } from '../../src/server/domain/checkout-status.ts';
import { makeAttempt, makeCheckoutRecord, makeOutcome } from '../support/make-checkout-records.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

const base = makeCheckoutRecord('co_1', { attempts: [makeAttempt('e1')] });
const paidAttempt = makeAttempt('e1', { outcome: 'paid', runAt: null });
const paid: CheckoutRecord = { ...base, paidExternalId: 'e1', paidAt: 5, attempts: [paidAttempt] };
const withAttempts = (...attempts: CheckoutRecord['attempts']): CheckoutRecord => ({ ...base, attempts });

function outcomeOf(kind: NewOutcome['kind'], changes: Partial<NewOutcome> = {}): NewOutcome {
  const ids = { checkoutId: base.id, orderId: base.params.orderId, externalId: 'e1', invoiceId: 'inv of e1' };
  return makeOutcome(`e1.${kind}`, { kind, ...ids, expectedAmount: '1500.00', amount: '1500.00', ...changes });
}

interface Case {
  readonly change: string;
  readonly before?: CheckoutRecord;
  readonly record: CheckoutRecord;
  readonly outcomes?: readonly NewOutcome[];
  readonly rule: RegExp;
}

/** Changes with one defect each. The defects of the checkout model (test/model/checkout-defects.ts) break the other rules. */
const defects: readonly Case[] = [
  {
    change: 'names an attempt that is not paid as its payment',
    record: { ...base, paidExternalId: 'e1', paidAt: 5 },
    rule: /exactly one of its paid/,
  },
  {
    change: 'has a paid invoice and is not paid',
    record: withAttempts(paidAttempt),
    outcomes: [outcomeOf('paid')],
    rule: /exactly one of its paid/,
  },
  {
    change: 'loses a payment by the response to an older fetch',
    before: paid,
    record: { ...paid, attempts: [makeAttempt('e1')] },
    rule: /a payment is final/,
  },
  { change: 'is paid by another invoice', before: paid, record: { ...paid, paidAt: 6 }, rule: /does not change/ },
  {
    change: 'shows an invoice for another amount',
    record: withAttempts(makeAttempt('e1', { amount: '1500.01' })),
    rule: /another amount/,
  },
  {
    change: 'has two attempts with one external_id',
    record: withAttempts(makeAttempt('e1'), makeAttempt('e1')),
    rule: /own external_id/,
  },
  { change: 'drops an attempt', record: withAttempts(), rule: /never lost/ },
  {
    change: 'makes a failed invoice pending again',
    before: withAttempts(makeAttempt('e1', { outcome: 'failed' })),
    record: base,
    rule: /not pending again/,
  },
  { change: 'is paid and nobody is told', record: paid, rule: /each payment is reported/ },
  {
    change: 'reports the outcome of another order',
    record: paid,
    outcomes: [outcomeOf('paid', { orderId: 'other' })],
    rule: /names its checkout/,
  },
];

describe('a change of a record is refused, logged and not saved when it', () => {
  for (const { change, before = base, record, outcomes = [], rule } of defects)
    test(change, async () => {
      const memory = createMemoryStore();
      await memory.insert(before);
      const lines: { readonly level: string; readonly event: string; readonly facts: object }[] = [];
      const log: Log = (level, event, facts) => void lines.push({ level, event, facts });
      const { store } = createGuardedStore(memory, {
        log,
        clock: systemClock,
        time: systemClock,
        metrics: noMetrics,
        countPaid: () => undefined,
      });
      const saved = store.save({ ...record, version: 2 }, outcomes, { loaded: before });
      await assert.rejects(saved, (error) => error instanceof RecordRuleError && rule.test(error.message));
      assert.deepEqual(await memory.load(before.id), before);
      assert.equal((await memory.countOutcomes()).undelivered, 0);
      assert.deepEqual(
        lines.map(({ level, event }) => [level, event]),
        [['error', 'record_rule_broken']],
      );
      assert.doesNotMatch(JSON.stringify(lines), /chk_secret|order of|inv of|79000000000|1500/);
    });
});

test('a damaged record is shown, gets no new invoice, and its payment is stored and reported', async () => {
  const harness = await TestCheckoutServer.openWithInvoice();
  const record = await harness.loadRecord();
  const [attempt] = invoicesOf(record);
  assert.ok(attempt !== undefined);
  const damaged = { ...record, version: record.version + 1, attempts: [{ ...attempt, amount: '1500.01' }] };
  assert.deepEqual(brokenRules(damaged), ['an invoice for another amount is not shown']);
  assert.ok(await harness.store.save(damaged, []));

  assert.equal((await harness.getCheckout()).status, 200);
  const calls = harness.service.invoices.size;
  assert.equal(
    (await harness.until(harness.createInvoice({ key: 'key-2', method: 'pm_sbp', replace: true }))).status,
    500,
  );
  assert.equal(harness.service.invoices.size, calls);
  assert.ok(harness.loggedEvents().includes('record_rule_broken'));
  harness.service.setStatus('PAID', attempt.invoice.id);
  await harness.advance(60_000);
  assert.deepEqual(harness.outcomeKinds(), ['amount_mismatch']);
});

/** A guarded store in memory whose calls take as long as the test says, with its log and metrics. */
function openSlowStore() {
  const clock = new FakeClock();
  const call = { ms: 0, error: undefined as Error | undefined };
  const slowStore = new Proxy<CheckoutStore>(createMemoryStore(), {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        await clock.advance(call.ms);
        if (call.error !== undefined) throw call.error;
        return Reflect.apply(method, target, args);
      };
    },
  });
  const slowLines: object[] = [];
  const log: Log = (level, event, facts) => {
    if (event === 'database_slow') slowLines.push({ level, ...facts });
  };
  const metrics = createMetrics();
  const countPaid = (): void => undefined;
  const { store } = createGuardedStore(slowStore, { log, clock, time: clock, metrics, countPaid });
  return { clock, call, slowLines, metrics, store };
}

test('a commit of more than 500 ms is a warning in the log, at most once a minute, with nothing of the record', async () => {
  const { clock, call, slowLines, store } = openSlowStore();
  call.ms = 490;
  await store.insert(makeCheckoutRecord('co_2'));
  assert.deepEqual(slowLines, []);
  call.ms = 600;
  await store.insert(base);
  assert.deepEqual(slowLines, [{ level: 'warn', call: 'insert', duration_ms: 600 }]);
  call.ms = 30_000;
  await store.save({ ...base, version: 2 }, []);
  assert.equal(slowLines.length, 1);
  await clock.advance(30_000);
  call.ms = 2000;
  await store.save({ ...base, version: 3 }, []);
  assert.deepEqual(slowLines.slice(1), [{ level: 'warn', call: 'save', duration_ms: 2000 }]);
});

test('while commits are slow new orders are refused, and everything else goes on', async () => {
  const { clock, call, store } = openSlowStore();
  await store.insert(base);
  call.ms = 600;
  await store.save({ ...base, version: 2 }, []);
  const refused = { name: 'StoreUnavailableError', reason: 'slow' };
  await assert.rejects(store.insert(makeCheckoutRecord('co_2')), refused);
  assert.equal(await store.save({ ...base, version: 3 }, []), true);
  await assert.rejects(store.insert(makeCheckoutRecord('co_2')), refused);
  await clock.advance(5001);
  assert.equal(await store.insert(makeCheckoutRecord('co_2')), true, 'one order shows whether commits are still slow');
  await assert.rejects(store.insert(makeCheckoutRecord('co_3')), refused);
  call.ms = 10;
  await store.save({ ...base, version: 4 }, []);
  assert.equal(await store.insert(makeCheckoutRecord('co_3')), true);
});

test('a slow read, and a commit that fails because the database is away, are not a slow commit', async () => {
  const { call, slowLines, store } = openSlowStore();
  call.ms = 3000;
  await store.load(base.id);
  call.error = new StoreUnavailableError('timeout');
  await assert.rejects(store.insert(base), StoreUnavailableError);
  assert.deepEqual(slowLines, []);
});

test('the durations of both commits, of a new checkout and of a change, are in the metrics', async () => {
  const { call, metrics, store } = openSlowStore();
  call.ms = 300;
  await store.insert(base);
  await store.save({ ...base, version: 2 }, []);
  const text = await metrics.expose();
  for (const name of ['insert', 'save']) {
    const bucket = (bound: string): string =>
      `pay_invoice_store_call_duration_seconds_bucket{call="${name}",le="${bound}"}`;
    assert.ok(text.includes(`${bucket('0.25')} 0\n`) && text.includes(`${bucket('0.5')} 1\n`), text);
  }
});
