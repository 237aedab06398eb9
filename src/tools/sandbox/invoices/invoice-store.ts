import { z } from 'zod';
import { sumOf } from '../../../service-api.ts';
import { type Invoice, invoiceSchema } from './invoice.ts';
import { linkCode } from './nspk-link.ts';

/** A webhook request that has not succeeded. `due_at` is in milliseconds since 1970. */
export type WebhookCall = Readonly<z.output<typeof webhookCallSchema>>;

const webhookCallSchema = z.object({
  id: z.number(),
  url: z.string(),
  body: z.string(),
  /** Number of failed attempts. */
  attempts: z.number(),
  due_at: z.number(),
});

/**
 * A change: the new state of an invoice (`invoice`), a payment added to the balance (`booked`), the new state of a webhook call
 * (`call`), or the removal of one (`called`).
 */
const changeSchema = z.union([
  z.object({ invoice: invoiceSchema }),
  z.object({ booked: z.string(), amount: z.string() }),
  z.object({ call: webhookCallSchema }),
  z.object({ called: z.number() }),
]);
type Change = z.output<typeof changeSchema>;
const changeListSchema = z.array(changeSchema);

/** A journal of changes. `append` returns when the line is stored durably. */
export interface Journal {
  append(line: readonly unknown[]): void;
  close(): void;
}

/** The journal cannot be opened, read or written. The message is one line that names the file and what the user can do. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
}

/** Opens a journal, and calls `onLine` with each of its lines. */
export type OpenJournal = (onLine: (line: unknown) => void) => Journal;

/**
 * Stores the invoices, payments and webhook calls of the sandbox in memory. With a journal they survive a crash: each write is
 * in the journal before the method returns. A database is not used, because the sandbox needs nothing but Node.
 */
export class InvoiceStore {
  readonly #invoices = new Map<string, Invoice>();
  readonly #idsByAge: string[] = [];
  readonly #idsByLink = new Map<string, string>();
  readonly #idsByExternalId = new Map<string, string[]>();
  readonly #pendingDeadlines = new DeadlineQueue(({ at, id }) => deadlineOf(this.#invoices.get(id)) === at);
  readonly #payments = new Map<string, string>();
  readonly #webhookCalls = new Map<number, WebhookCall>();
  readonly #journal: Journal | undefined;
  #lastCallId = 0;
  #transaction: Change[] | undefined;

