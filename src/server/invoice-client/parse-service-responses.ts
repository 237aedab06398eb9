import {
  createdInvoice,
  fetchedInvoice,
  paymentOption,
  type CreatedInvoice,
  type FetchedInvoice,
  type PaymentOption,
  type Operation,
} from '../../service-api.ts';
import { redactId, type ParseResult } from './send-http-request.ts';
import type { z } from 'zod';
import type { Log, LogLevel } from '../ports/log.ts';

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

/** What a response has that is not read: members that are malformed, and items that are malformed or were not asked for. */
export interface DroppedReport {
  readonly members: (operation: Operation, dropped: readonly DroppedMember[]) => void;
  /** @param first - the first of these items */
  readonly items: (operation: Operation, member: string, count: number, first: unknown) => void;
}

/** Logs each operation, member and shape once, because a service that changes a member does so in every response. */
export function createDroppedReport(log: Log, count: (operation: Operation, member: string) => void): DroppedReport {
  const logged = new Set<string>();
  const isNew = (...parts: readonly string[]): boolean => logged.size < logged.add(parts.join(' ')).size;
  return {
    members: (operation, dropped) => {
      for (const { member, shape } of dropped) {
        count(operation, member);
        if (isNew(operation, member, shape))
          log(levelOf(operation), 'invoice_service_member_dropped', { operation, member, shape });
      }
    },
    items: (operation, member, items, first) => {
      count(operation, member);
      if (isNew(operation, member))
        log(levelOf(operation), 'invoice_service_item_dropped', { operation, member, items, id: logIdOf(first) });
    },
  };
}

/** A fetched invoice may be paid, and a payer waits for a created one. */
const levelOf = (operation: Operation): LogLevel => (operation === 'FetchPaymentOptions' ? 'warn' : 'error');

/** Parses a created invoice. Requisites that name nothing to pay to are dropped, so that no payer is asked to pay to them. */
export function parseCreatedInvoice(json: unknown, report: DroppedReport): ParseResult<CreatedInvoice> {
  const result = parseWith(createdInvoice, json);
  if (!result.ok) return result;
  report.members('CreateInvoice', droppedMembers(json, result.value));
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

/** How many payment methods are read. */
const maxOptions = 100;

/** Parses payment methods and drops invalid ones. */
export function parseOptions(items: readonly unknown[], report: DroppedReport): readonly PaymentOption[] {
  const read = items.slice(0, maxOptions);
  if (items.length > maxOptions)
    report.items('FetchPaymentOptions', 'options', items.length - maxOptions, items[maxOptions]);
  return read.flatMap((item) => parseItem(paymentOption, item, 'FetchPaymentOptions', report));
}

/** Parses an item of a list. An invalid item is reported with its identifier, and is an empty list. */
function parseItem<S extends z.ZodType>(
  schema: S,
  item: unknown,
  operation: Operation,
  report: DroppedReport,
): readonly z.output<S>[] {
  const result = parseWith(schema, item);
  if (result.ok) {
    report.members(operation, droppedMembers(item, result.value));
    return [result.value];
  }
  report.items(operation, result.detail, 1, item);
  return [];
}

/**
 * Parses the invoices that were asked for, each once. An invalid invoice is reduced to its identifier and not dropped: a missing invoice
 * would expire by time, although it may be paid. So is one that comes again with other members: nobody knows which of them are
 * true. An invoice without a status is reported, because its payment cannot be seen.
 */
export function parseFetchedInvoices(
  items: readonly unknown[],
  ids: readonly string[],
  report: DroppedReport,
): readonly FetchedInvoice[] {
  return itemsById(items, ids, report).flatMap(([id, item]) => {
    if (item === undefined) {
      report.members('FetchInvoices', [{ member: 'invoices[]', shape: 'contradictory' }]);
      return parseIdentifierOnly(id);
    }
    const [invoice] = parseItem(fetchedInvoice, item, 'FetchInvoices', report);
    if (invoice === undefined) return parseIdentifierOnly(id);
    if (invoice.status === undefined && !Object.hasOwn(invoice, 'status'))
      report.members('FetchInvoices', [{ member: 'status', shape: 'missing' }]);
    return invoice;
  });
}

/** The item of each of these identifiers that has any; undefined where its items differ. All other items are not read. */
function itemsById(items: readonly unknown[], ids: readonly string[], report: DroppedReport) {
  const asked = new Set<unknown>(ids);
  const itemById = new Map<string, unknown>();
  const unread: unknown[] = [];
  for (const item of items) {
    const id = typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined;
    if (typeof id !== 'string' || !asked.has(id)) unread.push(item);
    else if (!itemById.has(id)) itemById.set(id, item);
    else {
      unread.push(item);
      const first = itemById.get(id);
      if (first !== undefined && JSON.stringify(first) !== JSON.stringify(item)) itemById.set(id, undefined);
    }
  }
  if (unread.length > 0) report.items('FetchInvoices', 'invoices', unread.length, unread[0]);
  return [...itemById];
}

function parseIdentifierOnly(id: string): readonly FetchedInvoice[] {
  const result = parseWith(fetchedInvoice, { id });
  return result.ok ? [result.value] : [];
}

function logIdOf(item: unknown): string {
  return typeof item === 'object' && item !== null && 'id' in item ? redactId(item.id) : 'unreadable';
}
