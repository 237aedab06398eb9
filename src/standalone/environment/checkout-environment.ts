import { networkInterfaces } from 'node:os';
import { z } from 'zod';
import { paidWordsRule } from '../../base/live-mode-rule.ts';
import { modes } from '../../service-api.ts';
import { defaultStatuses } from '../../server-internals.ts';
import { postgresUrl } from '../../stores/postgres-url.ts';
import { noUrl } from '../../stores/sqlite-file.ts';
import { validName, validNameRule } from '../../stores/table-names.ts';
import { connectionsOfProcess } from '../connections-within-memory.ts';
import { isWildcard } from '../http-server.ts';
import {
  address,
  count,
  flag,
  hostOf,
  isLoopback,
  milliseconds,
  origins,
  port,
  token,
  withRules,
  wordList,
  type Rule,
} from './read-variables.ts';

/** The configuration of any program that serves checkouts, parsed once from the environment. */
export type CheckoutEnvironment = Readonly<ReturnType<typeof toEnvironment>>;

/** Where the database is, how its tables are named, and whether the start changes them. */
export type DatabaseEnvironment = Pick<CheckoutEnvironment, 'databaseUrl' | 'dataDir' | 'tables' | 'migrate'>;

const statusWords = wordList('PAID,SETTLED');
const statusKinds = ['paid', 'failed', 'expired', 'pending'] as const;
type StatusKind = (typeof statusKinds)[number];
const statusVariables = {
  paid: 'INVOICE_PAID_STATUSES',
  failed: 'INVOICE_FAILED_STATUSES',
  expired: 'INVOICE_EXPIRED_STATUSES',
  pending: 'INVOICE_PENDING_STATUSES',
} as const;

/** The level that other programs call `debug` has no lines of ours: it is `info`. */
const logLevel = z
  .string()
  .transform((text) => text.toLowerCase().replace('debug', 'info'))
  .pipe(z.enum(['info', 'warn', 'error'], { error: 'must be info, warn or error' }));

const tableName = z.string().regex(validName, validNameRule).optional();
/** The variables of the database alone. */
export const databaseSchema = z.object({
  DATA_DIR: z.string().regex(noUrl, 'must be a folder, not a URL').default('.data'),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_SCHEMA: tableName,
  DATABASE_TABLE_PREFIX: tableName,
  DATABASE_MIGRATE: flag.default(true),
});

const variablesSchema = databaseSchema.extend({
  PORT: port.default(8080),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_URL: address.optional(),
  TRUST_PROXY: z
    .string()
    .regex(/^\d$/, 'must be the number of proxies in front, from 0 to 9')
    .transform(Number)
    .default(0),
  ALLOWED_ORIGINS: origins.default([]),
  NODE_ENV: z.string().optional(),
  TRIAL: flag.optional(),
  INVOICE_BASE_URL: address
    .refine(
      (text) => text.startsWith('https:') || isLoopback(hostOf(text)),
      'must be https: the access token goes there',
    )
    .optional(),
  INVOICE_ACCESS_TOKEN: token.optional(),
  INVOICE_MODE: z.enum(modes, { error: 'must be TEST or LIVE' }).optional(),
  INVOICE_PAID_STATUSES: statusWords.optional(),
  INVOICE_FAILED_STATUSES: statusWords.optional(),
  INVOICE_EXPIRED_STATUSES: statusWords.optional(),
  INVOICE_PENDING_STATUSES: statusWords.optional(),
  INVOICE_QR_METHOD_TYPES: wordList('SBP').optional(),
  INVOICE_CURRENCIES: wordList('RUB', /^[A-Z]{3}$/).optional(),
  INVOICE_GRACE_MS: milliseconds.optional(),
  INVOICE_LATE_MS: milliseconds.optional(),
  INVOICE_BATCH_SIZE: count.optional(),
  INVOICE_FETCHES_PER_SECOND: count.optional(),
  CHECKOUT_LIFETIME_MS: milliseconds.refine((ms) => ms > 0, 'must be more than 0').optional(),
  SANDBOX_PORT: port.default(8081),
  METRICS_PORT: port.optional(),
  LOG_LEVEL: logLevel.default('info'),
});

