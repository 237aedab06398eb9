// The stores of the in-page servers. They are in memory, with a copy in the tab's sessionStorage, so that payments survive a
// reload.
import { createMemoryStore, type CheckoutRecord, type CheckoutStore } from '../../src/server.ts';
import { InvoiceStore } from '../../src/tools/sandbox/invoices/invoice-store.ts';
import { invoiceSchema } from '../../src/tools/sandbox/invoices/invoice.ts';

const prefix = 'pay-invoice demo ';

/** Saves a value until the tab is closed. When the storage is full or forbidden, a reload starts without the value. */
export function save(kind: string, name: string, value: unknown): void {
  try {
    sessionStorage.setItem(`${prefix}${kind} ${name}`, JSON.stringify(value));
  } catch {
    // The page works without the storage.
  }
}

/** All saved values of a kind, in the order of their names. */
export function loadAll(kind: string): readonly unknown[] {
  try {
    const names = Object.keys(sessionStorage).filter((name) => name.startsWith(`${prefix}${kind} `));
    return names.sort().map((name): unknown => JSON.parse(sessionStorage.getItem(name) ?? 'null'));
  } catch {
    return [];
  }
}

/** The memory store with checkouts that survive a reload of the page. */
export function createTabCheckoutStore(): CheckoutStore {
  const store = createMemoryStore();
  const restored = Promise.all(loadAll('checkout').map((value) => store.insert(value as CheckoutRecord))); // saved by this file
  return {
    ...store,
    async insert(checkout) {
      await restored;
      const added = await store.insert(checkout);
      if (added) save('checkout', checkout.id, checkout);
      return added;
    },
    async loadByOrder(orderId) {
      await restored;
      return store.loadByOrder(orderId);
    },
    async load(id) {
      await restored;
      return store.load(id);
    },
    async save(checkout, outcomes) {
      const saved = await store.save(checkout, outcomes);
      if (saved) save('checkout', checkout.id, checkout);
      return saved;
    },
  };
}

/** The sandbox's store. Invoices survive a reload of the page. */
export function createTabInvoiceStore(): InvoiceStore {
  return new InvoiceStore((onLine) => {
    const restored = loadAll('invoice').flatMap((value) => invoiceSchema.safeParse(value).data ?? []);
    for (const invoice of restored.sort((one, other) => one.created_at - other.created_at)) onLine(invoice);
    return { append: (invoice) => save('invoice', invoice.id, invoice), close: () => undefined };
  });
}
