import { formatTimestamp } from '../contract.ts';

// Options and records have camelCase names, JSON has snake_case ones.

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Members that hold the merchant's own objects, whose names are not converted. */
const opaque = new Set(['metadata']);

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A record as JSON: names in snake_case, and members whose names end in `At`, which are milliseconds since 1970, as RFC 3339. */
export function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (opaque.has(name)) return [name, member];
      if (name.endsWith('At') && typeof member === 'number') return [snake(name), formatTimestamp(member)];
      return [snake(name), toSnakeCase(member)];
    }),
  );
}

/** A JSON value with the names of its members in camelCase. */
export function toCamelCase(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [camel(name), opaque.has(name) ? member : toCamelCase(member)]),
  );
}

/** The path of the first member of a JSON object whose name is not snake_case, and the path that may have been meant. */
export function findCamelCase(value: unknown): { readonly name: string; readonly meant: string } | undefined {
  if (!isObject(value)) return undefined;
  const name = Object.keys(value).find((one) => /[A-Z]/.test(one));
  if (name !== undefined) return { name, meant: snake(name) };
  for (const [outer, member] of Object.entries(value)) {
    const found = opaque.has(outer) ? undefined : findCamelCase(member);
    if (found !== undefined) return { name: `${outer}.${found.name}`, meant: `${outer}.${found.meant}` };
  }
  return undefined;
}

/** A message about parameters, with their names in JSON: `amountLimits.minAmount: …` becomes `amount_limits.min_amount: …`. */
export function withJsonNames(message: string): string {
  return message.replaceAll(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, snake);
}
