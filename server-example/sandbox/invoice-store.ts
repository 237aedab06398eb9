import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Libsql from 'libsql';
import { z } from 'zod';
import { sumOf } from '../../src/contract.ts';
import { invoiceRecord, type Invoice } from './invoice.ts';
import { linkCode } from './nspk-link.ts';

/** A call of a merchant's hook that still has to be made. */
export interface HookCall {
  readonly id: number;
  readonly url: string;
  readonly body: string;
  /** How often it was tried in vain. */
  readonly attempts: number;
  readonly due_at: number;
}

const schema = `
  create table if not exists invoices (
    seq integer primary key autoincrement,
    id text not null unique,
    link_code text not null unique,
    external_id text,
    pending_until integer,
    document text not null
  );
  create index if not exists invoices_external_id on invoices (external_id);
  create index if not exists invoices_pending_until on invoices (pending_until) where pending_until is not null;
  create table if not exists payments (invoice_id text primary key, amount text not null);
  create table if not exists hook_calls (
    id integer primary key autoincrement,
    url text not null,
    body text not null,
    attempts integer not null,
    due_at integer not null
  );
`;

const documentRow = z.object({ document: z.string() });
const momentRow = z.object({ moment: z.number().nullable() });
const paymentRow = z.object({ amount: z.string() });
const hookRow = z.object({
  id: z.number(),
  url: z.string(),
  body: z.string(),
  attempts: z.number(),
  due_at: z.number(),
});

/**
 * The sandbox's memory: a file (or `:memory:`) that survives the end of the process at any moment. A write is on the
 * disk before the method returns.
 */
export class InvoiceStore {
  readonly #db: Libsql.Database;
  readonly #statements = new Map<string, Libsql.Statement>();

  constructor(file: string) {
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    this.#db = new Libsql(file, { timeout: 5000 });
    this.#db.pragma('journal_mode = wal');
    this.#db.pragma('synchronous = full');
    this.#db.exec(schema);
  }

  /** Runs the writes of a function as one. */
  together<T>(writes: () => T): T {
    this.#db.exec('begin immediate');
    try {
      const result = writes();
      this.#db.exec('commit');
      return result;
    } catch (error) {
      this.#db.exec('rollback');
      throw error;
    }
  }

  insert(invoice: Invoice): void {
    this.#run(
      'insert into invoices (id, link_code, external_id, pending_until, document) values (?, ?, ?, ?, ?)',
      invoice.id,
      linkCode(invoice.id),
      invoice.external_id ?? null,
      pendingUntil(invoice),
      JSON.stringify(invoice),
    );
  }

  update(invoice: Invoice): void {
    this.#run(
      'update invoices set pending_until = ?, document = ? where id = ?',
      pendingUntil(invoice),
      JSON.stringify(invoice),
      invoice.id,
    );
  }

  find(id: string): Invoice | undefined {
    return this.#invoices('select document from invoices where id = ?', id)[0];
  }

  findByLink(code: string): Invoice | undefined {
    return this.#invoices('select document from invoices where link_code = ?', code)[0];
  }

  /** Those of the identifiers that are known, each once. */
  findAll(ids: readonly string[]): readonly Invoice[] {
    const list = JSON.stringify(ids);
    return this.#invoices('select document from invoices where id in (select value from json_each(?))', list);
  }

  /** The first invoice with that external identifier. */
  findFirst(externalId: string): Invoice | undefined {
    return this.#invoices('select document from invoices where external_id = ? order by seq limit 1', externalId)[0];
  }

  /** The newest invoices first, those with an external identifier alone when one is given. */
  newest(count: number, externalId?: string): readonly Invoice[] {
    if (externalId === undefined)
      return this.#invoices('select document from invoices order by seq desc limit ?', count);
    const byExternalId = 'select document from invoices where external_id = ? order by seq desc limit ?';
    return this.#invoices(byExternalId, externalId, count);
  }

  /** The pending invoices whose time is over. */
  overdue(now: number): readonly Invoice[] {
    return this.#invoices('select document from invoices where pending_until <= ? order by pending_until', now);
  }

  /** When the next pending invoice expires. */
  nextExpiry(): number | undefined {
    return this.#moment('select min(pending_until) as moment from invoices where pending_until is not null');
  }

  /** Books a payment on the merchant's balance, once for each invoice. */
  book(invoice: Invoice): void {
    this.#run('insert or ignore into payments (invoice_id, amount) values (?, ?)', invoice.id, invoice.amount);
  }

  /** The merchant's balance as a decimal. */
  balance(): string {
    const rows = this.#all('select amount from payments').map((row) => paymentRow.parse(row));
    return sumOf(rows.map(({ amount }) => ({ price: amount, quantity: 1 })));
  }

  addHookCall(url: string, body: string, dueAt: number): void {
    this.#run('insert into hook_calls (url, body, attempts, due_at) values (?, ?, 0, ?)', url, body, dueAt);
  }

  dueHookCalls(now: number): readonly HookCall[] {
    return this.#all('select * from hook_calls where due_at <= ? order by id', now).map((row) => hookRow.parse(row));
  }

  nextHookCall(): number | undefined {
    return this.#moment('select min(due_at) as moment from hook_calls');
  }

  postponeHookCall(id: number, attempts: number, dueAt: number): void {
    this.#run('update hook_calls set attempts = ?, due_at = ? where id = ?', attempts, dueAt, id);
  }

  removeHookCall(id: number): void {
    this.#run('delete from hook_calls where id = ?', id);
  }

  close(): void {
    this.#db.close();
  }

  #invoices(sql: string, ...values: readonly (string | number)[]): readonly Invoice[] {
    return this.#all(sql, ...values).map((row) => {
      const stored: unknown = JSON.parse(documentRow.parse(row).document);
      return invoiceRecord.parse(stored);
    });
  }

  #moment(sql: string): number | undefined {
    const [row] = this.#all(sql);
    return momentRow.parse(row).moment ?? undefined;
  }

  #all(sql: string, ...values: readonly (string | number)[]): unknown[] {
    return this.#statement(sql).all(...values);
  }

  #run(sql: string, ...values: readonly (string | number | null)[]): void {
    this.#statement(sql).run(...values);
  }

  #statement(sql: string): Libsql.Statement {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** What the sandbox remembers: a file here, a browser's page elsewhere. */
export type InvoiceMemory = Pick<InvoiceStore, keyof InvoiceStore>;

function pendingUntil({ status, expires_at }: Invoice): number | null {
  return status === 'PENDING' ? expires_at : null;
}