type Values = z.output<typeof variablesSchema>;

/** A trial is chosen by `TRIAL`. If that is not set, it is a trial where nothing names a real service or production. */
export function isTrial({ TRIAL, NODE_ENV, INVOICE_BASE_URL, INVOICE_ACCESS_TOKEN }: Values): boolean {
  if (TRIAL !== undefined) return TRIAL;
  return INVOICE_BASE_URL === undefined && INVOICE_ACCESS_TOKEN === undefined && NODE_ENV !== 'production';
}

const isLive = (values: Values): boolean => values.INVOICE_MODE === 'LIVE' && !isTrial(values);

/** Two ports of one program. 0 chooses a free one, and only a trial has a sandbox. */
export function mustDiffer<V extends Values>(
  port: keyof V & `${string}PORT`,
  other: keyof V & `${string}PORT`,
): Rule<V> {
  const isUsed = (values: V, name: keyof V): boolean => !!values[name] && (name !== 'SANDBOX_PORT' || isTrial(values));
  return [
    port,
    `must differ from ${other}`,
    (values) => values[port] !== values[other] || !isUsed(values, port) || !isUsed(values, other),
  ];
}

const rules: readonly Rule<Values>[] = [
  mustDiffer('METRICS_PORT', 'PORT'),
  mustDiffer('SANDBOX_PORT', 'PORT'),
  mustDiffer('METRICS_PORT', 'SANDBOX_PORT'),
  [
    'DATABASE_SCHEMA',
    'needs DATABASE_URL: SQLite has no schemas',
    (values) => values.DATABASE_SCHEMA === undefined || values.DATABASE_URL !== undefined,
  ],
  [
    'INVOICE_MODE',
    'cannot be LIVE in a trial: a sandbox moves no money',
    (values) => values.INVOICE_MODE !== 'LIVE' || !isTrial(values),
  ],
  [
    'INVOICE_BASE_URL',
    'is required, or TRIAL=1 for a trial with a sandbox',
    (values) => isTrial(values) || values.INVOICE_BASE_URL !== undefined,
  ],
  ...(['INVOICE_ACCESS_TOKEN', 'INVOICE_MODE'] as const).map((name): Rule<Values> => [
    name,
    'is required when INVOICE_BASE_URL names a service',
    (values) => values.INVOICE_BASE_URL === undefined || values[name] !== undefined,
  ]),
  [
    'INVOICE_PAID_STATUSES',
    paidWordsRule('INVOICE_MODE=LIVE'),
    (values) => !isLive(values) || values.INVOICE_PAID_STATUSES !== undefined,
  ],
  ...statusKinds.map((kind): Rule<Values> => [
    statusVariables[kind],
    'has a word that another list has too',
    (values) => values[statusVariables[kind]] === undefined || sharesNoWord(values, kind),
  ]),
  [
    'PUBLIC_URL',
    'must be an https: address with INVOICE_MODE=LIVE (http: only on loopback)',
    // Capabilities, requisites and prices are sent to this address.
    (values) =>
      !isLive(values) || values.PUBLIC_URL?.startsWith('http:') !== true || isLoopback(hostOf(values.PUBLIC_URL)),
  ],
  [
    'PUBLIC_URL',
    'is required with INVOICE_MODE=LIVE: the service sends its notifications there',
    (values) => !isLive(values) || values.PUBLIC_URL !== undefined,
  ],
];

/** Whether no word of a list is in another list. */
function sharesNoWord(values: Values, ownKind: StatusKind): boolean {
  const wordsOf = (kind: StatusKind): readonly string[] =>
    [values[statusVariables[kind]] ?? defaultStatuses[kind]].flat().map((word) => word.toLowerCase());
  const others = new Set(statusKinds.filter((kind) => kind !== ownKind).flatMap(wordsOf));
  return wordsOf(ownKind).every((word) => !others.has(word));
}

/** The variables of every program that serves checkouts. */
export const environmentSchema = withRules(variablesSchema, rules);

