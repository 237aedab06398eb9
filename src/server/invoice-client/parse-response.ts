import type { z } from 'zod';
import {
  createdInvoice,
  fetchedInvoice,
  type CreatedInvoice,
  type FetchedInvoice,
  type Operation,
} from '../../service-api.ts';
import type { Log, LogLevel } from '../ports/log.ts';

/** The parsed value, or the name of the member that violates the contract. */
export type ParseResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly detail: string };

/** Parses a value by a schema. The detail of a failure is the name of the invalid member, without its value. */
export function parseWith<S extends z.ZodType>(schema: S, value: unknown): ParseResult<z.output<S>> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  const member = result.error.issues[0]?.path[0];
  return { ok: false, detail: typeof member === 'string' ? member : 'not_of_the_contract' };
}

/** A malformed member that a schema has dropped, and what was in its place: a type of JSON. */
interface DroppedMember {
  readonly member: string;
  readonly shape: string;
}

/**
 * The members of `value` that a lenient schema has dropped. Zod keeps the key of a member whose value it has replaced by
 * undefined. Lists are named with `[]`, without an index.
 */
function droppedMembers(value: unknown, parsed: unknown, path = ''): readonly DroppedMember[] {
  if (Array.isArray(value) && Array.isArray(parsed)) {
    if (value.length !== parsed.length) return [{ member: `${path}[]`, shape: 'malformed' }];
    return parsed.flatMap((item, index) => droppedMembers(value[index], item, `${path}[]`));
  }
  if (typeof value !== 'object' || value === null || typeof parsed !== 'object' || parsed === null) return [];
  const originals: Readonly<Record<string, unknown>> = { ...value };
  return Object.entries(parsed).flatMap(([key, member]) => {
    const original = originals[key];
    if (original === undefined || key === 'metadata') return [];
    const memberPath = path === '' ? key : `${path}.${key}`;
    if (member !== undefined) return droppedMembers(original, member, memberPath);
    return [{ member: memberPath, shape: Array.isArray(original) ? 'array' : typeof original }];
  });
}

/** Reports members that were dropped because they are malformed: a line of the log for each shape, and a metric. */
export type ReportDropped = (operation: Operation, dropped: readonly DroppedMember[]) => void;

/** Logs each operation, member and shape once, because a service that changes a member does so in every response. */
export function createDroppedReport(log: Log, count: (operation: Operation, member: string) => void): ReportDropped {
  const logged = new Set<string>();
  return (operation, dropped) => {
    for (const { member, shape } of dropped) {
      count(operation, member);
      const key = `${operation} ${member} ${shape}`;
      if (logged.has(key)) continue;
      logged.add(key);
      log(levelOf(operation), 'invoice_service_member_dropped', { operation, member, shape });
    }
  };
}

/** A fetched invoice may be paid, and a payer waits for a created one. */
const levelOf = (operation: Operation): LogLevel => (operation === 'FetchPaymentOptions' ? 'warn' : 'error');

/** Parses a created invoice. Requisites that name nothing to pay to are dropped, so that no payer is asked to pay to them. */
export function parseCreatedInvoice(json: unknown, report: ReportDropped): ParseResult<CreatedInvoice> {
  const result = parseWith(createdInvoice, json);
  if (!result.ok) return result;
  report('CreateInvoice', droppedMembers(json, result.value));
  const { sbp, card, bank_transfer, ...invoice } = result.value;
  return {
    ok: true,
    value: {
      ...invoice,
      ...(sbp?.phone === undefined && sbp?.account === undefined ? {} : { sbp }),
      ...(card?.card_number === undefined && card?.account === undefined ? {} : { card }),
      ...(bank_transfer?.account === undefined ? {} : { bank_transfer }),
    },
  };
}

/** Parses a list and drops invalid items. The log contains the identifier of each dropped item. */
export function parseItems<S extends z.ZodType>(
  schema: S,
  items: readonly unknown[],
  operation: Operation,
  log: Log,
  report: ReportDropped,
): readonly z.output<S>[] {
  return items.flatMap((item) => {
    const result = parseWith(schema, item);
    if (result.ok) {
      report(operation, droppedMembers(item, result.value));
      return [result.value];
    }
    log(levelOf(operation), 'invoice_service_item_dropped', { operation, id: logIdOf(item), member: result.detail });
    return [];
  });
}

/**
 * Parses fetched invoices. An invalid invoice is reduced to its identifier and not dropped: a missing invoice would expire by
 * time, although it may be paid. An invoice without a status is reported, because its payment cannot be seen.
 */
export function parseFetchedInvoices(
  items: readonly unknown[],
  log: Log,
  report: ReportDropped,
): readonly FetchedInvoice[] {
  return items.flatMap((item) => {
    const [invoice] = parseItems(fetchedInvoice, [item], 'FetchInvoices', log, report);
    if (invoice === undefined) return parseIdentifierOnly(item);
    if (invoice.status === undefined && !Object.hasOwn(invoice, 'status'))
      report('FetchInvoices', [{ member: 'status', shape: 'missing' }]);
    return invoice;
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
