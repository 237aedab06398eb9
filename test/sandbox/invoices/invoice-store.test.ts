import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { InvoiceStore } from '../../../src/tools/sandbox/invoices/invoice-store.ts';
import type { Invoice } from '../../../src/tools/sandbox/invoices/invoice.ts';
import { InvoiceJournal } from '../../../src/tools/sandbox/invoices/invoice-journal.ts';

const openStore = (file: string): InvoiceStore => new InvoiceStore((onLine) => new InvoiceJournal(file, onLine));

function createTemporaryPath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'new', 'store.jsonl');
}

const createInvoice = (id: string, otherMembers: Partial<Invoice> = {}): Invoice => ({
  id,
  mode: 'LIVE',
  amount: '1.50',
  status: 'PENDING',
  created_at: 0,
  expires_at: 1000,
  ...otherMembers,
});

/** Everything that can be read from a store. */
const readContent = (store: InvoiceStore) => ({
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
  store.insert(createInvoice('inv_a', { external_id: 'order', expires_at: 3000 }));
  store.insert(createInvoice('inv_b', { external_id: 'order', metadata: { any: [1, null] } }));
  store.insert(createInvoice('inv_c', { expires_at: 2000 }));
  store.transaction(() => {
    store.update(createInvoice('inv_b', { external_id: 'order', status: 'PAID' }));
    store.recordPayment(createInvoice('inv_b'));
    store.addWebhookCall('http://shop.test/hook', '{}', 500);
  });
  store.recordPayment(createInvoice('inv_b'));
  store.addWebhookCall('http://shop.test/hook', '{"second":true}', 700);
  store.postponeWebhookCall(1, 3, 900);
  store.removeWebhookCall(2);
}

describe('the invoice store', () => {
  it('has the same content after it is reopened from its journal, and gives a new webhook call a new number', (t) => {
    const file = createTemporaryPath(t);
    const originalStore = openStore(file);
    fill(originalStore);
    const content = readContent(originalStore);
    assert.deepEqual(
      [content.newest.map(({ id }) => id), content.overdue, content.nextExpiry, content.balance, content.nextCall],
      [['inv_c', 'inv_b', 'inv_a'], ['inv_c', 'inv_a'], 2000, '1.50', 900],
    );
    assert.equal(content.first?.id, 'inv_a');
    const reopenedStore = openStore(file);
    assert.deepEqual(readContent(reopenedStore), content);
    reopenedStore.addWebhookCall('http://shop.test/hook', '{}', 1);
    assert.deepEqual(
      reopenedStore.dueWebhookCalls(1e9).map(({ id }) => id),
      [1, 3],
    );
    const memoryStore = new InvoiceStore();
    fill(memoryStore);
    assert.deepEqual(readContent(memoryStore), content);
  });

  it('stores no change of a transaction that throws, in memory and in the journal', (t) => {
    const file = createTemporaryPath(t);
    const store = openStore(file);
    const runFailingTransaction = (): void =>
      store.transaction(() => {
        store.insert(createInvoice('inv_a'));
        throw new Error('no');
      });
    assert.throws(runFailingTransaction, /^Error: no$/);
    store.insert(createInvoice('inv_b'));
    for (const openedStore of [store, openStore(file)])
      assert.deepEqual(
        openedStore.newest(10).map(({ id }) => id),
        ['inv_b'],
      );
  });

  it('drops a last line that a crash cut short at any byte, and appends after the complete lines', (t) => {
    const file = createTemporaryPath(t);
    const store = openStore(file);
    store.insert(createInvoice('inv_a'));
    const completeSize = statSync(file).size;
    store.transaction(() => {
      store.insert(createInvoice('inv_b'));
      store.recordPayment(createInvoice('inv_b'));
    });
    const bytes = readFileSync(file);
    for (let size = completeSize; size < bytes.length; size += 1) {
      writeFileSync(file, bytes);
      truncateSync(file, size);
      const reopenedStore = openStore(file);
      reopenedStore.insert(createInvoice('inv_c'));
      reopenedStore.close();
      const ids = openStore(file)
        .newest(10)
        .map(({ id }) => id);
      assert.deepEqual(ids, ['inv_c', 'inv_a'], `cut to ${size} bytes`);
    }
  });

  it('lists an invoice that became pending again once as overdue, by its current deadline', () => {
    const store = new InvoiceStore();
    store.insert(createInvoice('inv_a'));
    store.update(createInvoice('inv_a', { status: 'FAILED' }));
    assert.equal(store.nextExpiry(), undefined);
    store.update(createInvoice('inv_a'));
    store.update(createInvoice('inv_a', { status: 'FAILED' }));
    store.update(createInvoice('inv_a'));
    assert.deepEqual(
      store.overdue(1000).map(({ id }) => id),
      ['inv_a'],
    );
    store.update(createInvoice('inv_a', { expires_at: 9000 }));
    assert.deepEqual([store.overdue(1000), store.nextExpiry()], [[], 9000]);
  });

  it('refuses to open a file of another program, and does not change it', (t) => {
    const file = createTemporaryPath(t);
    openStore(file).close();
    for (const text of ['SQLite format 3\n…', '{"my":"notes"}\n', 'no line at all']) {
      writeFileSync(file, text);
      assert.throws(() => openStore(file), /is not a file of the sandbox/);
      assert.equal(readFileSync(file, 'utf8'), text);
    }
  });

  it('refuses to write to a file to which another program has written', (t) => {
    const file = createTemporaryPath(t);
    const store = openStore(file);
    appendFileSync(file, '[]\n');
    assert.throws(() => store.insert(createInvoice('inv_a')), /another program writes to .*store\.jsonl/);
    assert.equal(store.find('inv_a'), undefined);
  });
});
