import { systemClock, type Clock } from '../base/clock.ts';
import { systemRandom, type Random } from '../base/random.ts';
import { modes, type Mode } from '../service-api.ts';
import type { CheckoutStore } from './ports/checkout-store.ts';
import type { Outcome } from './ports/outcome-outbox.ts';
import { defaultStatuses, repeatedStatus } from './domain/fetch-decisions.ts';
import type { StatusLists } from './ports/invoice-attempt.ts';
import type { InvoiceService } from './ports/invoice-service.ts';
import { standardErrorLog, type Log } from './ports/log.ts';
import { noMetrics, type Metrics } from './telemetry/metrics.ts';
import { limitsSchema, timingSchema, type Limits, type Timing } from './timing-and-limit-defaults.ts';
import { z } from 'zod';
import {
  checkOptions,
  clockSchema,
  methodsCheck,
  originList,
  randomSchema,
  strictObject,
  wholeNumber,
} from './domain/strict-object.ts';
import { normalAddress, readAddress } from '../base/addresses.ts';
import { paidWordsRule } from '../base/live-mode-rule.ts';
import { loopbackHost } from '../base/loopback-host.ts';

/** The options of `createCheckoutServer`. */
export interface CheckoutServerOptions {
  readonly service: InvoiceService;
  readonly store: CheckoutStore;
  /** The public address of the mounted handler, such as `https://shop.example/checkout`. Webhooks are sent below it. */
  readonly endpoint: string;
  /** Sent with every CreateInvoice (invoice-service.md §4.1). The widget shows a badge for TEST. */
  readonly mode: Mode;
  /**
   * The currencies of orders; by default only RUB. CreateInvoice has no currency: list another currency only
   * when the service is known to charge its amounts in it. An order without a currency is always possible.
   */
  readonly currencies?: readonly string[];
  /**
   * Called at least once for every outcome, in order for each checkout. A call that rejects, or that has not settled after 10 s,
   * is repeated later. A number `status` of the result or the error is stored as the HTTP status of the delivery, and a text
   * `warning` of the result as its `error`, although it is delivered. `signal` aborts after these 10 s, and when the server stops.
   */
  readonly onOutcome: (outcome: Outcome, context: { readonly signal: AbortSignal }) => Promise<unknown>;
  /** Origins other than the endpoint's own whose pages may use the checkout. */
  readonly allowedOrigins?: readonly string[];
  /**
   * What the service's status words mean. A list that is omitted has its default, but with mode LIVE `paid` is required. A word
   * may be in one list only.
   */
  readonly statuses?: Partial<StatusLists>;
  /** Whether CreateInvoice requests a QR code, and how (invoice-service.md §4.1); false requests none. */
  readonly qr?: QrOptions | false;
  readonly timing?: Partial<Timing>;
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Receives log lines without personal data and secrets. By default they go to standard error. */
  readonly log?: Log;
  /** Receives the server's metrics. Each server needs its own instance. */
  readonly metrics?: Metrics;
}

/** How a QR code is requested. */
export interface QrOptions {
  /**
   * The types of payment methods (invoice-service.md §2.3) for which a QR code is requested; by default `SBP`. Types are
   * compared without regard to case.
   */
  readonly methods?: readonly string[];
  /** How long the service may take to generate the QR code, in milliseconds; by default 4000. */
  readonly timeoutMs?: number;
}

// The rules for the options of `createCheckoutServer`. docs/server.md lists each option with its default.

const word = z
  .string('must be a string')
  .trim()
  .refine((text) => text !== '', 'must not be empty');
const statusWords = (defaultWords: readonly string[]) =>
  z.array(word, 'must be a list of status words').default([...defaultWords]);
/** In the mode LIVE there is no default. */
const paidWords = z
  .array(word, 'must be a list of status words')
  .refine((list) => list.length > 0, 'must name at least one status word')
  .optional();

const statusLists = strictObject({
  paid: paidWords,
  failed: statusWords(defaultStatuses.failed),
  expired: statusWords(defaultStatuses.expired),
  pending: statusWords(defaultStatuses.pending),
} satisfies Record<keyof StatusLists, z.ZodType>);
const statusesSchema = statusLists.check(({ value, issues }) => {
  const repeated = repeatedStatus(withPaidWords(value));
  if (repeated === undefined) return;
  const { meaning, word, otherMeaning } = repeated;
  issues.push({
    code: 'custom',
    path: [meaning],
    message: `"${word}" is also in statuses.${otherMeaning}`,
    input: value,
  });
});

/** A payer waits no longer than this for a QR, in milliseconds. */
const maxQrTimeoutMs = 30_000;