export function toEnvironment(values: Values) {
  return {
    port: values.PORT,
    host: values.HOST,
    ...toDatabaseEnvironment(values),
    /** The address at which browsers and the service reach the program, without a slash at its end. Undefined: where it listens. */
    publicUrl: values.PUBLIC_URL ?? (isTrial(values) ? networkUrl(values) : undefined),
    /** The number of the merchant's proxies in front of the program: so many of the last addresses in `X-Forwarded-For` are trusted. */
    trustedProxies: values.TRUST_PROXY,
    /** The address of the invoice service. Undefined: a trial, for which a sandbox is started in the program. */
    serviceUrl: isTrial(values) ? undefined : values.INVOICE_BASE_URL,
    /** The token of the service, or of the sandbox in a trial. */
    token: values.INVOICE_ACCESS_TOKEN ?? 'sandbox-token',
    mode: values.INVOICE_MODE ?? 'TEST',
    options: readOptions(values),
    /** The client's limits that are set (`InvoiceServiceClientOptions`). */
    requestsPerSecond: withoutUndefined({ FetchInvoices: values.INVOICE_FETCHES_PER_SECOND }),
    sandboxPort: values.SANDBOX_PORT,
    /** The port of the metrics, which only the merchant may reach. Undefined: no metrics are served. */
    metricsPort: values.METRICS_PORT,
    /** The lowest level that is logged. */
    logLevel: values.LOG_LEVEL,
  };
}

/**
 * The address of a trial that listens on all addresses: the one in the local network, so that a phone there opens each link. A
 * container, whose image is for production, cannot read the address of its machine.
 */
function networkUrl({ HOST, PORT, NODE_ENV }: Values): string | undefined {
  if (!isWildcard(HOST) || PORT === 0 || NODE_ENV === 'production') return undefined;
  const known = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  const [first, ...others] = known.filter(({ family, internal }) => family === 'IPv4' && !internal);
  // Virtual networks of this machine have other ranges than most routers.
  const host = [first, ...others].find((one) => one?.address.startsWith('192.168.')) ?? first;
  return host && `http://${host.address}:${PORT}`;
}

export function toDatabaseEnvironment(values: z.output<typeof databaseSchema>) {
  return {
    dataDir: values.DATA_DIR,
    /** The URL of the PostgreSQL database. Undefined: a file in `dataDir` stores the data. */
    databaseUrl: values.DATABASE_URL,
    /** How the tables are named; undefined means the store's default. Only PostgreSQL uses `schema`. */
    tables: { schema: values.DATABASE_SCHEMA, tablePrefix: values.DATABASE_TABLE_PREFIX },
    /** Whether the start changes the tables; false: `pay-invoice-server migrate` does. */
    migrate: values.DATABASE_MIGRATE,
  };
}

/** The options of the checkout server that the environment sets; an unset option has the server's default. */
function readOptions(values: Values) {
  const { INVOICE_QR_METHOD_TYPES: methods, INVOICE_CURRENCIES: currencies } = values;
  return {
    allowedOrigins: values.ALLOWED_ORIGINS,
    statuses: withoutUndefined({
      paid: values.INVOICE_PAID_STATUSES,
      failed: values.INVOICE_FAILED_STATUSES,
      expired: values.INVOICE_EXPIRED_STATUSES,
      pending: values.INVOICE_PENDING_STATUSES,
    }),
    ...withoutUndefined({ qr: methods && { methods }, currencies }),
    timing: withoutUndefined({
      graceMs: values.INVOICE_GRACE_MS,
      lateMs: values.INVOICE_LATE_MS,
      lifetimeMs: values.CHECKOUT_LIFETIME_MS,
    }),
    limits: withoutUndefined({
      waiters: connectionsOfProcess(),
      batchSize: values.INVOICE_BATCH_SIZE,
    }),
  };
}

/** The members that are set. */
function withoutUndefined<T extends object>(members: T): { [Name in keyof T]?: Exclude<T[Name], undefined> };
function withoutUndefined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
