// Decoders parse the checkout API in the browser, where a schema library would cost thousands of bytes. The schemas are the
// source of the generated decoders, which consist of calls of these functions. A property test compares both parsers.

/**
 * Returns an unknown value as a `T`, or throws a `TypeError`, whose message has the value's `path` and its type. With
 * `onDropped`, a value that is not valid and that the rest can do without is dropped, and its path is reported.
 */
export type Decoder<T> = (value: unknown, path: string, onDropped?: (path: string) => void) => T;

/** The message has the type of the value and not the value, which may be personal. `undefined`: the member is missing. */
function fail(path: string, value: unknown): never {
  throw new TypeError(`${path || 'body'} is not valid: ${value === null ? 'null' : typeof value}`);
}

export const string: Decoder<string> = (value, path) => (typeof value === 'string' ? value : fail(path, value));

export const boolean: Decoder<boolean> = (value, path) => (typeof value === 'boolean' ? value : fail(path, value));

/** A safe integer in a range. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER): Decoder<number> {
  return (value, path) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
      ? value
      : fail(path, value);
}

/** A string that matches a regular expression. */
export function pattern(regExp: RegExp): Decoder<string> {
  return (value, path) => (typeof value === 'string' && regExp.test(value) ? value : fail(path, value));
}

/** One of a closed set of strings. */
export function oneOf<T extends string>(...values: readonly T[]): Decoder<T> {
  return (value, path) => values.find((known) => known === value) ?? fail(path, value);
}

/** A value that is dropped where it is not valid: `fallback` takes its place. Without `onDropped`, it throws. */
export function orElse<T, F>(decoder: Decoder<T>, fallback: F): Decoder<T | F> {
  return (value, path, onDropped) => {
    try {
      return decoder(value, path, onDropped);
    } catch (thrown) {
      if (!onDropped) throw thrown;
      onDropped(path);
      return fallback;
    }
  };
}

/** Decodes a member that may be null or missing: both become null. */
export function nullable<T>(decoder: Decoder<T>): Decoder<T | null> {
  return (value, path, onDropped) => (value == null ? null : decoder(value, path, onDropped));
}

/** Decodes a member that may be null or missing: both become `fallback`. One that is not valid is dropped. */
export function optional<T>(decoder: Decoder<T>): Decoder<T | undefined>;
export function optional<T, F>(decoder: Decoder<T>, fallback: F): Decoder<T | F>;
export function optional<T, F>(decoder: Decoder<T>, fallback?: F): Decoder<T | F | undefined> {
  const decodeOrDrop = orElse(decoder, fallback);
  return (value, path, onDropped) => (value == null ? fallback : decodeOrDrop(value, path, onDropped));
}

/** A list. An item that is not valid is dropped. */
export function array<T>(decoder: Decoder<T>): Decoder<T[]> {
  const decodeOrDrop = orElse<T[], T[]>((item, path, onDropped) => [decoder(item, path, onDropped)], []);
  return (value, path, onDropped) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => decodeOrDrop(item, `${path}[${index}]`, onDropped))
      : fail(path, value);
}

/** The object type that a record of decoders decodes. A member whose decoder may return `undefined` is optional. */
type Members<R> = { [K in keyof R as undefined extends Decoded<R[K]> ? never : K]: Decoded<R[K]> } & {
  [K in keyof R as undefined extends Decoded<R[K]> ? K : never]?: Decoded<R[K]>;
};
type Decoded<R> = R extends Decoder<infer T> ? T : never;

/** An object with the given members. Other members are dropped. Optional members that are absent stay absent. */
export function object<R extends Record<string, Decoder<unknown>>>(decoders: R): Decoder<Members<R>>;
export function object(decoders: Record<string, Decoder<unknown>>): Decoder<Record<string, unknown>> {
  return (value, path, onDropped) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail(path, value);
    const members = new Map<string, unknown>(Object.entries(value));
    const decoded: Record<string, unknown> = {};
    for (const [key, decoder] of Object.entries(decoders)) {
      const member = decoder(members.get(key), path ? `${path}.${key}` : key, onDropped);
      if (member !== undefined) decoded[key] = member;
    }
    return decoded;
  };
}
