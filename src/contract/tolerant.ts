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

/** A schema that reads tolerantly: null is missing, unknown members are dropped. */
export function tolerant<T extends z.ZodType>(schema: T) {
  return z.preprocess(withoutNulls, schema);
}

/** An enum whose list of values is not closed: any string, or a number, which is kept as its digits. */
export const openEnum = z.preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string());
