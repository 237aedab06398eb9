import { sumOf } from '../../../service-api.ts';
import type { Invoice } from './invoice.ts';
import { linkCode } from './nspk-link.ts';

/** The invoices of the sandbox, in memory, each with its payment. */
export class InvoiceStore {
  readonly #invoices = new Map<string, Invoice>();
  readonly #idsByLink = new Map<string, string>();
  readonly #idsByExternalId = new Map<string, string[]>();
  readonly #pendingIds = new Set<string>();
  readonly #onSave: () => void;
  /** No pending invoice expires before this time. */
  #earliestExpiry = Infinity;

  /** `invoices` are those of an earlier run, the oldest first. `onSave` is called after each change. */
  constructor(invoices: readonly Invoice[] = [], onSave: () => void = () => undefined) {
    this.#onSave = onSave;
    for (const invoice of invoices) this.#apply(invoice);
  }

  /** Adds an invoice, or replaces the invoice with its identifier. */
  save(invoice: Invoice): void {
    this.#apply(invoice);
    this.#onSave();
  }

  find(id: string): Invoice | undefined {
    return this.#invoices.get(id);
  }

  findByLink(code: string): Invoice | undefined {
    return this.#invoices.get(this.#idsByLink.get(code) ?? '');
  }

  /** The first invoice with that external identifier. */
  findFirst(externalId: string): Invoice | undefined {
    return this.#invoices.get(this.#idsByExternalId.get(externalId)?.[0] ?? '');
  }

  /** The newest invoices first; with `externalId`, only those that have it. */
  newest(count: number, externalId?: string): readonly Invoice[] {
    const ids = externalId === undefined ? [...this.#invoices.keys()] : (this.#idsByExternalId.get(externalId) ?? []);
    return this.#listInvoices(ids.slice(-count).reverse());
  }

  /** The pending invoices whose `expires_at` has passed, the earliest first. */
  overdue(now: number): readonly Invoice[] {
    if (now < this.#earliestExpiry) return [];
    const pendingInvoices = this.#listInvoices(this.#pendingIds).sort((a, b) => a.expires_at - b.expires_at);
    this.#earliestExpiry = pendingInvoices[0]?.expires_at ?? Infinity;
    return pendingInvoices.filter(({ expires_at }) => expires_at <= now);
  }

  /** When the next pending invoice expires or before, in milliseconds since 1970; undefined when none is pending. */
  nextExpiry(): number | undefined {
    return this.#pendingIds.size === 0 ? undefined : this.#earliestExpiry;
  }

  /** The sum of the payments to the merchant, as a decimal. */
  balance(): string {
    const paidInvoices = this.all().filter(({ is_booked }) => is_booked === true);
    return sumOf(paidInvoices.map(({ amount }) => ({ price: amount, quantity: 1 })));
  }

  /** All invoices, the oldest first. */
  all(): readonly Invoice[] {
    return [...this.#invoices.values()];
  }

  #listInvoices(ids: Iterable<string>): Invoice[] {
    return [...ids].flatMap((id) => this.#invoices.get(id) ?? []);
  }

  #apply(invoice: Invoice): void {
    const { id, external_id, status, expires_at } = invoice;
    if (!this.#invoices.has(id)) {
      this.#idsByLink.set(linkCode(id), id);
      if (external_id !== undefined)
        this.#idsByExternalId.set(external_id, [...(this.#idsByExternalId.get(external_id) ?? []), id]);
    }
    this.#invoices.set(id, invoice);
    if (status === 'PENDING') this.#pendingIds.add(id);
    else this.#pendingIds.delete(id);
    if (status === 'PENDING') this.#earliestExpiry = Math.min(this.#earliestExpiry, expires_at);
  }
}
