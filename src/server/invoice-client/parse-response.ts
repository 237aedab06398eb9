import type { z } from 'zod';
import { fetchedInvoice, type FetchedInvoice, type Operation } from '../../contract.ts';
import type { Log } from '../ports/log.ts';

/** The parsed value, or the name of the member that violates the contract. */
export type ParseResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly detail: string };

/** Parses a value by a schema. The detail of a failure is the name of the invalid member, without its value. */
export function parseWith<S extends z.ZodType>(schema: S, value: unknown): ParseResult<z.output<S>> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  const member = result.error.issues[0]?.path[0];
  return { ok: false, detail: typeof member === 'string' ? member : 'not_of_the_contract' };
}

/** Parses a list and drops invalid items. The log contains the identifier of each dropped item. */
export function parseItems<S extends z.ZodType>(
  schema: S,
  items: readonly unknown[],
  operation: Operation,
  log: Log,
): readonly z.output<S>[] {
  return items.flatMap((item) => {
    const result = parseWith(schema, item);
    if (result.ok) return [result.value];
    const level = operation === 'FetchInvoices' ? 'error' : 'warn'; // an invoice may be paid
    log(level, 'invoice_service_item_dropped', { operation, id: logIdOf(item), member: result.detail });
    return [];
  });
}

/**
 * Parses fetched invoices. An invalid invoice is reduced to its identifier and not dropped: a missing invoice would expire by
 * time, although it may be paid.
 */
export function parseFetchedInvoices(items: readonly unknown[], log: Log): readonly FetchedInvoice[] {
  return items.flatMap((item) => {
    const [invoice] = parseItems(fetchedInvoice, [item], 'FetchInvoices', log);
    return invoice ?? parseIdentifierOnly(item);
  });
}

function parseIdentifierOnly(item: unknown): readonly FetchedInvoice[] {
  const id = typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined;
  const result = parseWith(fetchedInvoice, { id });
  return result.ok ? [result.value] : [];
}

function logIdOf(item: unknown): string {
  return typeof item === 'object' && item !== null && 'id' in item ? redactId(item.id) : 'unreadable';
}

/**
 * Redacts a text of the service for the log. It removes the token, links and capabilities (the text may repeat the
 * webhook URL, which contains a capability and a secret), runs of seven or more digits (phones, cards, accounts) and
 * control characters, and keeps at most 200 characters.
 */
export function redactForLog(text: string, token: string): string {
  return text
    .replaceAll(token, '[token]')
    .replace(/https?:[^\s"'<>]*/giu, '[link]')
    .replace(/chk_[^\s"'<>]*/gu, '[checkout]')
    .replace(/\p{Nd}(?:[ ().+-]*\p{Nd}){6,}/gu, '[digits]')
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .slice(0, 200);
}

/** An identifier of the service for the log (`inv_…`, `pm_…`). A value of another shape is not logged. */
export function redactId(value: unknown): string {
  return typeof value === 'string' && /^[a-z]{2,5}_[A-Za-z0-9_-]{1,64}$/.test(value) ? value : 'unreadable';
}
