import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { InvoiceStore } from '../../../src/sandbox/invoices/invoice-store.ts';
import type { Invoice } from '../../../src/sandbox/invoices/invoice.ts';
import { InvoiceJournal } from '../../../src/sandbox/invoices/invoice-journal.ts';

const open = (file: string): InvoiceStore => new InvoiceStore((onLine) => new InvoiceJournal(file, onLine));

function fileOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'new', 'store.jsonl');
}

const invoice = (id: string, more: Partial<Invoice> = {}): Invoice => ({
  id,
  mode: 'LIVE',
  amount: '1.50',
  status: 'PENDING',
  created_at: 0,
  expires_at: 1000,
  ...more,
});

/** Everything that can be read from a store. */
const contentOf = (store: InvoiceStore) => ({
  newest: store.newest(10),
  ofOrder: store.newest(10, 'order'),
  first: store.findFirst('order'),
  overdue: store.overdue(1e9).map(({ id }) => id),
  nextExpiry: store.nextExpiry(),
  balance: store.balance(),
  calls: store.dueWebhookCalls(1e9),
  nextCall: store.nextWebhookCall(),
});

function fill(store: InvoiceStore): void {
  store.insert(invoice('inv_a', { external_id: 'order', expires_at: 3000 }));
  store.insert(invoice('inv_b', { external_id: 'order', metadata: { any: [1, null] } }));
  store.insert(invoice('inv_c', { expires_at: 2000 }));
  store.transaction(() => {
    store.update(invoice('inv_b', { external_id: 'order', status: 'PAID' }));
    store.recordPayment(invoice('inv_b'));
    store.addWebhookCall('http://shop.test/hook', '{}', 500);
  });
  store.recordPayment(invoice('inv_b'));
  store.addWebhookCall('http://shop.test/hook', '{"second":true}', 700);
  store.postponeWebhookCall(1, 3, 900);
  store.removeWebhookCall(2);
}

describe('the invoice store', () => {
  it('has the same content after a restart, and does not use the number of a finished webhook call again', (t) => {
    const file = fileOf(t);
    const first = open(file);
    fill(first);
    const before = contentOf(first);
    assert.deepEqual(
      [before.newest.map(({ id }) => id), before.overdue, before.nextExpiry, before.balance, before.nextCall],
      [['inv_c', 'inv_b', 'inv_a'], ['inv_c', 'inv_a'], 2000, '1.50', 900],
    );
    assert.equal(before.first?.id, 'inv_a');
    const second = open(file);
    assert.deepEqual(contentOf(second), before);
    second.addWebhookCall('http://shop.test/hook', '{}', 1);
    assert.deepEqual(
      second.dueWebhookCalls(1e9).map(({ id }) => id),
      [1, 3],
    );
    const inMemory = new InvoiceStore();
    fill(inMemory);
    assert.deepEqual(contentOf(inMemory), before);
  });

  it('writes all changes of a transaction, and none when it throws', (t) => {
    const file = fileOf(t);
    const store = open(file);
    const failing = (): void =>
      store.transaction(() => {
        store.insert(invoice('inv_a'));
        throw new Error('no');
      });
    assert.throws(failing, /^Error: no$/);
    store.insert(invoice('inv_b'));
    for (const one of [store, open(file)])
      assert.deepEqual(
        one.newest(10).map(({ id }) => id),
        ['inv_b'],
      );
  });

  it('drops a line that was cut short at any byte, and appends after the complete lines', (t) => {
    const file = fileOf(t);
    const store = open(file);
    store.insert(invoice('inv_a'));
    const whole = statSync(file).size;
    store.transaction(() => {
      store.insert(invoice('inv_b'));
      store.recordPayment(invoice('inv_b'));
    });
    const bytes = readFileSync(file);
    for (let size = whole; size < bytes.length; size += 1) {
      writeFileSync(file, bytes);
      truncateSync(file, size);
      const next = open(file);
      next.insert(invoice('inv_c'));
      next.close();
      const ids = open(file)
        .newest(10)
        .map(({ id }) => id);
      assert.deepEqual(ids, ['inv_c', 'inv_a'], `cut to ${size} bytes`);
    }
  });

  it('finds an invoice that is pending again once, at its present deadline', () => {
    const store = new InvoiceStore();
    store.insert(invoice('inv_a'));
    store.update(invoice('inv_a', { status: 'FAILED' }));
    assert.equal(store.nextExpiry(), undefined);
    store.update(invoice('inv_a'));
    store.update(invoice('inv_a', { status: 'FAILED' }));
    store.update(invoice('inv_a'));
    assert.deepEqual(
      store.overdue(1000).map(({ id }) => id),
      ['inv_a'],
    );
    store.update(invoice('inv_a', { expires_at: 9000 }));
    assert.deepEqual([store.overdue(1000), store.nextExpiry()], [[], 9000]);
  });

  it('does not change a file that is not the sandbox’s', (t) => {
    const file = fileOf(t);
    open(file).close();
    for (const text of ['SQLite format 3\n…', '{"my":"notes"}\n', 'no line at all']) {
      writeFileSync(file, text);
      assert.throws(() => open(file), /is not a file of the sandbox/);
      assert.equal(readFileSync(file, 'utf8'), text);
    }
  });

  it('refuses to write to a file to which another program has written', (t) => {
    const file = fileOf(t);
    const store = open(file);
    appendFileSync(file, '[]\n');
    assert.throws(() => store.insert(invoice('inv_a')), /another program writes to .*store\.jsonl/);
    assert.equal(store.find('inv_a'), undefined);
  });
});
