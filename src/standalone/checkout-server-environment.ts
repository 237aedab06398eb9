import { z } from 'zod';
import { modes, type Mode } from '../contract.ts';
import { defaultStatuses, defaultTiming, type CheckoutServerOptions, type LogLevel } from '../server.ts';
import {
  address,
  count,
  hostOf,
  isLoopback,
  milliseconds,
  origins,
  port,
  readVariables,
  token,
  words,
  type Variables,
} from './parse-variables.ts';

/** The options of the checkout server that the environment sets; what is not set has the server's default. */
type EnvironmentOptions = Pick<
  CheckoutServerOptions,
  'statuses' | 'qrMethodTypes' | 'allowedOrigins' | 'currencies' | 'timing' | 'limits'
>;

/** The configuration of a program that serves checkouts, parsed once from the environment. */
export interface Environment {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  /** PostgreSQL for all data; undefined: a file in `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** Where browsers and the service reach the program, without a slash at its end; undefined: where it listens. */
  readonly publicUrl: string | undefined;
  /** The number of the merchant's own proxies in front: as many of the last addresses in `X-Forwarded-For` are trusted. */
  readonly trustedProxies: number;
  /** The invoice service's address, or undefined: a sandbox is started beside the program. */
  readonly serviceUrl: string | undefined;
  readonly token: string;
  readonly mode: Mode;
  readonly options: EnvironmentOptions;
  readonly sandboxPort: number;
  /** The port of the metrics, which only the merchant may reach. Undefined serves no metrics. */
  readonly metricsPort: number | undefined;
  /** Lines below this level are not logged. */
  readonly logLevel: LogLevel;
}

const statusWords = words('PAID,SETTLED');
const meanings = ['paid', 'failed', 'expired', 'pending'] as const;
type Meaning = (typeof meanings)[number];
const statusVariables = {
  paid: 'INVOICE_PAID_STATUSES',
  failed: 'INVOICE_FAILED_STATUSES',
  expired: 'INVOICE_EXPIRED_STATUSES',
  pending: 'INVOICE_PENDING_STATUSES',
} as const;

const shape = z.object({
  PORT: port.default(8080),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a URL such as postgres://user:password@host/database' })
    .optional(),
  PUBLIC_URL: address.optional(),
  TRUST_PROXY: z
    .string()
    .regex(/^\d$/, 'must be the number of proxies in front, from 0 to 9')
    .transform(Number)
    .default(0),
  ALLOWED_ORIGINS: origins.default([]),
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
  INVOICE_QR_METHOD_TYPES: words('SBP').optional(),
  INVOICE_CURRENCIES: words('RUB', /^[A-Z]{3}$/).optional(),
  INVOICE_GRACE_MS: milliseconds.optional(),
  INVOICE_LATE_MS: milliseconds.optional(),
  INVOICE_BATCH_SIZE: count.optional(),
  INVOICE_FETCHES_PER_SECOND: count.optional(),
  CHECKOUT_LIFETIME_MS: milliseconds.refine((ms) => ms > 0, 'must be more than 0').optional(),
  SANDBOX_PORT: port.default(8081),
  METRICS_PORT: port.optional(),
  LOG: z.enum(['info', 'warn', 'error'], { error: 'must be info, warn or error' }).default('warn'),
});

type Values = z.output<typeof shape>;

/** A rule over several variables. It is also checked when one of them is invalid, which then has its unparsed text. */
interface Rule {
  readonly name: keyof Values;
  readonly message: string;
  readonly isKept: (values: Values) => boolean;
}

const isLive = (values: Values): boolean => values.INVOICE_MODE === 'LIVE' && values.INVOICE_BASE_URL !== undefined;

