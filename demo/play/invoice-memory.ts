import type { InvoiceRepository } from '../../src/sandbox/invoices/invoice-store.ts';
import { invoiceSchema, type Invoice } from '../../src/sandbox/invoices/invoice.ts';
import { linkCode } from '../../src/sandbox/invoices/nspk-link.ts';
import { sumOf } from '../../src/contract.ts';
import { keep, kept } from './kept.ts';

type HookCall = ReturnType<InvoiceRepository['dueWebhookCalls']>[number];

/** What the sandbox remembers, in a page: invoices outlive a reload; calls of the merchant's hook do not. */
export function createInvoiceMemory(): InvoiceRepository {
  const invoices = new Map<string, Invoice>();
  const payments = new Map<string, string>();
  const calls = new Map<number, HookCall>();
  let lastCall = 0;

  const put = (invoice: Invoice): void => {
    invoices.set(invoice.id, invoice);
    keep('invoice', invoice.id, invoice);
  };
  const restored = kept('invoice').flatMap((value) => invoiceSchema.safeParse(value).data ?? []);
  for (const invoice of restored.sort((one, other) => one.created_at - other.created_at))
    invoices.set(invoice.id, invoice);

  const all = (): readonly Invoice[] => [...invoices.values()];
  const pending = (): readonly Invoice[] => all().filter(({ status }) => status === 'PENDING');
  const earliest = (times: readonly number[]): number | undefined =>
    times.length === 0 ? undefined : Math.min(...times);

  return {
    transaction: (writes) => writes(), // nothing can come between, and nothing here fails
    insert: put,
    update: put,
    find: (id) => invoices.get(id),
    findByLink: (code) => all().find(({ id }) => linkCode(id) === code),
    findAll: (ids) => all().filter(({ id }) => ids.includes(id)),
    findFirst: (externalId) => all().find(({ external_id }) => external_id === externalId),
    newest: (count, externalId) =>
      all()
        .filter(({ external_id }) => externalId === undefined || external_id === externalId)
        .reverse()
        .slice(0, count),
    overdue: (now) => pending().filter(({ expires_at }) => expires_at <= now),
    nextExpiry: () => earliest(pending().map(({ expires_at }) => expires_at)),
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