  /** Without `open` there is no journal, and the data is lost when the process ends. */
  constructor(open?: OpenJournal) {
    this.#journal = open?.((line) => {
      const { success, data } = changeListSchema.safeParse(line);
      if (!success) throw new Error('it does not describe changes of invoices');
      for (const change of data) this.#apply(change);
    });
  }

  /** Runs a function and commits its writes as one transaction. Reads inside the function do not return these writes. */
  transaction<T>(writes: () => T): T {
    const pendingChanges: Change[] = [];
    this.#transaction = pendingChanges;
    try {
      const result = writes();
      this.#commit(pendingChanges);
      return result;
    } finally {
      this.#transaction = undefined;
    }
  }

  insert(invoice: Invoice): void {
    this.#write({ invoice });
  }

  update(invoice: Invoice): void {
    this.#write({ invoice });
  }

  find(id: string): Invoice | undefined {
    return this.#invoices.get(id);
  }

  findByLink(code: string): Invoice | undefined {
    return this.#invoices.get(this.#idsByLink.get(code) ?? '');
  }

  /** The invoices with these identifiers, each once. Unknown identifiers are left out. */
  findAll(ids: readonly string[]): readonly Invoice[] {
    return this.#getInvoices([...new Set(ids)]);
  }

  /** The first invoice with that external identifier. */
  findFirst(externalId: string): Invoice | undefined {
    return this.#invoices.get(this.#idsByExternalId.get(externalId)?.[0] ?? '');
  }

  /** The newest invoices first; with `externalId`, only those that have it. */
  newest(count: number, externalId?: string): readonly Invoice[] {
    const ids = externalId === undefined ? this.#idsByAge : (this.#idsByExternalId.get(externalId) ?? []);
    return this.#getInvoices(ids.slice(Math.max(0, ids.length - count)).reverse());
  }

  /** The pending invoices whose `expires_at` has passed. */
  overdue(now: number): readonly Invoice[] {
    return this.#getInvoices(this.#pendingDeadlines.due(now));
  }

  /** When the next pending invoice expires, in milliseconds since 1970; undefined when none is pending. */
  nextExpiry(): number | undefined {
    return this.#pendingDeadlines.next();
  }

  /** Adds a payment to the merchant's balance, once for each invoice. */
  recordPayment({ id, amount }: Invoice): void {
    if (!this.#payments.has(id)) this.#write({ booked: id, amount });
  }

  /** The merchant's balance as a decimal. */
  balance(): string {
    return sumOf([...this.#payments.values()].map((price) => ({ price, quantity: 1 })));
  }

  addWebhookCall(url: string, body: string, dueAt: number): void {
    this.#lastCallId += 1;
    this.#write({ call: { id: this.#lastCallId, url, body, attempts: 0, due_at: dueAt } });
  }

  dueWebhookCalls(now: number): readonly WebhookCall[] {
    return [...this.#webhookCalls.values()].filter(({ due_at }) => due_at <= now);
  }

  nextWebhookCall(): number | undefined {
    let nextDueAt: number | undefined;
    for (const { due_at } of this.#webhookCalls.values()) nextDueAt = Math.min(nextDueAt ?? due_at, due_at);
    return nextDueAt;
  }

  postponeWebhookCall(id: number, attempts: number, dueAt: number): void {
    const call = this.#webhookCalls.get(id);
    if (call !== undefined) this.#write({ call: { ...call, attempts, due_at: dueAt } });
  }

  removeWebhookCall(id: number): void {
    this.#write({ called: id });
  }

  close(): void {
    this.#journal?.close();
  }

  #getInvoices(ids: readonly string[]): readonly Invoice[] {
    return ids.flatMap((id) => this.#invoices.get(id) ?? []);
  }

  #write(change: Change): void {
    if (this.#transaction !== undefined) this.#transaction.push(change);
    else this.#commit([change]);
  }

  #commit(pendingChanges: readonly Change[]): void {
    if (pendingChanges.length === 0) return;
    this.#journal?.append(pendingChanges);
    for (const change of pendingChanges) this.#apply(change);
  }

  #apply(change: Change): void {
    if ('invoice' in change) this.#applyInvoice(change.invoice);
    else if ('booked' in change) this.#payments.set(change.booked, change.amount);
    else if ('called' in change) this.#webhookCalls.delete(change.called);
    else {
      this.#webhookCalls.set(change.call.id, change.call);
      this.#lastCallId = Math.max(this.#lastCallId, change.call.id);
    }
  }

  #applyInvoice(invoice: Invoice): void {
    const { id, external_id } = invoice;
    const previousInvoice = this.#invoices.get(id);
    this.#invoices.set(id, invoice);
    const deadlineMs = deadlineOf(invoice);
    if (deadlineMs !== undefined && deadlineMs !== deadlineOf(previousInvoice))
      this.#pendingDeadlines.add({ at: deadlineMs, id });
    if (previousInvoice !== undefined) return;
    this.#idsByAge.push(id);
    this.#idsByLink.set(linkCode(id), id);
    if (external_id === undefined) return;
    const idsWithExternalId = this.#idsByExternalId.get(external_id);
    if (idsWithExternalId === undefined) this.#idsByExternalId.set(external_id, [id]);
    else idsWithExternalId.push(id);
  }
}

/** The interface of the store, which the demo's store in a browser also implements. */
export type InvoiceRepository = Pick<InvoiceStore, keyof InvoiceStore>;

function deadlineOf(invoice: Invoice | undefined): number | undefined {
  return invoice?.status === 'PENDING' ? invoice.expires_at : undefined;
}

/** An invoice and the time at which it expires, in milliseconds since 1970. */
interface Deadline {
  readonly at: number;
  readonly id: string;
}

/** The deadlines of invoices in ascending order. Deadlines that are no longer current are ignored. */
class DeadlineQueue {
  readonly #deadlines: Deadline[] = [];
  readonly #isCurrent: (deadline: Deadline) => boolean;

  constructor(isCurrent: (deadline: Deadline) => boolean) {
    this.#isCurrent = isCurrent;
  }

  add(deadline: Deadline): void {
    let index = this.#deadlines.length;
    while (index > 0 && (this.#deadlines[index - 1]?.at ?? 0) > deadline.at) index -= 1;
    this.#deadlines.splice(index, 0, deadline);
  }

  /** The earliest deadline. */
  next(): number | undefined {
    let [earliest] = this.#deadlines;
    while (earliest !== undefined && !this.#isCurrent(earliest)) {
      this.#deadlines.shift();
      [earliest] = this.#deadlines;
    }
    return earliest?.at;
  }

  /** The invoices whose deadline has passed, the earliest first, each once. */
  due(now: number): readonly string[] {
    const end = this.#deadlines.findIndex(({ at }) => at > now);
    const passedDeadlines = end === -1 ? this.#deadlines : this.#deadlines.slice(0, end);
    return [...new Set(passedDeadlines.filter((deadline) => this.#isCurrent(deadline)).map(({ id }) => id))];
  }
}
