import { z } from 'zod';
import { loopbackHost } from '../../base/loopback-host.ts';

/** The environment of a program, such as `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

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

/** What the names of our own variables of the invoice service begin with. No other program sets such variables. */
const ownPrefix = 'INVOICE_';
/** Kubernetes adds such variables for each of its services, for example INVOICE_API_SERVICE_HOST. */
const kubernetesNamePattern = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT(?:_\d+_\w+)?$/;

/**
 * Parses the environment by a schema with one member for each variable; an empty variable counts as unset.
 * @throws EnvironmentError with all problems at once, also with unknown variables of the invoice service
 */
export function readVariables<T extends z.ZodObject>(schema: T, environment: Variables): z.output<T> {
  const setVariables = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  const unknownProblems = findUnknownNames(Object.keys(schema.shape), Object.fromEntries(setVariables));
  const { success, data, error } = schema.safeParse(Object.fromEntries(setVariables));
  if (success && unknownProblems.length === 0) return data;
  const firstMessages = new Map(error?.issues.toReversed().map(({ path, message }) => [path.join('.'), message]));
  const problems = [...firstMessages].reverse().map(([name, message]) => `${name} ${message}`);
  throw new EnvironmentError([...unknownProblems, ...problems]);
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

/** Finds misspelt variables. A schema without variables of the invoice service knows none of them, and refuses none. */
function findUnknownNames(knownNames: readonly string[], variables: Variables): readonly string[] {
  const ownNames = knownNames.filter((name) => name.startsWith(ownPrefix));
  if (ownNames.length === 0) return [];
  return Object.keys(variables)
    .filter((name) => name.startsWith(ownPrefix) && !ownNames.includes(name) && !kubernetesNamePattern.test(name))
    .map((name) => `${name} is unknown: did you mean ${nearestName(name, ownNames) ?? ''}?`);
}

const nearestName = (name: string, candidates: readonly string[]): string | undefined =>
  candidates.toSorted((left, right) => similarity(name, right) - similarity(name, left))[0];

/** How much of two names after the prefix is the same, from 0 to 1: the share of the pairs of letters that both have. */
function similarity(...names: readonly [string, string]): number {
  const [left, right] = names.map((name) => {
    const letters = name.slice(ownPrefix.length - 1);
    return new Set(Array.from(letters, (_, index) => letters.slice(index, index + 2)));
  });
  const common = [...(left ?? [])].filter((pair) => right?.has(pair)).length;
  return (2 * common) / ((left?.size ?? 0) + (right?.size ?? 0));
}

/** Whether a host, from a URL or from `HOST`, is this machine. */
export function isLoopback(host: string): boolean {
  return host === '::1' || loopbackHost.test(host);
}

/** The host of a URL; empty when the text is not a URL. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}

/** An http or https address without user, query or fragment, and without a slash at its end. */
export const address = z
  .url({ protocol: /^https?$/, error: 'must be a URL such as https://shop.example' })
  .refine((text) => !/[?#]/.test(text) && !/^\w+:\/\/[^/]*@/.test(text), 'must have no user, query or fragment')
  .transform((text) => text.replace(/\/+$/, ''));

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
  const items = text.split(',').map((item) => item.trim());
  if (items.every((item) => /^https?:/.test(item) && URL.canParse(item) && new URL(item).origin === item)) return items;
  context.addIssue('must be a list of origins such as https://shop.example,https://m.shop.example');
  return z.NEVER;
});

/** Creates the schema of words that are separated by commas. */
export function wordList(example: string, word = /./) {
  return z
    .string()
    .transform((text) => text.split(',').map((item) => item.trim()))
    .refine((items) => items.every((item) => word.test(item)), `must be a list such as ${example}`);
}

/** A token that is sent in a header. */
export const token = z.string().regex(/^[\x21-\x7e]+$/, 'must be ASCII text without spaces');
