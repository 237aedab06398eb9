// Readers: the browser's parsers of the checkout API. Each takes any value and returns it typed, or throws. They are
// a few hundred bytes where a schema library is thousands; what they accept is generated from the schemas, and a
// property test holds both to the same answers.

/** Turns any value into a `T`, or throws a `ReadError`. */
export type Reader<T> = (value: unknown, path: string) => T;

/** A value that is not what the checkout API says; `message` names the field and why. */
export class DecodeError extends Error {
  override readonly name = 'ReadError';
}

function refuse(path: string, expected: string): never {
  throw new DecodeError(`${path || 'body'}: ${expected}`);
}

export const string: Reader<string> = (value, path) => (typeof value === 'string' ? value : refuse(path, 'a string'));

export const boolean: Reader<boolean> = (value, path) =>
  typeof value === 'boolean' ? value : refuse(path, 'true or false');

/** A safe integer that is not negative. */
export const count: Reader<number> = (value, path) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : refuse(path, 'a whole number from 0');

/** A string of a given form. */
export function matching(form: RegExp): Reader<string> {
  return (value, path) => (typeof value === 'string' && form.test(value) ? value : refuse(path, String(form)));
}

/** One of a closed set of strings. */
export function oneOf<T extends string>(...values: readonly T[]): Reader<T> {
  return (value, path) => values.find((known) => known === value) ?? refuse(path, values.join(' | '));
}

/** null (or missing), or what the reader reads. */
export function nullable<T>(reader: Reader<T>): Reader<T | null> {
  return (value, path) => (value == null ? null : reader(value, path));
}

/** undefined when null or missing, or what the reader reads. */
export function optional<T>(reader: Reader<T>): Reader<T | undefined> {
  return (value, path) => (value == null ? undefined : reader(value, path));
}

export function array<T>(reader: Reader<T>): Reader<T[]> {
  return (value, path) =>
    Array.isArray(value) ? value.map((item, index) => reader(item, `${path}[${index}]`)) : refuse(path, 'a list');
}

/** The members that a reader returned `undefined` for are optional. */
type Members<R> = { [K in keyof R as undefined extends Read<R[K]> ? never : K]: Read<R[K]> } & {
  [K in keyof R as undefined extends Read<R[K]> ? K : never]?: Read<R[K]>;
};
type Read<R> = R extends Reader<infer T> ? T : never;

/** An object with the given members; members that are not named are dropped, absent ones stay absent. */
export function object<R extends Record<string, Reader<unknown>>>(readers: R): Reader<Members<R>>;
export function object(readers: Record<string, Reader<unknown>>): Reader<Record<string, unknown>> {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(path, 'an object');
    const members = new Map<string, unknown>(Object.entries(value));
    const read: Record<string, unknown> = {};
    for (const [key, reader] of Object.entries(readers)) {
      const member = reader(members.get(key), path ? `${path}.${key}` : key);
      if (member !== undefined) read[key] = member;
    }
    return read;
  };
}
