import { z } from 'zod';
import { accentPattern } from '../pay-page/accent.ts';
import { validName, validNameRule } from '../../stores/table-names.ts';
import { environmentSchema, isTrial, toEnvironment, type Environment } from './checkout-environment.ts';
import { count, hostOf, isLoopback, port, readVariables, token, type Variables } from './read-variables.ts';

/** The configuration of the standalone server. */
export interface ServerEnvironment extends Environment {
  /** The tokens of the admin API. Empty, which only a trial allows: the server generates a token. */
  readonly adminTokens: readonly string[];
  /** The port of the admin API. Undefined: it is served on `port`. */
  readonly adminPort: number | undefined;
  /** Where outcomes are sent, and the keys that sign them. Undefined: outcomes are stored and not sent. */
  readonly receiver: OutcomeReceiver | undefined;
  /** Whether the shop reads outcomes from the feed: without a receiver, they then count as delivered. */
  readonly isFeedRead: boolean;
  /** The age in days from which settled checkouts are deleted. Undefined: no checkout is deleted. */
  readonly purgeAfterDays: number | undefined;
  readonly tables: TableNames;
  /** Whether the start changes the tables; false: `pay-invoice-server migrate` does. */
  readonly migrate: boolean;
  /** The shop on the pay page. */
  readonly shop: { readonly name: string | undefined; readonly logoUrl: string | undefined };
  /** The colour of the pay page, such as `#3451d1`. */
  readonly accent: string | undefined;
}

/** Where the database is, and how its tables are named. */
export type DatabaseEnvironment = Pick<ServerEnvironment, 'databaseUrl' | 'dataDir' | 'tables'>;

/** How the tables are named; undefined means the store's default. Only PostgreSQL uses `schema`. */
export interface TableNames {
  readonly schema: string | undefined;
  readonly tablePrefix: string | undefined;
}

export interface OutcomeReceiver {
  readonly url: string;
  /** The keys of `OUTCOME_SECRET`, at least one. Every request has one signature per key. */
  readonly keys: readonly Buffer[];
}

const minTokenLength = 24;

/** A host that cannot be reached from the internet: a name without dots, a private address, or a name in a private zone. */
const privateHostPattern =
  /^(?:[a-z\d_-]+|.+\.(?:internal|local|lan)|10(?:\.\d+){3}|192\.168(?:\.\d+){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d+){2}|\[f[cd][\da-f:]+\])$/i;

/** Decodes secrets such as `whsec_…`, separated by spaces or commas. Returns undefined when one of them is invalid. */
function parseKeys(text: string): readonly Buffer[] | undefined {
  const keys = text
    .split(/[\s,]+/)
    .filter((secret) => secret !== '')
    .map((secret) => /^whsec_([A-Za-z\d+/]+={0,2})$/.exec(secret)?.[1])
    .map((base64) => Buffer.from(base64 ?? '', 'base64'));
  return keys.length > 0 && keys.every(({ length }) => length >= 24 && length <= 64) ? keys : undefined;
}

const tokensSchema = z
  .string()
  .transform((text) => text.trim().split(/\s+/))
  .refine((tokens) => tokens.every((item) => token.safeParse(item).success), 'must be ASCII text')
  .refine(
    (tokens) => tokens.every(({ length }) => length >= minTokenLength),
    `must have at least ${minTokenLength} characters; two tokens are separated by a space`,
  );

const secretsSchema = z.string().transform((text, context) => {
  const keys = parseKeys(text);
  if (keys !== undefined) return keys;
  context.addIssue(
    'must be whsec_ and 24 to 64 bytes in base64: make one with echo "whsec_$(openssl rand -base64 24)"',
  );
  return z.NEVER;
});

const tableNameSchema = z.string().regex(validName, validNameRule).optional();
const tableVariables = { DATABASE_SCHEMA: tableNameSchema, DATABASE_TABLE_PREFIX: tableNameSchema };
const tableSchema = z.object(tableVariables);
const { DATABASE_URL, DATA_DIR, HOST, PORT } = environmentSchema.shape;
const databaseSchema = z.object({ DATABASE_URL, DATA_DIR, ...tableVariables });

const operatorSchema = z.object({
  HOST,
  PORT,
  ADMIN_PORT: port.optional(),
  ADMIN_TOKEN: tokensSchema.optional().transform((tokens, context) => {
    if (tokens !== undefined) return tokens;
    context.addIssue('is required: the token of the running server');
    return z.NEVER;
  }),
});

