import { z } from 'zod';
import { findSetVariables, type Variables } from '../../base/given-variables.ts';
import { accentSchema, bankLinksRule, hasNoUser, methodLogosRule, shopSchema } from '../pay-page/shop-schema.ts';
import { urlHost } from '../http-server.ts';
import {
  databaseSchema,
  environmentSchema,
  isTrial,
  mustDiffer,
  toDatabaseEnvironment,
  toEnvironment,
  type DatabaseEnvironment,
} from './checkout-environment.ts';
import {
  count,
  flag,
  hostOf,
  isLoopback,
  link,
  origins,
  port,
  readVariables,
  token,
  withRules,
} from './read-variables.ts';

/** The configuration of a program of a merchant that serves checkouts. */
export type Environment = Readonly<ReturnType<typeof readEnvironment>>;

/** The configuration of the standalone server. */
export type ServerEnvironment = Readonly<ReturnType<typeof readServerEnvironment>>;

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
  .string('is required: the token of the running server')
  .transform((text) => text.trim().split(/\s+/))
  .refine((tokens) => tokens.every((item) => token.safeParse(item).success), 'must be ASCII text without quotes')
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

const shop = shopSchema.shape;

/** A list of addresses, each behind a name: `SBP=https://shop.example/sbp.svg,CARD=/card.svg`. */
const namedAddresses = (schema: typeof shop.methodLogos | typeof shop.bankLinks, rule: string) =>
  z.string().transform((text, context) => {
    const pairs = text.split(',').map((item) => {
      const [name = '', ...address] = item.split('=');
      return [name.trim(), address.join('=').trim()];
    });
    const { data } = schema.safeParse(Object.fromEntries(pairs));
    if (data === undefined) context.addIssue(rule);
    return data ?? z.NEVER;
  });

const { HOST, PORT } = environmentSchema.shape;
const ADMIN_PORT = port.optional();
const operatorSchema = z.object({ HOST, PORT, ADMIN_PORT, ADMIN_TOKEN: tokensSchema });

const serverSchema = environmentSchema.safeExtend({
  ADMIN_TOKEN: tokensSchema.optional(),
  ADMIN_PORT,
  OUTCOME_URL: link('must be a URL such as https://shop.example/outcomes')
    .refine((text) => !text.includes('#') && hasNoUser(text), 'must have no user or fragment')
    .optional(),
  OUTCOME_SECRET: secretsSchema.optional(),
  OUTCOME_FEED: flag.default(false),
  PURGE_AFTER_DAYS: count.optional(),
  SHOP_NAME: shop.name,
  SHOP_LOGO_URL: shop.logoUrl,
  SHOP_URL: shop.url,
  SHOP_CONTACT: shop.contact,
  SHOP_LEGAL: shop.legal,
  SHOP_TERMS_URL: shop.termsUrl,
  SHOP_TIME_ZONE: shop.timeZone,
  METHOD_LOGOS: namedAddresses(shop.methodLogos, methodLogosRule).optional(),
  BANK_LINKS: namedAddresses(shop.bankLinks, bankLinksRule).optional(),
  SHOP_ACCENT: accentSchema,
  INVOICE_QR_UNIVERSAL: flag.default(false),
  FRAME_ANCESTORS: origins.default([]),
  PAY_PAGE_QR: flag.default(true),
  OUTCOME_ALLOW_HTTP: flag.default(false),
});

const schema = withRules(serverSchema, [
  [
    'ADMIN_TOKEN',
    'is required when INVOICE_BASE_URL names a service: make one with openssl rand -hex 24',
    (values) => values.ADMIN_TOKEN !== undefined || values.INVOICE_BASE_URL === undefined || isTrial(values),
  ],
  mustDiffer('ADMIN_PORT', 'PORT'),
  mustDiffer('ADMIN_PORT', 'METRICS_PORT'),
  mustDiffer('ADMIN_PORT', 'SANDBOX_PORT'),
  [
    'OUTCOME_SECRET',
    'is required with OUTCOME_URL: make one with echo "whsec_$(openssl rand -base64 24)"',
    ({ OUTCOME_URL: url, OUTCOME_SECRET: secret }) => url === undefined || secret !== undefined,
  ],
  [
    'OUTCOME_URL',
    'is required with INVOICE_MODE=LIVE: the shop learns of payments there, or by the feed with OUTCOME_FEED=1',
    ({ INVOICE_MODE, OUTCOME_URL, OUTCOME_FEED }) =>
      INVOICE_MODE !== 'LIVE' || OUTCOME_URL !== undefined || OUTCOME_FEED,
  ],
  [
    'OUTCOME_URL',
    'must be https: (http: only on loopback, and in a private network with OUTCOME_ALLOW_HTTP=1)',
    ({ OUTCOME_URL: url = 'https:', OUTCOME_ALLOW_HTTP: allowHttp }) =>
      !url.startsWith('http:') || isLoopback(hostOf(url)) || (allowHttp && privateHostPattern.test(hostOf(url))),
  ],
]);

