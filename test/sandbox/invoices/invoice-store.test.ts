import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InvoiceStore } from '../../../src/tools/sandbox/invoices/invoice-store.ts';
import type { Invoice } from '../../../src/tools/sandbox/invoices/invoice.ts';

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
});

const paid: Partial<Invoice> = { external_id: 'order', status: 'PAID', is_booked: true };
function fill(store: InvoiceStore): void {
  store.save(createInvoice('inv_a', { external_id: 'order', expires_at: 3000 }));
  store.save(createInvoice('inv_b', { external_id: 'order', metadata: { any: [1, null] } }));
  store.save(createInvoice('inv_c', { expires_at: 2000 }));
  store.save(createInvoice('inv_b', paid));
}

describe('the invoice store', () => {
  it('has the same content when it is made of the invoices of an earlier one', () => {
    const store = new InvoiceStore();
    fill(store);
    const { newest, ...content } = readContent(store);
    assert.deepEqual(content, {
      newestId: 'inv_c',
      ofOrder: ['inv_b', 'inv_a'],
      first: 'inv_a',
      overdue: ['inv_c', 'inv_a'],
      nextExpiry: 2000,
      balance: '1.50',
    });
    assert.deepEqual(readContent(new InvoiceStore(store.all())), { newest, ...content });
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
