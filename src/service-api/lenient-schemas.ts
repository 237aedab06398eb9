import { z } from 'zod';

/**
 * A JSON value without its empty members, at any depth: protobuf's JSON form writes null or `""` for a missing member.
 * `metadata` belongs to the caller and stays unchanged.
 * @param emptyValues The values that make a member empty.
 */
export function withoutEmpty(value: unknown, emptyValues: readonly unknown[] = [null, '']): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutEmpty(item, emptyValues));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => !emptyValues.includes(member));
  return Object.fromEntries(
    members.map(([key, member]) => [key, key === 'metadata' ? member : withoutEmpty(member, emptyValues)]),
  );
}

/** The maximum depth of protobuf's JSON parsers. Deeper values could overflow the stack. */
const maxDepth = 100;

/**
 * The schema of a response: null and `""` count as missing, as in protobuf's JSON form, and unknown members are dropped.
 * Values that nest too deeply are refused.
 */
export function responseBody<T extends z.ZodType>(schema: T) {
  return preprocessSchema(schema, [null, '']);
}

/**
 * The schema of a request: null counts as missing. `""` does not count as missing, so that it is an error where a value is
 * needed.
 */
export function requestBody<T extends z.ZodType>(schema: T) {
  return preprocessSchema(schema, [null]);
}

function preprocessSchema<T extends z.ZodType>(schema: T, emptyValues: readonly unknown[]) {
  return z.preprocess((value, context) => {
    if (isWithinDepth(value, maxDepth)) return withoutEmpty(value, emptyValues);
    context.issues.push({ code: 'custom', message: `must not be nested deeper than ${maxDepth}`, input: undefined });
    return z.NEVER;
  }, schema);
}

function isWithinDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => isWithinDepth(member, depth - 1));
}

/** A member that may be missing. A malformed member counts as missing, so that its object stays valid. */
export function lenient<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
}

/** A list whose malformed items are dropped. */
export function lenientList<T extends z.ZodType>(schema: T) {
  const keepValidItems = (value: unknown) =>
    Array.isArray(value) ? value.filter((item) => schema.safeParse(item).success) : undefined;
  return z.preprocess(keepValidItems, z.array(schema).default([]));
}

/** A text of the service. U+0000 is refused, because PostgreSQL cannot store it. */
export const text = z.string().refine((value) => !value.includes('\0'), 'must not contain U+0000');

/** An open enum: any text, or a number, which becomes a string of its digits. */
export const openEnum = z.preprocess((value) => (typeof value === 'number' ? String(value) : value), text);
