import { z } from 'zod';
import { sumOf } from '../../contract.ts';
import { type Invoice, invoiceSchema } from './invoice.ts';
import { linkCode } from './nspk-link.ts';

/** A call of a merchant's hook that still has to be made. */
export type WebhookCall = Readonly<z.output<typeof webhookCall>>;

const webhookCall = z.object({
  id: z.number(),
  url: z.string(),
  body: z.string(),
  /** How often it was tried in vain. */
  attempts: z.number(),
  due_at: z.number(),
});

/** What changes: an invoice as it is now, a payment on the balance, a hook's call as it is now, a call that is done. */
const change = z.union([
  z.object({ invoice: invoiceSchema }),
  z.object({ booked: z.string(), amount: z.string() }),
  z.object({ call: webhookCall }),
  z.object({ called: z.number() }),
]);
type Change = z.output<typeof change>;
const changes = z.array(change);

/** Where the changes are kept: `append` returns once a line is safe. */
export interface Log {
  append(line: readonly unknown[]): void;
  close(): void;
}

/** Opens a log and hands over the lines that are in it. */
export type OpenLog = (take: (line: unknown) => void) => Log;

/**
 * The sandbox's memory. With a log it survives the end of the process at any moment: a write is in it before the method
 * returns. No database: the sandbox is also a program of its own, on machines that have nothing but Node.
 */
export class InvoiceStore {
  readonly #invoices = new Map<string, Invoice>();
  readonly #order: string[] = [];
  readonly #links = new Map<string, string>();
  readonly #externalIds = new Map<string, string[]>();
  readonly #pending = new DeadlineQueue(({ at, id }) => deadlineOf(this.#invoices.get(id)) === at);
  readonly #payments = new Map<string, string>();
  readonly #calls = new Map<number, WebhookCall>();
  readonly #log: Log | undefined;
  #lastCall = 0;
  #together: Change[] | undefined;

  /** Keeps nothing beyond its own life without a log. */
  constructor(open?: OpenLog) {
    this.#log = open?.((line) => {
      for (const one of changes.parse(line)) this.#apply(one);
    });
  }

  /** Runs the writes of a function as one; they can be read once it has returned. */
  transaction<T>(writes: () => T): T {
    const list: Change[] = [];
    this.#together = list;
    try {
      const result = writes();
      this.#commit(list);
      return result;
    } finally {
      this.#together = undefined;
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

  /** Those of the identifiers that are known, each once. */
  findAll(ids: readonly string[]): readonly Invoice[] {
    return this.#all([...new Set(ids)]);
  }

  /** The first invoice with that external identifier. */
  findFirst(externalId: string): Invoice | undefined {
    return this.#invoices.get(this.#externalIds.get(externalId)?.[0] ?? '');
  }

  /** The newest invoices first, those with an external identifier alone when one is given. */
  newest(count: number, externalId?: string): readonly Invoice[] {
    const ids = externalId === undefined ? this.#order : (this.#externalIds.get(externalId) ?? []);
    return this.#all(ids.slice(Math.max(0, ids.length - count)).reverse());
  }

  /** The pending invoices whose time is over. */
  overdue(now: number): readonly Invoice[] {
    return this.#all(this.#pending.due(now));
  }

  /** When the next pending invoice expires. */
  nextExpiry(): number | undefined {
    return this.#pending.next();
  }

  /** Books a payment on the merchant's balance, once for each invoice. */
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
    this.#log?.close();
  }

  #all(ids: readonly string[]): readonly Invoice[] {
    return ids.flatMap((id) => this.#invoices.get(id) ?? []);
  }

  #write(one: Change): void {
    if (this.#together !== undefined) this.#together.push(one);
    else this.#commit([one]);
  }

  #commit(list: readonly Change[]): void {
    if (list.length === 0) return;
    this.#log?.append(list);
    for (const one of list) this.#apply(one);
  }

  #apply(one: Change): void {
    if ('invoice' in one) this.#keep(one.invoice);
    else if ('booked' in one) this.#payments.set(one.booked, one.amount);
    else if ('called' in one) this.#calls.delete(one.called);
    else {
      this.#calls.set(one.call.id, one.call);
      this.#lastCall = Math.max(this.#lastCall, one.call.id);
    }
  }

  #keep(invoice: Invoice): void {
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

/** What the sandbox remembers: a file here, a browser's page elsewhere. */
export type InvoiceRepository = Pick<InvoiceStore, keyof InvoiceStore>;

function deadlineOf(invoice: Invoice | undefined): number | undefined {
  return invoice?.status === 'PENDING' ? invoice.expires_at : undefined;
}

/** A moment, in milliseconds since 1970, and the invoice whose time is over then. */
interface Deadline {
  readonly at: number;
  readonly id: string;
}

/** The deadlines of pending invoices in their order. One that no longer counts is dropped when its turn comes. */
class DeadlineQueue {
  readonly #deadlines: Deadline[] = [];
  readonly #counts: (deadline: Deadline) => boolean;

  constructor(counts: (deadline: Deadline) => boolean) {
    this.#counts = counts;
  }

  add(deadline: Deadline): void {
    let place = this.#deadlines.length;
    while (place > 0 && (this.#deadlines[place - 1]?.at ?? 0) > deadline.at) place -= 1;
    this.#deadlines.splice(place, 0, deadline);
  }

  /** The earliest deadline. */
  next(): number | undefined {
    let [first] = this.#deadlines;
    while (first !== undefined && !this.#counts(first)) {
      this.#deadlines.shift();
      [first] = this.#deadlines;
    }
    return first?.at;
  }

  /** The invoices whose deadline has come, the earliest first, each once. */
  due(now: number): readonly string[] {
    const end = this.#deadlines.findIndex(({ at }) => at > now);
    const due = end === -1 ? this.#deadlines : this.#deadlines.slice(0, end);
    return [...new Set(due.filter((deadline) => this.#counts(deadline)).map(({ id }) => id))];
  }
}
