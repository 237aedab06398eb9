import { maxIdentifierLength, maxVariableLength } from './text-limits.ts';

/** The environment of a program, such as `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** What Kubernetes (and `docker --link`) sets as `ADMIN_PORT` for a service whose name is `admin`. */
const linkedPort = /^(?:tcp|udp|sctp):\/\//;
/** Kubernetes adds such variables for each of its services, for example INVOICE_API_SERVICE_HOST. */
const kubernetesNamePattern = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT(?:_\d+_\w+)?$/;
const quoted = /^(["'])(?:(?!\1).)*\1$/s;
/** Neither `docker run --env-file` nor systemd fills it in. */
const unfilled = /\$\{\w+\}/;

/**
 * The variables that are set, without the white space around their values, and without the end of one that is too long. An empty one counts as unset, and so does a port that
 * Kubernetes has set for one of its services.
 */
export function findSetVariables(environment: Variables): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment)
      .map(([name, value]) => [name, value?.trim().slice(0, maxVariableLength + 1) ?? ''] as const)
      .filter(([name, value]) => value !== '' && !(name.endsWith('_PORT') && linkedPort.test(value))),
  );
}

/**
 * Finds variables that are wrong whatever their meaning: misspelt names, and values that are too long, in quotes, or not filled in. Returns the line for each by its
 * name, which does not contain the value.
 * @param knownNames - the names of the program's variables
 * @param ownPrefixes - prefixes of names that no other program uses: every unknown name with one of them is misspelt
 * @param otherNames - the names of variables of another program of ours, which are not misspelt
 */
export function findWrongVariables(
  knownNames: readonly string[],
  environment: Variables,
  ownPrefixes: readonly string[] = [],
  otherNames: readonly string[] = [],
): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  for (const [name, value] of Object.entries(findSetVariables(environment))) {
    const meant = [...knownNames, ...otherNames].includes(name)
      ? undefined
      : meantName(name.slice(0, maxIdentifierLength), knownNames, environment, ownPrefixes);
    const problem =
      meant === undefined ? knownNames.includes(name) && problemOfValue(value) : `is unknown: did you mean ${meant}?`;
    if (problem) problems.set(name, `${name} ${problem}`);
  }
  return problems;
}

/** What is wrong with a value whatever its variable means. */
function problemOfValue(value: string): string | undefined {
  if (value.length > maxVariableLength) return `must have at most ${maxVariableLength} characters`;
  if (quoted.test(value))
    return 'is in quotes, which are part of the value here (docker run --env-file keeps them): write it without them';
  if (unfilled.test(value))
    return 'names a variable by ${…}, which is filled in by a shell alone: write the value itself';
  return undefined;
}

/** The known variable that a misspelt name stands for; undefined for a variable of another program. */
function meantName(
  name: string,
  knownNames: readonly string[],
  environment: Variables,
  ownPrefixes: readonly string[],
): string | undefined {
  const near = knownNames.find((known) => isNear(name, known));
  // Where the right one is set too, even to nothing, the other belongs to another program.
  if (near !== undefined && environment[near] === undefined) return near;
  const prefix = ownPrefixes.find((one) => name.startsWith(one) && !kubernetesNamePattern.test(name));
  const candidates = prefix === undefined ? [] : knownNames.filter((known) => known.startsWith(prefix));
  return candidates.toSorted((left, right) => similarity(name, right) - similarity(name, left))[0];
}

/**
 * Names that other programs give to what a variable of ours means, where ignoring one does harm that is seen late: another database
 * is used, links lead nowhere, payers are refused, lines are missed. A name that build tools and hosts set by themselves (`BASE_URL`,
 * `HTTP_PORT`) is none of them.
 */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  DATABASE_URL: [
    ...['DATABASE', 'DB_URL', 'POSTGRES_URL', 'POSTGRESQL_URL'],
    ...['PGHOST', 'PGDATABASE', 'DB_HOST', 'DATABASE_HOST', 'POSTGRES_HOST', 'POSTGRES_DB'],
  ],
  PUBLIC_URL: ['APP_URL', 'SITE_URL', 'EXTERNAL_URL'],
  TRUST_PROXY: ['TRUSTED_PROXY'],
  ALLOWED_ORIGINS: ['CORS_ORIGIN', 'CORS_ORIGINS', 'CORS_ALLOWED_ORIGINS'],
  LOG_LEVEL: ['LOG'],
};

/**
 * Whether a name means the known one: by another convention, by other letter case or separators, without its last words, with
 * `_FILE` behind it, or with a slip of the hand in each word.
 */
function isNear(name: string, known: string): boolean {
  const words = (text: string): readonly string[] =>
    text
      .toUpperCase()
      .split(/[^A-Z\d]/)
      .map(singular);
  const [left, right] = [words(name), words(known)];
  if (otherNames[known]?.includes(left.join('_')) === true || left.join('') === right.join('')) return true;
  if (left.join('_') === `${right.join('_')}_FILE`) return true; // a file with the value, as images of databases read it
  if (known.length < 5 || left.length > right.length) return false; // short names are like those of other programs
  if (left.length < right.length) return left.length > 1 && left.every((word, index) => word === right[index]);
  return left.every((word, index) => differsByOneSlip(word, right[index] ?? ''));
}

const singular = (word: string): string => word.replace(/IES$/, 'Y');

/** Whether two words are the same but for one letter that is missing, added or replaced, or two that are exchanged. */
function differsByOneSlip(left: string, right: string): boolean {
  let start = 0;
  while (start < left.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < Math.min(left.length, right.length) - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const [one, other] = [left.slice(start, left.length - end), right.slice(start, right.length - end)];
  return (one.length <= 1 && other.length <= 1) || (one.length === 2 && other === `${one[1] ?? ''}${one[0] ?? ''}`);
}

/** How much of two names is the same, from 0 to 1: the share of the pairs of letters that both have. */
function similarity(...names: readonly [string, string]): number {
  const [left, right] = names.map((name) => new Set(Array.from(name, (_, index) => name.slice(index, index + 2))));
  const common = [...(left ?? [])].filter((pair) => right?.has(pair)).length;
  return (2 * common) / ((left?.size ?? 0) + (right?.size ?? 0));
}
