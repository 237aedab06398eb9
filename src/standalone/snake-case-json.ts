import { formatTimestamp } from '../service-api.ts';

// Options and records have names in camelCase; JSON has names in snake_case.

export const toSnakeCaseName = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const toCamelCaseName = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Members that hold the merchant's own objects, whose names are not converted. */
const unconvertedMembers = new Set(['metadata']);

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Converts a record to JSON: names to snake_case, and members named `at` or `…At` from milliseconds since 1970 to RFC 3339. */
export function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (unconvertedMembers.has(name)) return [name, member];
      if (/(?:^a|A)t$/.test(name) && typeof member === 'number')
        return [toSnakeCaseName(name), formatTimestamp(member)];
      return [toSnakeCaseName(name), toSnakeCase(member)];
    }),
  );
}

/** Converts the names of a JSON value's members to camelCase. */
export function toCamelCase(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      toCamelCaseName(name),
      unconvertedMembers.has(name) ? member : toCamelCase(member),
    ]),
  );
}

/** The names of JSON: each has exactly one in camelCase. */
export const isSnakeCase = (name: string): boolean => /^[a-z]+(?:_[a-z\d]+)*$/.test(name);

/** Finds the first member whose name is not snake_case. Returns its path, such as `amount_limits.minAmount`. */
export function findOtherName(value: unknown, path = ''): string | undefined {
  for (const [name, member] of Object.entries(isObject(value) ? value : {})) {
    if (!isSnakeCase(name)) return path + name;
    const inner = unconvertedMembers.has(name) ? undefined : findOtherName(member, `${path}${name}.`);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** Converts the parameter names in a message to their JSON names: `amountLimits.minAmount: …` becomes `amount_limits.min_amount: …`. */
export function withJsonNames(message: string): string {
  return message.replaceAll(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, toSnakeCaseName);
}
