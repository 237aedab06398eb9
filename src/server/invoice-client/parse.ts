import type { z } from 'zod';
import type { Operation } from '../../contract.ts';
import type { Read } from './transport.ts';
import type { Log } from '../ports/log.ts';
import { loggableId } from './service-text.ts';

/** Reads a value by a schema. The detail of a failure names the member at fault and never shows its value. */
export function readAs<S extends z.ZodType>(schema: S, value: unknown): Read<z.output<S>> {
  const read = schema.safeParse(value);
  if (read.success) return { ok: true, value: read.data };
  const member = read.error.issues[0]?.path[0];
  return { ok: false, detail: typeof member === 'string' ? member : 'not_of_the_contract' };
}

/** The items that can be read; one that cannot costs only itself, and the log its identifier. */
export function readEach<S extends z.ZodType>(
  schema: S,
  items: readonly unknown[],
  operation: Operation,
  log: Log,
): readonly z.output<S>[] {
  return items.flatMap((item) => {
    const read = readAs(schema, item);
    if (read.ok) return [read.value];
    log('warn', 'invoice_service_item_dropped', { operation, id: idOf(item), member: read.detail });
    return [];
  });
}

function idOf(item: unknown): string {
  return typeof item === 'object' && item !== null && 'id' in item ? loggableId(item.id) : 'unreadable';
}
