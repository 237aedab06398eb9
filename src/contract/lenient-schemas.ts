import { z } from 'zod';

/**
 * A JSON value in which each member that is null is missing, as protobuf's JSON form reads them. What lies inside
 * `metadata` belongs to the caller and is kept as it is.
 */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([key, member]) => [key, key === 'metadata' ? member : withoutNulls(member)]));
}

/** As deep as protobuf's own JSON readers go; deeper ones would exhaust the stack of whoever walks them. */
const maxDepth = 100;

/** A schema that reads tolerantly: null is missing, unknown members are dropped. What is nested too deeply is refused. */
export function tolerant<T extends z.ZodType>(schema: T) {
  return z.preprocess((value, context) => {
    if (isWithinDepth(value, maxDepth)) return withoutNulls(value);
    context.issues.push({ code: 'custom', message: `must not be nested deeper than ${maxDepth}`, input: undefined });
    return z.NEVER;
  }, schema);
}

function isWithinDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isWithinDepth(member, depth - 1));
}

/** A member that may be missing; one that is malformed is missing too, and never costs the object that it is in. */
export function lenient<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
}

/** A list of which a malformed item costs only itself. */
export function lenientList<T extends z.ZodType>(schema: T) {
  const read = (value: unknown) =>
    Array.isArray(value) ? value.filter((item) => schema.safeParse(item).success) : undefined;
  return z.preprocess(read, z.array(schema).default([]));
}

/** An enum whose list of values is not closed: any string, or a number, which is kept as its digits. */
export const openEnum = z.preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string());
