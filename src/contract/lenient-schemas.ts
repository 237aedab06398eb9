import { z } from 'zod';

/**
 * A JSON value without the members that are null or `""`, at any depth: protobuf's JSON form uses both for a missing member.
 * `metadata` belongs to the caller and stays unchanged.
 * @param empty The values of members to leave out.
 */
export function withoutEmpty(value: unknown, empty: readonly unknown[] = [null, '']): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutEmpty(item, empty));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, member]) => !empty.includes(member));
  return Object.fromEntries(
    kept.map(([key, member]) => [key, key === 'metadata' ? member : withoutEmpty(member, empty)]),
  );
}

/** The same limit as that of protobuf's JSON parsers. Deeper values could overflow the stack. */
const maxDepth = 100;

/**
 * The schema of a response: null and `""` count as missing, as in protobuf's JSON form, and unknown members are dropped.
 * Values that nest too deeply are refused.
 */
export function responseBody<T extends z.ZodType>(schema: T) {
  return preprocessed(schema, [null, '']);
}

/** The schema of a request: null counts as missing. `""` is an error where it is not valid, so that a caller notices it. */
export function requestBody<T extends z.ZodType>(schema: T) {
  return preprocessed(schema, [null]);
}

function preprocessed<T extends z.ZodType>(schema: T, empty: readonly unknown[]) {
  return z.preprocess((value, context) => {
    if (isWithinDepth(value, maxDepth)) return withoutEmpty(value, empty);
    context.issues.push({ code: 'custom', message: `must not be nested deeper than ${maxDepth}`, input: undefined });
    return z.NEVER;
  }, schema);
}

function isWithinDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isWithinDepth(member, depth - 1));
}

/** A member that may be missing. A malformed one counts as missing, so that its object stays valid. */
export function lenient<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
}

/** A list whose malformed items are dropped. */
export function lenientList<T extends z.ZodType>(schema: T) {
  const read = (value: unknown) =>
    Array.isArray(value) ? value.filter((item) => schema.safeParse(item).success) : undefined;
  return z.preprocess(read, z.array(schema).default([]));
}

/** An open enum: any string, or a number, which becomes a string of its digits. */
export const openEnum = z.preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string());
