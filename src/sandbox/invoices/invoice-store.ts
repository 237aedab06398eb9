import { z } from 'zod';
import { sumOf } from '../../contract.ts';
import { type Invoice, invoiceSchema } from './invoice.ts';
import { linkCode } from './nspk-link.ts';

/** A webhook request that has not succeeded. `due_at` is in milliseconds since 1970. */
export type WebhookCall = Readonly<z.output<typeof webhookCall>>;

const webhookCall = z.object({
  id: z.number(),
  url: z.string(),
  body: z.string(),
  /** Number of failed attempts. */
  attempts: z.number(),
  due_at: z.number(),
});

/** A change: the new state of an invoice, a payment on the balance, the new state or the end of a webhook call. */
const change = z.union([
  z.object({ invoice: invoiceSchema }),
  z.object({ booked: z.string(), amount: z.string() }),
  z.object({ call: webhookCall }),
  z.object({ called: z.number() }),
]);
type Change = z.output<typeof change>;
const changes = z.array(change);

/** A journal of changes. `append` returns when the line is stored durably. */
export interface Journal {
  append(line: readonly unknown[]): void;
  close(): void;
}

/** The journal cannot be opened, read or written. The message is one line with the file and what the user can do. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
}

/** Opens a journal, and calls `onLine` with each of its lines. */
export type OpenJournal = (onLine: (line: unknown) => void) => Journal;

/**
 * The invoices, payments and webhook calls of the sandbox, in memory. With a journal they survive a crash: each write is in
 * the journal before the method returns. It is not a database, because the sandbox must run on machines with Node alone.
 */
export class InvoiceStore {
  readonly #invoices = new Map<string, Invoice>();
  readonly #order: string[] = [];
  readonly #links = new Map<string, string>();
  readonly #externalIds = new Map<string, string[]>();
  readonly #pending = new DeadlineQueue(({ at, id }) => deadlineOf(this.#invoices.get(id)) === at);
  readonly #payments = new Map<string, string>();
  readonly #calls = new Map<number, WebhookCall>();
  readonly #journal: Journal | undefined;
  #lastCall = 0;
  #transaction: Change[] | undefined;