/** The names of the standalone server's variables. */
export const serverVariables: readonly string[] = Object.keys(serverSchema.shape);

/**
 * Reads the configuration of a program that serves checkouts; an empty variable counts as unset.
 * @throws EnvironmentError with all problems at once
 * @example
 * ```ts
 * import { readEnvironment } from 'pay-invoice/standalone';
 *
 * const { port, mode, publicUrl } = readEnvironment(process.env);
 * console.log(port, mode, publicUrl); // 8080, 'TEST', undefined, unless PORT, INVOICE_MODE and PUBLIC_URL are set
 * ```
 */
export function readEnvironment(environment: Variables) {
  const values = readVariables(environmentSchema, environment, serverVariables);
  const setNames = Object.keys(findSetVariables(environment));
  const readNames = Object.keys(environmentSchema.shape);
  return {
    ...toEnvironment(values),
    /** The names of the variables that are set, and that only the standalone server reads. */
    ignoredVariables: setNames.filter((name) => serverVariables.includes(name) && !readNames.includes(name)),
  };
}

/**
 * Reads the configuration of the standalone server; an empty variable counts as unset.
 * @throws EnvironmentError with all problems at once
 */
export function readServerEnvironment(variables: Variables) {
  const values = readVariables(schema, variables);
  const { OUTCOME_URL: url, OUTCOME_SECRET: keys } = values;
  return {
    ...toEnvironment(values),
    /** The tokens of the admin API. Empty, which only a trial allows: the server generates a token. */
    adminTokens: values.ADMIN_TOKEN ?? [],
    /** The port of the admin API. Undefined: it is served on `port`. */
    adminPort: values.ADMIN_PORT,
    /** The age in days from which settled checkouts are deleted. Undefined: no checkout is deleted. */
    purgeAfterDays: values.PURGE_AFTER_DAYS,
    /** Whether the shop reads outcomes from the feed: without a receiver, they then count as delivered. */
    isFeedRead: values.OUTCOME_FEED,
    /** Where outcomes are sent, and the keys that sign them. Undefined: outcomes are stored and not sent. */
    receiver: url === undefined || keys === undefined ? undefined : { url, keys },
    /** The shop on the pay page. */
    shop: {
      name: values.SHOP_NAME,
      logoUrl: values.SHOP_LOGO_URL,
      url: values.SHOP_URL,
      contact: values.SHOP_CONTACT,
      legal: values.SHOP_LEGAL,
      termsUrl: values.SHOP_TERMS_URL,
      timeZone: values.SHOP_TIME_ZONE,
      methodLogos: values.METHOD_LOGOS,
      bankLinks: values.BANK_LINKS,
    },
    /** The colour of the pay page, such as `#3451d1`. */
    accent: values.SHOP_ACCENT,
    /** The origins whose pages may show the pay page in a frame. */
    frameAncestors: values.FRAME_ANCESTORS,
    /** Whether pages have QR codes of their own addresses. */
    pageQr: values.PAY_PAGE_QR,
    /** Whether the service's links are universal payment codes. */
    universalQr: values.INVOICE_QR_UNIVERSAL,
  };
}

/** Reads only the variables of the database. @throws EnvironmentError */
export function readDatabaseEnvironment(variables: Variables): DatabaseEnvironment {
  return toDatabaseEnvironment(readVariables(databaseSchema, variables));
}

/** Reads only what the operator's commands need to reach the running server. @throws EnvironmentError */
export function readOperatorEnvironment(variables: Variables): { readonly adminUrl: string; readonly token: string } {
  const { HOST: host, PORT, ADMIN_PORT, ADMIN_TOKEN } = readVariables(operatorSchema, variables);
  return { adminUrl: `http://${urlHost(host)}:${ADMIN_PORT ?? PORT}`, token: ADMIN_TOKEN[0] ?? '' };
}