const rules: readonly Rule[] = [
  {
    name: 'METRICS_PORT',
    message: 'must differ from PORT',
    isKept: ({ PORT, METRICS_PORT }) => PORT !== METRICS_PORT || PORT === 0,
  },
  {
    name: 'SANDBOX_PORT',
    message: 'must differ from PORT',
    isKept: (values) =>
      values.INVOICE_BASE_URL !== undefined || values.PORT !== values.SANDBOX_PORT || values.PORT === 0,
  },
  {
    name: 'INVOICE_MODE',
    message: 'cannot be LIVE without INVOICE_BASE_URL: a sandbox moves no money',
    isKept: (values) => values.INVOICE_MODE !== 'LIVE' || values.INVOICE_BASE_URL !== undefined,
  },
  ...(['INVOICE_ACCESS_TOKEN', 'INVOICE_MODE'] as const).map((name) => ({
    name,
    message: 'is required when INVOICE_BASE_URL names a service',
    isKept: (values: Values) => values.INVOICE_BASE_URL === undefined || values[name] !== undefined,
  })),
  {
    name: 'INVOICE_PAID_STATUSES',
    message: 'is required with INVOICE_MODE=LIVE: ask the service which words mean paid',
    isKept: (values) => !isLive(values) || values.INVOICE_PAID_STATUSES !== undefined,
  },
  ...meanings.map((meaning) => ({
    name: statusVariables[meaning],
    message: 'has a word that another list has too',
    isKept: (values: Values) => values[statusVariables[meaning]] === undefined || sharesNoWord(values, meaning),
  })),
  {
    name: 'PUBLIC_URL',
    message: 'must be an https: address with INVOICE_MODE=LIVE (http: only on loopback)',
    // The capability of a checkout, requisites and prices go there.
    isKept: (values) =>
      !isLive(values) ||
      values.PUBLIC_URL?.startsWith('https:') === true ||
      isLoopback(values.PUBLIC_URL === undefined ? values.HOST : hostOf(values.PUBLIC_URL)),
  },
];

/** Whether no word of a list is in another list. */
function sharesNoWord(values: Values, meaning: Meaning): boolean {
  const wordsOf = (one: Meaning): readonly string[] =>
    [values[statusVariables[one]] ?? defaultStatuses[one]].flat().map((word) => word.toLowerCase());
  const own = wordsOf(meaning);
  return meanings.every((other) => other === meaning || !wordsOf(other).some((word) => own.includes(word)));
}

/** The variables of every program that serves checkouts. */
export const environmentSchema = rules.reduce(
  (schema, { name, message, isKept }) => schema.refine(isKept, { path: [name], error: message, when: () => true }),
  shape,
);

/**
 * Reads the configuration of a program that serves checkouts; an empty variable counts as unset.
 * @throws EnvironmentError with all problems at once
 */
export function readEnvironment(environment: Variables): Environment {
  return toEnvironment(readVariables(environmentSchema, environment));
}

export function toEnvironment(values: Values): Environment {
  return {
    port: values.PORT,
    host: values.HOST,
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    publicUrl: values.PUBLIC_URL,
    trustedProxies: values.TRUST_PROXY,
    serviceUrl: values.INVOICE_BASE_URL,
    token: values.INVOICE_ACCESS_TOKEN ?? 'sandbox-token',
    mode: values.INVOICE_MODE ?? 'TEST',
    options: optionsOf(values),
    sandboxPort: values.SANDBOX_PORT,
    metricsPort: values.METRICS_PORT,
    logLevel: values.LOG,
  };
}

function optionsOf(values: Values): EnvironmentOptions {
  const { INVOICE_GRACE_MS: graceMs, INVOICE_LATE_MS: lateMs, CHECKOUT_LIFETIME_MS: lifetimeMs } = values;
  const { INVOICE_BATCH_SIZE: batchSize, INVOICE_FETCHES_PER_SECOND: fetchesPerSecond } = values;
  return {
    allowedOrigins: values.ALLOWED_ORIGINS,
    statuses: {
      ...(values.INVOICE_PAID_STATUSES && { paid: values.INVOICE_PAID_STATUSES }),
      ...(values.INVOICE_FAILED_STATUSES && { failed: values.INVOICE_FAILED_STATUSES }),
      ...(values.INVOICE_EXPIRED_STATUSES && { expired: values.INVOICE_EXPIRED_STATUSES }),
      ...(values.INVOICE_PENDING_STATUSES && { pending: values.INVOICE_PENDING_STATUSES }),
    },
    ...(values.INVOICE_QR_METHOD_TYPES && { qrMethodTypes: values.INVOICE_QR_METHOD_TYPES }),
    ...(values.INVOICE_CURRENCIES && { currencies: values.INVOICE_CURRENCIES }),
    timing: {
      ...(graceMs !== undefined && { graceMs }),
      // `missingGraceMs` must not be shorter than `graceMs`.
      ...(graceMs !== undefined && graceMs > defaultTiming.missingGraceMs && { missingGraceMs: graceMs }),
      ...(lateMs !== undefined && { lateMs }),
      ...(lifetimeMs !== undefined && { lifetimeMs }),
    },
    limits: {
      ...(batchSize !== undefined && { batchSize }),
      ...(fetchesPerSecond !== undefined && { fetchesPerSecond }),
    },
  };
}