  /** Without a journal, nothing is stored durably. */
  constructor(open?: OpenJournal) {
    this.#journal = open?.((line) => {
      const { success, data } = changes.safeParse(line);
      if (!success) throw new Error('it does not describe changes of invoices');
      for (const one of data) this.#apply(one);
    });
  }

  /** Runs the writes of a function as one transaction. Reads return them after the function has returned. */
  transaction<T>(writes: () => T): T {
    const list: Change[] = [];
    this.#transaction = list;
    try {
      const result = writes();
      this.#commit(list);
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
    return this.#invoices.get(this.#links.get(code) ?? '');
  }

  /** The invoices with these identifiers, each once. Unknown identifiers are left out. */
  findAll(ids: readonly string[]): readonly Invoice[] {
    return this.#all([...new Set(ids)]);
  }

  /** The first invoice with that external identifier. */
  findFirst(externalId: string): Invoice | undefined {
    return this.#invoices.get(this.#externalIds.get(externalId)?.[0] ?? '');
  }

  /** The newest invoices first; with `externalId`, only those that have it. */
  newest(count: number, externalId?: string): readonly Invoice[] {
    const ids = externalId === undefined ? this.#order : (this.#externalIds.get(externalId) ?? []);
    return this.#all(ids.slice(Math.max(0, ids.length - count)).reverse());
  }

  /** The pending invoices whose `expires_at` has passed. */
  overdue(now: number): readonly Invoice[] {
    return this.#all(this.#pending.due(now));
  }

  /** When the next pending invoice expires. */
  nextExpiry(): number | undefined {
    return this.#pending.next();
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
    this.#lastCall += 1;
    this.#write({ call: { id: this.#lastCall, url, body, attempts: 0, due_at: dueAt } });
  }

  dueWebhookCalls(now: number): readonly WebhookCall[] {
    return [...this.#calls.values()].filter(({ due_at }) => due_at <= now);
  }

  nextWebhookCall(): number | undefined {
    let next: number | undefined;
    for (const { due_at } of this.#calls.values()) next = Math.min(next ?? due_at, due_at);
    return next;
  }

  postponeWebhookCall(id: number, attempts: number, dueAt: number): void {
    const call = this.#calls.get(id);
    if (call !== undefined) this.#write({ call: { ...call, attempts, due_at: dueAt } });
  }

  removeWebhookCall(id: number): void {
    this.#write({ called: id });
  }

  close(): void {
    this.#journal?.close();
  }

  #all(ids: readonly string[]): readonly Invoice[] {
    return ids.flatMap((id) => this.#invoices.get(id) ?? []);
  }

  #write(one: Change): void {
    if (this.#transaction !== undefined) this.#transaction.push(one);
    else this.#commit([one]);
  }

  #commit(list: readonly Change[]): void {
    if (list.length === 0) return;
    this.#journal?.append(list);
    for (const one of list) this.#apply(one);
  }

  #apply(one: Change): void {
    if ('invoice' in one) this.#applyInvoice(one.invoice);
    else if ('booked' in one) this.#payments.set(one.booked, one.amount);
    else if ('called' in one) this.#calls.delete(one.called);
    else {
      this.#calls.set(one.call.id, one.call);
      this.#lastCall = Math.max(this.#lastCall, one.call.id);
    }
  }

  #applyInvoice(invoice: Invoice): void {
    const { id, external_id } = invoice;
    const before = this.#invoices.get(id);
    this.#invoices.set(id, invoice);
    const at = deadlineOf(invoice);
    if (at !== undefined && at !== deadlineOf(before)) this.#pending.add({ at, id });
    if (before !== undefined) return;
    this.#order.push(id);
    this.#links.set(linkCode(id), id);
    if (external_id === undefined) return;
    const same = this.#externalIds.get(external_id);
    if (same === undefined) this.#externalIds.set(external_id, [id]);
    else same.push(id);
  }
}

/** The store as a port: `InvoiceStore`, or the demo's store in a browser. */
export type InvoiceRepository = Pick<InvoiceStore, keyof InvoiceStore>;

function deadlineOf(invoice: Invoice | undefined): number | undefined {
  return invoice?.status === 'PENDING' ? invoice.expires_at : undefined;
}

/** An invoice and the time at which it expires, in milliseconds since 1970. */
interface Deadline {
  readonly at: number;
  readonly id: string;
}

/** The deadlines of pending invoices in ascending order. Outdated ones are dropped when they are reached. */
class DeadlineQueue {
  readonly #deadlines: Deadline[] = [];
  readonly #isCurrent: (deadline: Deadline) => boolean;

  constructor(isCurrent: (deadline: Deadline) => boolean) {
    this.#isCurrent = isCurrent;
  }

  add(deadline: Deadline): void {
    let place = this.#deadlines.length;
    while (place > 0 && (this.#deadlines[place - 1]?.at ?? 0) > deadline.at) place -= 1;
    this.#deadlines.splice(place, 0, deadline);
  }

  /** The earliest deadline. */
  next(): number | undefined {
    let [first] = this.#deadlines;
    while (first !== undefined && !this.#isCurrent(first)) {
      this.#deadlines.shift();
      [first] = this.#deadlines;
    }
    return first?.at;
  }

  /** The invoices whose deadline has passed, the earliest first, each once. */
  due(now: number): readonly string[] {
    const end = this.#deadlines.findIndex(({ at }) => at > now);
    const due = end === -1 ? this.#deadlines : this.#deadlines.slice(0, end);
    return [...new Set(due.filter((deadline) => this.#isCurrent(deadline)).map(({ id }) => id))];
  }
}
