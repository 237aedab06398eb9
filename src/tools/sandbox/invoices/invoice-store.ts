import { sumOf } from '../../../service-api.ts';
import { type Invoice, invoiceSchema } from './invoice.ts';
import { linkCode } from './nspk-link.ts';

/** A journal of invoices. `append` returns when the invoice is stored durably. */
export interface Journal {
  append(invoice: Invoice): void;
  close(): void;
}

/** The journal cannot be opened, read or written. The message is one line that names the file and what the user can do. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
}

/** Opens a journal, and calls `onLine` with each of its lines, oldest first. */
export type OpenJournal = (onLine: (line: unknown) => void) => Journal;

/**
 * Stores the invoices of the sandbox in memory, each with its payment and its outstanding webhook calls. With a journal they
 * survive a crash: an invoice is in the journal before `save` returns. A database is not used, because the sandbox needs
 * nothing but Node.
 */
export class InvoiceStore {
  readonly #invoices = new Map<string, Invoice>();
  readonly #idsByLink = new Map<string, string>();
  readonly #idsByExternalId = new Map<string, string[]>();
  readonly #pendingIds = new Set<string>();
  readonly #idsWithCalls = new Set<string>();
  readonly #journal: Journal | undefined;
  /** No pending invoice expires before this time. */
  #earliestExpiry = Infinity;

  /** Without `open` there is no journal, and the data is lost when the process ends. */
  constructor(open?: OpenJournal) {
    this.#journal = open?.((line) => {
      const { success, data } = invoiceSchema.safeParse(line);
      if (!success) throw new Error('it is not an invoice');
      this.#apply(data);
    });
  }

  /** Adds an invoice, or replaces the invoice with its identifier. */
  save(invoice: Invoice): void {
    this.#journal?.append(invoice);
    this.#apply(invoice);
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
    const paidInvoices = [...this.#invoices.values()].filter(({ is_booked }) => is_booked === true);
    return sumOf(paidInvoices.map(({ amount }) => ({ price: amount, quantity: 1 })));
  }

  /** The invoices with outstanding webhook calls. */
  withCalls(): readonly Invoice[] {
    return this.#listInvoices(this.#idsWithCalls);
  }

  close(): void {
    this.#journal?.close();
  }

  #listInvoices(ids: Iterable<string>): Invoice[] {
    return [...ids].flatMap((id) => this.#invoices.get(id) ?? []);
  }

  #apply(invoice: Invoice): void {
    const { id, external_id, status, expires_at, calls = [] } = invoice;
    if (!this.#invoices.has(id)) {
      this.#idsByLink.set(linkCode(id), id);
      if (external_id !== undefined)
        this.#idsByExternalId.set(external_id, [...(this.#idsByExternalId.get(external_id) ?? []), id]);
    }
    this.#invoices.set(id, invoice);
    if (status === 'PENDING') this.#pendingIds.add(id);
    else this.#pendingIds.delete(id);
    if (status === 'PENDING') this.#earliestExpiry = Math.min(this.#earliestExpiry, expires_at);
    if (calls.length > 0) this.#idsWithCalls.add(id);
    else this.#idsWithCalls.delete(id);
  }
}
