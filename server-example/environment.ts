import { z } from 'zod';
import { modes, type Mode } from '../src/contract.ts';
import type { StatusLists } from '../src/server.ts';

/** The example's configuration, parsed once from the environment. */
export interface Env {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  /** PostgreSQL for all data; undefined: a file in `dataDir`. */
  readonly databaseUrl: string | undefined;
  /** Where browsers and the service reach the shop, without a slash at its end; undefined: where it listens. */
  readonly publicUrl: string | undefined;
  /** How many proxies of ours stand in front: that many last addresses of `X-Forwarded-For` are believed. */
  readonly trustedProxies: number;
  /** Other origins whose pages may use the checkout API. */
  readonly allowedOrigins: readonly string[];
  /** The invoice service's address, or undefined: a sandbox is started beside the shop. */
  readonly serviceUrl: string | undefined;
  readonly token: string;
  readonly mode: Mode;
  /** What the service's status words mean, where it was set. */
  readonly statuses: Partial<StatusLists>;
  /** The types of methods for which a QR code is requested; undefined: the server's default. */
  readonly qrMethodTypes: readonly string[] | undefined;
  readonly sandboxPort: number;
  /** Where metrics are served, for nobody but the shop's own people; undefined: nowhere. */
  readonly metricsPort: number | undefined;
}

/** A wrong environment. The message is one line that names the variables but no values: they may be secret. */
export class EnvError extends Error {
  override readonly name = 'EnvError';
}

const loopback = /^(([a-z\d-]+\.)*localhost|127(\.\d+){3}|\[::1\]|::1)$/;

/** An http or https address without user, query or fragment, and without a slash at its end. */
const address = z
  .url({ protocol: /^https?$/, error: 'must be a URL such as https://shop.example' })
  .refine((text) => !/[?#]/.test(text) && !/^\w+:\/\/[^/]*@/.test(text), 'must have no user, query or fragment')
  .transform((text) => text.replace(/\/+$/, ''));

const port = z
  .string()
  .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= 65535, 'must be a whole number from 0 to 65535')
  .transform(Number);

const origins = z.string().transform((text, context) => {
  const list = text.split(',').map((item) => item.trim());
  if (list.every((item) => URL.canParse(item) && /^https?:/.test(item) && new URL(item).origin === item)) return list;
  context.addIssue('must be a list of origins such as https://shop.example,https://m.shop.example');
  return z.NEVER;
});

const words = z
  .string()
  .transform((text) => text.split(',').map((word) => word.trim()))
  .refine((list) => list.every((word) => word !== ''), 'must be a list of words such as PAID,SETTLED')
  .optional();

const variables = z
  .object({
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
      .refine((text) => text.startsWith('https:') || loopback.test(new URL(text).hostname), {
        error: 'must be https: the access token goes there',
      })
      .optional(),
    INVOICE_ACCESS_TOKEN: z
      .string()
      .regex(/^[\x21-\x7e]+$/, 'must be ASCII text without spaces')
      .optional(),
    INVOICE_MODE: z.enum(modes, { error: 'must be TEST or LIVE' }).optional(),
    INVOICE_PAID_STATUSES: words,
    INVOICE_FAILED_STATUSES: words,
    INVOICE_EXPIRED_STATUSES: words,
    INVOICE_PENDING_STATUSES: words,
    INVOICE_QR_METHOD_TYPES: words,
    SANDBOX_PORT: port.default(8081),
    METRICS_PORT: port.optional(),
  })
  .check(({ value, issues }) => {
    const report = (name: string, message: string): void => {
      issues.push({ code: 'custom', path: [name], message, input: undefined });
    };
    if (value.PORT === value.METRICS_PORT && value.PORT !== 0) report('METRICS_PORT', 'must differ from PORT');
    if (value.INVOICE_BASE_URL === undefined) {
      if (value.INVOICE_MODE === 'LIVE')
        report('INVOICE_MODE', 'cannot be LIVE without INVOICE_BASE_URL: a sandbox moves no money');
      if (value.PORT === value.SANDBOX_PORT && value.PORT !== 0) report('SANDBOX_PORT', 'must differ from PORT');
      return;
    }
    if (value.INVOICE_MODE === 'LIVE' && value.INVOICE_PAID_STATUSES === undefined)
      report('INVOICE_PAID_STATUSES', 'is required with INVOICE_MODE=LIVE: ask the service which words mean paid');
    // The capability of a checkout, requisites and prices go there.
    const publicHost = value.PUBLIC_URL === undefined ? value.HOST : new URL(value.PUBLIC_URL).hostname;
    const isPrivate = value.PUBLIC_URL?.startsWith('https:') === true || loopback.test(publicHost);
    if (value.INVOICE_MODE === 'LIVE' && !isPrivate)
      report('PUBLIC_URL', 'must be an https: address with INVOICE_MODE=LIVE (http: only on loopback)');
    for (const name of ['INVOICE_ACCESS_TOKEN', 'INVOICE_MODE'] as const)
      if (value[name] === undefined) report(name, 'is required when INVOICE_BASE_URL names a service');
  });

/** Parses the environment; an empty variable counts as unset. */
export function readEnv(environment: Readonly<Record<string, string | undefined>>): Env {
  const set = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  const { success, data, error } = variables.safeParse(Object.fromEntries(set));
  if (!success) throw new EnvError(error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
  return {
    port: data.PORT,
    host: data.HOST,
    dataDir: data.DATA_DIR,
    databaseUrl: data.DATABASE_URL,
    publicUrl: data.PUBLIC_URL,
    trustedProxies: data.TRUST_PROXY,
    allowedOrigins: data.ALLOWED_ORIGINS,
    serviceUrl: data.INVOICE_BASE_URL,
    token: data.INVOICE_ACCESS_TOKEN ?? 'sandbox-token',
    mode: data.INVOICE_MODE ?? 'TEST',
    statuses: {
      ...(data.INVOICE_PAID_STATUSES && { paid: data.INVOICE_PAID_STATUSES }),
      ...(data.INVOICE_FAILED_STATUSES && { failed: data.INVOICE_FAILED_STATUSES }),
      ...(data.INVOICE_EXPIRED_STATUSES && { expired: data.INVOICE_EXPIRED_STATUSES }),
      ...(data.INVOICE_PENDING_STATUSES && { pending: data.INVOICE_PENDING_STATUSES }),
    },
    qrMethodTypes: data.INVOICE_QR_METHOD_TYPES,
    sandboxPort: data.SANDBOX_PORT,
    metricsPort: data.METRICS_PORT,
  };
}