const schema = environmentSchema
  .safeExtend({
    ...tableVariables,
    DATABASE_MIGRATE: z.enum(['0', '1'], { error: 'must be 1 or 0' }).default('1'),
    ADMIN_TOKEN: tokensSchema.optional(),
    ADMIN_PORT: port.optional(),
    OUTCOME_URL: z
      .url({ protocol: /^https?$/, error: 'must be a URL such as https://shop.example/outcomes' })
      .refine((text) => !text.includes('#') && !/^\w+:\/\/[^/]*@/.test(text), 'must have no user or fragment')
      .optional(),
    OUTCOME_SECRET: secretsSchema.optional(),
    OUTCOME_FEED: z.enum(['0', '1'], { error: 'must be 1 or 0' }).default('0'),
    PURGE_AFTER_DAYS: count.optional(),
    SHOP_NAME: z.string().max(100, 'must have at most 100 characters').optional(),
    SHOP_LOGO_URL: z.url({ protocol: /^https$/, error: 'must be an https: address of a picture' }).optional(),
    SHOP_ACCENT: z.string().regex(accentPattern, 'must be a colour such as #3451d1').optional(),
    OUTCOME_ALLOW_HTTP: z.enum(['0', '1'], { error: 'must be 1 or 0' }).default('0'),
  })
  .refine((values) => values.ADMIN_TOKEN !== undefined || values.INVOICE_BASE_URL === undefined || isTrial(values), {
    path: ['ADMIN_TOKEN'],
    error: 'is required when INVOICE_BASE_URL names a service: make one with openssl rand -hex 24',
    when: () => true,
  })
  .refine(
    ({ ADMIN_PORT, PORT, METRICS_PORT }) => (ADMIN_PORT ?? 0) === 0 || ![PORT, METRICS_PORT].includes(ADMIN_PORT),
    {
      path: ['ADMIN_PORT'],
      error: 'must differ from PORT and METRICS_PORT',
      when: () => true,
    },
  )
  .refine(({ OUTCOME_URL: url, OUTCOME_SECRET: secret }) => url === undefined || secret !== undefined, {
    path: ['OUTCOME_SECRET'],
    error: 'is required with OUTCOME_URL: make one with echo "whsec_$(openssl rand -base64 24)"',
    when: () => true,
  })
  .refine(
    ({ INVOICE_MODE, OUTCOME_URL, OUTCOME_FEED }) =>
      INVOICE_MODE !== 'LIVE' || OUTCOME_URL !== undefined || OUTCOME_FEED === '1',
    {
      path: ['OUTCOME_URL'],
      error:
        'is required with INVOICE_MODE=LIVE: the shop learns of payments there, or by the feed with OUTCOME_FEED=1',
      when: () => true,
    },
  )
  .refine(
    ({ OUTCOME_URL: url = 'https:', OUTCOME_ALLOW_HTTP: allowHttp }) =>
      !url.startsWith('http:') ||
      isLoopback(hostOf(url)) ||
      (allowHttp === '1' && privateHostPattern.test(hostOf(url))),
    {
      path: ['OUTCOME_URL'],
      error: 'must be https: (http: only on loopback, and in a private network with OUTCOME_ALLOW_HTTP=1)',
      when: () => true,
    },
  );

/**
 * Reads the configuration of the standalone server; an empty variable counts as unset.
 * @throws EnvironmentError with all problems at once
 */
export function readServerEnvironment(variables: Variables): ServerEnvironment {
  const values = readVariables(schema, variables);
  const { OUTCOME_URL: url, OUTCOME_SECRET: keys } = values;
  return {
    ...toEnvironment(values),
    adminTokens: values.ADMIN_TOKEN ?? [],
    adminPort: values.ADMIN_PORT,
    purgeAfterDays: values.PURGE_AFTER_DAYS,
    isFeedRead: values.OUTCOME_FEED === '1',
    receiver: url === undefined || keys === undefined ? undefined : { url, keys },
    tables: toTableNames(values),
    migrate: values.DATABASE_MIGRATE === '1',
    shop: { name: values.SHOP_NAME, logoUrl: values.SHOP_LOGO_URL },
    accent: values.SHOP_ACCENT,
  };
}

/** Reads only the variables of the database. @throws EnvironmentError */
export function readDatabaseEnvironment(variables: Variables): DatabaseEnvironment {
  const values = readVariables(databaseSchema, variables);
  return { databaseUrl: values.DATABASE_URL, dataDir: values.DATA_DIR, tables: toTableNames(values) };
}

/** Reads only what the operator's commands need to reach the running server. @throws EnvironmentError */
export function readOperatorEnvironment(variables: Variables): { readonly adminUrl: string; readonly token: string } {
  const { HOST, PORT, ADMIN_PORT, ADMIN_TOKEN } = readVariables(operatorSchema, variables);
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST;
  const adminUrl = `http://${host.includes(':') ? `[${host}]` : host}:${ADMIN_PORT ?? PORT}`;
  return { adminUrl, token: ADMIN_TOKEN[0] ?? '' };
}

/** Reads only the variables that name the tables. @throws EnvironmentError */
export function readTableNames(variables: Variables): TableNames {
  return toTableNames(readVariables(tableSchema, variables));
}

function toTableNames({ DATABASE_SCHEMA, DATABASE_TABLE_PREFIX }: z.output<typeof tableSchema>): TableNames {
  return { schema: DATABASE_SCHEMA, tablePrefix: DATABASE_TABLE_PREFIX };
}
