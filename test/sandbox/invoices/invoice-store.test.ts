import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { InvoiceJournal } from '../../../src/tools/sandbox/invoices/invoice-journal.ts';
import { InvoiceStore } from '../../../src/tools/sandbox/invoices/invoice-store.ts';
import type { Invoice } from '../../../src/tools/sandbox/invoices/invoice.ts';
import { createTemporaryPath } from '../test-sandbox.ts';

const openStore = (file: string, warn?: (line: string) => void): InvoiceStore =>
  new InvoiceStore((onLine) => new InvoiceJournal(file, onLine, warn));

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
  newestId: store.newest(1)[0]?.id,
  ofOrder: store.newest(10, 'order').map(({ id }) => id),
  first: store.findFirst('order')?.id,
  overdue: store.overdue(1e9).map(({ id }) => id),
  nextExpiry: store.nextExpiry(),
  balance: store.balance(),
  withCalls: store.withCalls().map(({ id }) => id),
});

const failedCall = { number: 1, status: 'PAID', attempts: 3, due_at: 900 };
const paid: Partial<Invoice> = { external_id: 'order', status: 'PAID', is_booked: true };
function fill(store: InvoiceStore): void {
  store.save(createInvoice('inv_a', { external_id: 'order', expires_at: 3000 }));
  store.save(createInvoice('inv_b', { external_id: 'order', metadata: { any: [1, null] } }));
  store.save(createInvoice('inv_c', { expires_at: 2000, calls: [failedCall] }));
  store.save(createInvoice('inv_b', { ...paid, calls: [failedCall] }));
  store.save(createInvoice('inv_c', { expires_at: 2000, calls: [] }));
}

describe('the invoice store', () => {
  it('has the same content after it is reopened from its journal', (t) => {
    const file = createTemporaryPath(t);
    const store = openStore(file);
    fill(store);
    const { newest, ...content } = readContent(store);
    assert.deepEqual(content, {
      newestId: 'inv_c',
      ofOrder: ['inv_b', 'inv_a'],
      first: 'inv_a',
      overdue: ['inv_c', 'inv_a'],
      nextExpiry: 2000,
      balance: '1.50',
      withCalls: ['inv_b'],
    });
    assert.deepEqual(readContent(openStore(file)), { newest, ...content });
    const memoryStore = new InvoiceStore();
    fill(memoryStore);
    assert.deepEqual(readContent(memoryStore).withCalls, content.withCalls);
  });

  it('lists an invoice that became pending again as overdue, by its current deadline', () => {
    const store = new InvoiceStore();
    store.save(createInvoice('inv_a'));
    store.save(createInvoice('inv_a', { status: 'FAILED' }));
    assert.deepEqual([store.overdue(1000), store.nextExpiry()], [[], undefined]);
    store.save(createInvoice('inv_a'));
    store.save(createInvoice('inv_b', { expires_at: 8000 }));
    assert.deepEqual(
      [store.overdue(999), store.overdue(1000)].map((invoices) => invoices.map(({ id }) => id)),
      [[], ['inv_a']],
    );
    store.save(createInvoice('inv_a', { expires_at: 9000 }));
    assert.deepEqual([store.overdue(1000), store.nextExpiry()], [[], 8000]);
  });
});

