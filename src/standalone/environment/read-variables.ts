import { z } from 'zod';
import { normalAddress, normalOrigin, readAddress } from '../../base/addresses.ts';
import { findSetVariables, findWrongVariables, type Variables } from '../../base/given-variables.ts';
import { loopbackHost } from '../../base/loopback-host.ts';
import { tokenPattern } from '../../base/token-pattern.ts';

/**
 * Some environment variables are invalid. `problems` has one line for each of them, with its name but without its value, which
 * may be secret. `message` contains all lines.
 */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

/** What the names of our own variables of the invoice service and of outcomes begin with. No other program sets such variables. */
const ownPrefixes = ['INVOICE_', 'OUTCOME_'];

/**
 * Parses the environment by a schema with one member for each variable; an empty variable counts as unset. Those of `otherNames`,
 * which are variables of another program of ours, are no errors.
 * @throws EnvironmentError with all problems at once, also with misspelt variables
 */
export function readVariables<T extends z.ZodObject>(
  schema: T,
  environment: Variables,
  otherNames: readonly string[] = [],
): z.output<T> {
  const wrongVariables = findWrongVariables(Object.keys(schema.shape), environment, ownPrefixes, otherNames);
  const { success, data, error } = schema.safeParse(findSetVariables(environment));
  if (success && wrongVariables.size === 0) return data;
  const messages = error?.issues.map(({ path, message }) => [path.join('.'), message] as const) ?? [];
  const firstMessages = new Map(messages.toReversed().filter(([name]) => !wrongVariables.has(name)));
  const problems = [...firstMessages].reverse().map(([name, message]) => `${name} ${message}`);
  throw new EnvironmentError([...wrongVariables.values(), ...problems]);
}

/** A rule over several variables. It is also checked when one of them is invalid; that variable then has its unparsed text. */
export type Rule<Values> = readonly [name: keyof Values, message: string, isSatisfied: (values: Values) => boolean];

export function withRules<T extends z.ZodObject>(schema: T, rules: readonly Rule<z.output<T>>[]): T {
  return rules.reduce(
    (ruled, [name, error, isSatisfied]) => ruled.refine(isSatisfied, { path: [String(name)], error, when: () => true }),
    schema,
  );
}

/** The schema of a switch. */
export const flag = z.enum(['0', '1'], { error: 'must be 1 or 0' }).transform((text) => text === '1');

/** Whether a host, from a URL or from `HOST`, is this machine. */
export function isLoopback(host: string): boolean {
  return host === '::1' || loopbackHost.test(host);
}

/** The host of a URL; empty when the text is not a URL. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}

/** Creates the schema of an address that leaves as it is read: in ASCII, with its query. */
export function link(error: string, allowed = /^https?:$/) {
  return z
    .string()
    .refine((text) => allowed.test(readAddress(text)?.protocol ?? ''), { error, abort: true })
    .transform((text) => new URL(text).href);
}

/** An http or https address without user, query or fragment, and without a slash at its end. */
export const address = link('must be a URL such as https://shop.example')
  .refine((text) => normalAddress(text) !== undefined, 'must have no user, query or fragment')
  .transform((text) => normalAddress(text) ?? text);

export const port = z
  .string()
  .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= 65535, 'must be a whole number from 0 to 65535')
  .transform(Number);

export const milliseconds = z
  .string()
  .regex(/^\d{1,13}$/, 'must be a whole number of milliseconds')
  .transform(Number);

export const count = z
  .string()
  .regex(/^[1-9]\d{0,6}$/, 'must be a whole number from 1')
  .transform(Number);

export const origins = z.string().transform((text, context) => {
  const items = text.split(',').map((item) => normalOrigin(item.trim()));
  if (items.every((item) => item !== undefined)) return items;
  context.addIssue('must be a list of origins such as https://shop.example,https://m.shop.example');
  return z.NEVER;
});

/** Creates the schema of words that are separated by commas. A word in quotes would match nothing. */
export function wordList(example: string, word = /^[^"']+$/) {
  return z
    .string()
    .transform((text) => text.split(',').map((item) => item.trim()))
    .refine((items) => items.every((item) => word.test(item)), `must be a list such as ${example}`);
}

export const token = z.string().regex(tokenPattern, 'must be ASCII text without spaces and quotes');
