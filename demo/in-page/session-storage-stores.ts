// The stores of the in-page servers. They are in memory, with a copy in the tab's sessionStorage, so that payments survive a
// reload.
import { createMemoryStore, type CheckoutRecord, type CheckoutStore } from '../../src/server.ts';
import { sumOf } from '../../src/service-api.ts';
import type { InvoiceRepository } from '../../src/tools/sandbox/invoices/invoice-store.ts';
import { invoiceSchema, type Invoice } from '../../src/tools/sandbox/invoices/invoice.ts';
import { linkCode } from '../../src/tools/sandbox/invoices/nspk-link.ts';

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

type WebhookCall = ReturnType<InvoiceRepository['dueWebhookCalls']>[number];

/** The sandbox's store. Invoices survive a reload of the page; outstanding webhook calls do not. */
export function createTabInvoiceStore(): InvoiceRepository {
  const invoices = new Map<string, Invoice>();
  const payments = new Map<string, string>();
  const calls = new Map<number, WebhookCall>();
  let lastCall = 0;

  const put = (invoice: Invoice): void => {
    invoices.set(invoice.id, invoice);
    save('invoice', invoice.id, invoice);
  };
  const restored = loadAll('invoice').flatMap((value) => invoiceSchema.safeParse(value).data ?? []);
  for (const invoice of restored.sort((one, other) => one.created_at - other.created_at))
    invoices.set(invoice.id, invoice);

  const allInvoices = (): readonly Invoice[] => [...invoices.values()];
  const pendingInvoices = (): readonly Invoice[] => allInvoices().filter(({ status }) => status === 'PENDING');
  const earliest = (times: readonly number[]): number | undefined =>
    times.length === 0 ? undefined : Math.min(...times);

  return {
    transaction: (writes) => writes(), // The writes are synchronous and cannot fail.
    insert: put,
    update: put,
    find: (id) => invoices.get(id),
    findByLink: (code) => allInvoices().find(({ id }) => linkCode(id) === code),
    findAll: (ids) => allInvoices().filter(({ id }) => ids.includes(id)),
    findFirst: (externalId) => allInvoices().find(({ external_id }) => external_id === externalId),
    newest: (count, externalId) =>
      allInvoices()
        .filter(({ external_id }) => externalId === undefined || external_id === externalId)
        .reverse()
        .slice(0, count),
    overdue: (now) => pendingInvoices().filter(({ expires_at }) => expires_at <= now),
    nextExpiry: () => earliest(pendingInvoices().map(({ expires_at }) => expires_at)),
    recordPayment: ({ id, amount }) => void payments.set(id, amount),
    balance: () => sumOf([...payments.values()].map((price) => ({ price, quantity: 1 }))),
    addWebhookCall(url, body, due_at) {
      lastCall += 1;
      calls.set(lastCall, { id: lastCall, url, body, attempts: 0, due_at });
    },
    dueWebhookCalls: (now) => [...calls.values()].filter(({ due_at }) => due_at <= now),
    nextWebhookCall: () => earliest([...calls.values()].map(({ due_at }) => due_at)),
    postponeWebhookCall(id, attempts, due_at) {
      const call = calls.get(id);
      if (call !== undefined) calls.set(id, { ...call, attempts, due_at });
    },
    removeWebhookCall: (id) => void calls.delete(id),
    close: () => undefined,
  };
}