describe('a journal that a crash cut short', () => {
  it('keeps its complete lines with one warning, whatever the number of bytes', (t) => {
    const file = createTemporaryPath(t);
    const store = openStore(file);
    store.save(createInvoice('inv_a'));
    const completeSize = readFileSync(file).length;
    store.save(createInvoice('inv_b'));
    const bytes = readFileSync(file);
    for (let size = completeSize + 1; size < bytes.length; size += 1) {
      writeFileSync(file, bytes.subarray(0, size));
      const warnings: string[] = [];
      const reopenedStore = openStore(file, (line) => warnings.push(line));
      const cut = `the last line was cut short and is dropped (${size - completeSize} bytes); the rest is kept`;
      assert.deepEqual(warnings, [`${file}: ${cut}`]);
      reopenedStore.save(createInvoice('inv_c'));
      reopenedStore.close();
      const ids = openStore(file, (line) => assert.fail(line)).newest(10);
      assert.deepEqual(
        ids.map(({ id }) => id),
        ['inv_c', 'inv_a'],
        `cut to ${size} bytes`,
      );
    }
  });

  it('gets its first line again, whatever the number of bytes', (t) => {
    const file = createTemporaryPath(t);
    openStore(file).close();
    const headerLine = readFileSync(file, 'utf8');
    for (let size = 0; size < headerLine.length; size += 1) {
      writeFileSync(file, headerLine.slice(0, size));
      openStore(file).close();
      assert.equal(readFileSync(file, 'utf8'), headerLine, `cut to ${size} bytes`);
    }
  });
});

describe('a file that is not a whole journal is refused with a message of one line, and not changed: ', () => {
  const notOfSandbox = /store\.jsonl is not a file of the sandbox: name another, or remove it$/;
  const damaged = (reason: string): RegExp =>
    new RegExp(`store\\.jsonl, line 3 is damaged: ${reason}: restore the file from a copy, .*`);
  const first = `${JSON.stringify(createInvoice('inv_a'))}\n`;
  for (const [content, bytesAfterHeader, message] of [
    ['binary garbage', [first, [0x00, 0x9c, 0xff, 0xfe, 0x80], '\n', first], damaged('it is not UTF-8')],
    ['half of a line', [first, '{"id":"inv_', '\n', first], damaged('it is not JSON')],
    ['an empty line', [first, '\n', first], damaged('it is not JSON')],
    ['a list', [first, '[]\n', first], damaged('it is not an invoice')],
    ['an invoice without members', [first, '{"id":"inv_b"}\n'], damaged('it is not an invoice')],
    ['a damaged line before an incomplete one', [first, 'damaged\n', '{"id"'], damaged('it is not JSON')],
  ] as const)
    it(content, (t) => {
      const file = createTemporaryPath(t);
      openStore(file).close();
      for (const part of bytesAfterHeader) appendFileSync(file, typeof part === 'string' ? part : Buffer.from(part));
      const bytes = readFileSync(file);
      assert.throws(() => openStore(file), { name: 'JournalError', message });
      assert.deepEqual(readFileSync(file), bytes);
    });

  for (const text of ['SQLite format 3\n…', '{"my":"notes"}\n', 'no line at all'])
    it(`a file of another program: ${JSON.stringify(text)}`, (t) => {
      const file = createTemporaryPath(t);
      writeFileSync(file, text);
      assert.throws(() => openStore(file), { name: 'JournalError', message: notOfSandbox });
      assert.equal(readFileSync(file, 'utf8'), text);
    });

  for (const [path, message] of [
    ['.', /cannot be opened: EISDIR.*: name a file that this user can write, or correct its folder$/],
    ['notes/store.jsonl', /cannot be opened: (?:ENOTDIR|EEXIST).*: name a file/],
    ['/dev/full', /\/dev\/full is not a regular file: name another file for the sandbox$/],
  ] as const)
    it(`the path ${path}`, (t) => {
      const folder = createTemporaryPath(t);
      mkdirSync(folder);
      writeFileSync(join(folder, 'notes'), '');
      const file = path.startsWith('/') ? path : join(folder, path);
      assert.throws(() => openStore(file), { name: 'JournalError', message });
    });

  it('a file to which another program writes', (t) => {
    const file = createTemporaryPath(t);
    const store = openStore(file);
    appendFileSync(file, '[]\n');
    assert.throws(() => store.save(createInvoice('inv_a')), /another program writes to .*store\.jsonl/);
    assert.equal(store.find('inv_a'), undefined);
  });
});
