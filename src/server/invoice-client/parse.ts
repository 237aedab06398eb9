import type { z } from 'zod';
import type { Operation } from '../../contract.ts';
import type { ParseResult } from './transport.ts';
import type { Log } from '../ports/log.ts';

/** Reads a value by a schema. The detail of a failure names the member at fault and never shows its value. */
export function parseWith<S extends z.ZodType>(schema: S, value: unknown): ParseResult<z.output<S>> {
  const read = schema.safeParse(value);
  if (read.success) return { ok: true, value: read.data };
  const member = read.error.issues[0]?.path[0];
  return { ok: false, detail: typeof member === 'string' ? member : 'not_of_the_contract' };
}

/** The items that can be read; one that cannot costs only itself, and the log its identifier. */
export function parseItems<S extends z.ZodType>(
  schema: S,
  items: readonly unknown[],
  operation: Operation,
  log: Log,
): readonly z.output<S>[] {
  return items.flatMap((item) => {
    const read = parseWith(schema, item);
    if (read.ok) return [read.value];
    log('warn', 'invoice_service_item_dropped', { operation, id: idOf(item), member: read.detail });
    return [];
  });
}

function idOf(item: unknown): string {
  return typeof item === 'object' && item !== null && 'id' in item ? redactId(item.id) : 'unreadable';
}

/**
 * A text of the service as it may stand in a log: without the token, without links and capabilities (it may repeat the
 * address for notifications, which holds both a capability and a secret), without runs of seven or more digits (phones,
 * cards, accounts), without control characters, at most 200 characters.
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

/** An identifier of the service for a log (`inv_…`, `pm_…`); anything of another shape is not shown. */
export function redactId(value: unknown): string {
  return typeof value === 'string' && /^[a-z]{2,5}_[A-Za-z0-9_-]{1,64}$/.test(value) ? value : 'unreadable';
}