const qrSchema = strictObject({
  methods: z.array(word, 'must be a list of types of payment methods').default(['SBP']),
  timeoutMs: wholeNumber(' of milliseconds', 1)
    .refine((ms) => ms < maxQrTimeoutMs, `must be shorter than ${maxQrTimeoutMs}`)
    .default(4000),
} satisfies Record<keyof QrOptions, z.ZodType>);

const endpointRule = 'must be an address such as "https://shop.example/checkout"';
const endpoint = z
  .string(endpointRule)
  .refine((text) => readAddress(text) !== undefined, { error: endpointRule, abort: true })
  .refine((text) => normalAddress(text) !== undefined, 'must have no user, query or fragment')
  .transform((text) => normalAddress(text) ?? text);

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

const isService = methodsCheck('createInvoice', 'fetchPaymentOptions', 'fetchInvoices');
/** The methods that every store has: one that is missing is told at the start, and not when it is first called. */
const storeMethods: Readonly<Record<Exclude<keyof CheckoutStore, 'clock'>, true>> = {
  insert: true,
  loadByOrder: true,
  load: true,
  save: true,
  list: true,
  claimDueAttempts: true,
  reschedule: true,
  expedite: true,
  expediteUnresolved: true,
  shiftSchedule: true,
  noteTime: true,
  nextRunAt: true,
  purge: true,
  subscribe: true,
  claimOutcomes: true,
  countOutcomes: true,
  listOutcomes: true,
  readOutcomes: true,
  renewOutcomeLeases: true,
  markOutcomeDelivered: true,
  retryOutcome: true,
  abandonOutcome: true,
  redeliverOutcome: true,
};
const isStore = methodsCheck(...Object.keys(storeMethods));

const optionsSchema = strictObject({
  service: z.custom<InvoiceService>(isService, 'must be a client of the invoice service: createInvoiceServiceClient()'),
  store: z.custom<CheckoutStore>(isStore, {
    error: ({ input }) =>
      input instanceof Promise
        ? 'is a promise: await createPostgresStore() or createSqliteStore()'
        : 'must be a store, such as that of createPostgresStore() or createSqliteStore()',
  }),
  endpoint,
  mode: z.enum(modes, 'must be "TEST" or "LIVE"'),
  currencies: z
    .array(z.string().regex(/^[A-Z]{3}$/, 'must be a code of ISO 4217 such as "RUB"'), 'must be a list of codes')
    .default(['RUB']),
  onOutcome: z.custom<CheckoutServerOptions['onOutcome']>(isFunction, 'must be a function'),
  allowedOrigins: originList,
  statuses: statusesSchema.prefault({}),
  qr: z.preprocess((value) => (value === false ? null : value), qrSchema.nullable().prefault({})),
  timing: timingSchema.prefault({}),
  limits: limitsSchema.prefault({}),
  clock: clockSchema.default(() => systemClock),
  random: randomSchema.default(() => systemRandom),
  log: z.custom<Log>(isFunction, 'must be a function').default(() => standardErrorLog),
  metrics: z
    .custom<Metrics>(methodsCheck('counter', 'gauge', 'histogram'), 'must have counter, gauge and histogram')
    .default(() => noMetrics),
} satisfies Record<keyof CheckoutServerOptions, z.ZodType>).check(({ value, issues }) => {
  if (value.mode !== 'LIVE') return;
  const { protocol, hostname } = new URL(value.endpoint);
  const refuse = (path: string[], message: string) => issues.push({ code: 'custom', path, message, input: value });
  if (protocol !== 'https:' && !loopbackHost.test(hostname))
    refuse(['endpoint'], 'must be https: with mode LIVE (http: only on loopback)');
  if (value.statuses.paid === undefined) refuse(['statuses', 'paid'], paidWordsRule('mode LIVE'));
});

/** The names of the options; docs/server.md lists them. */
export const optionNames: readonly string[] = Object.keys(optionsSchema.shape);

/** The options, in which each omitted option has its default. */
export type CheckoutServerSettings = Omit<z.output<typeof optionsSchema>, 'statuses'> & {
  readonly statuses: StatusLists;
};

function withPaidWords({
  paid,
  ...lists
}: Omit<StatusLists, 'paid'> & Pick<z.output<typeof statusLists>, 'paid'>): StatusLists {
  return { ...lists, paid: paid ?? defaultStatuses.paid };
}

/**
 * Validates the options and adds the defaults.
 * @throws CheckoutOptionsError
 */
export function readOptions(options: CheckoutServerOptions): CheckoutServerSettings {
  const settings = checkOptions(optionsSchema, options);
  return { ...settings, statuses: withPaidWords(settings.statuses) };
}
