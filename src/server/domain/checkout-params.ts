import { z } from 'zod';
import { describeProblems, strictObject } from './strict-object.ts';
import { asciiAddress } from '../../base/addresses.ts';
import { canonicalDecimal } from '../../base/decimal.ts';
import { maxDescriptionLength, maxIdentifierLength, maxMetadataLength } from '../../base/text-limits.ts';
import { compareDecimals, isDecimal } from '../../service-api.ts';
import { isSafeLink } from '../../checkout-api/safe-link.ts';
import { hasTooManyDigits } from './order-limits.ts';
import type { AmountLimits, CheckoutParams, Metadata } from '../ports/checkout-store.ts';

/** The parameters of `create`. A member that is missing, undefined or null has its default. */
export interface CreateCheckoutParams {
  /** The merchant's identifier of the order; it is part of each outcome. */
  readonly orderId: string;
  /** A decimal string such as `"1500.00"`. Either `amount` or `amountLimits` is required. */
  readonly amount?: string | null | undefined;
  /** The limits of the amount that the payer types. */
  readonly amountLimits?: AmountLimits | null | undefined;
  /** ISO 4217, or null: no symbol is shown. */
  readonly currency: string | null;
  /** Shown to the payer. */
  readonly description?: string | null | undefined;
  /** Where the payer is sent after a payment, and after a failure: `https:`, or `http:` on the host of the endpoint. */
  readonly successUrl?: string | null | undefined;
  readonly failUrl?: string | null | undefined;
  /** The order's number as the payer may quote it to the shop. */
  readonly reference?: string | null | undefined;
  /**
   * From this moment on no new invoice is created: a `Date`, or milliseconds since 1970.
   */
  readonly expiresAt?: Date | number | null | undefined;
  /** A JSON object that is sent with every CreateInvoice (invoice-service.md §4.1) besides the member `order_id`. */
  readonly metadata?: Metadata | null | undefined;
  /** The ids or types of the methods that the order may be paid with, in the order in which they are shown; null: all. */
  readonly methods?: readonly string[] | null | undefined;
}

/** The parameters of `update`. A member that is missing or undefined stays as it is. */
export type UpdateCheckoutParams = Partial<
  Pick<CreateCheckoutParams, 'description' | 'reference' | 'expiresAt' | 'methods'>
> & { readonly amount?: string | undefined };

/** Invalid parameters of a call. `message` names each wrong parameter with its rule, `path` the first of them. */
export class CheckoutParamsError extends Error {
  override readonly name = 'CheckoutParamsError';
  readonly code = 'invalid_params';
  readonly path: string;

  constructor({ path, message }: { readonly path: string; readonly message: string }) {
    super(message);
    this.path = path;
  }
}

/** A call named a checkout or an outcome that does not exist. Nothing was changed. */
export class CheckoutNotFoundError extends Error {
  override readonly name = 'CheckoutNotFoundError';
  readonly code = 'not_found';
  /** The parameter: `id` or `outcomeId`. */
  readonly path: string;

  constructor(path: 'id' | 'outcomeId', value: string) {
    const [kind, right] =
      path === 'id' ? ['checkout', 'the id (co_…)'] : ['outcome', 'the id of an outcome (att_….paid)'];
    const isCapability = value.startsWith('chk_');
    super(
      `${path}: ${isCapability ? `is a capability (chk_…), which is for the payer's page; pass ${right}` : `there is no such ${kind}`}`,
    );
    this.path = path;
  }
}

/** What is in conflict, and the call of the library that helps. */
const conflictTexts = {
  order_conflict: ['the order has a checkout with another value', '; use update'],
  invoice_pending: ['an invoice of the checkout can still be paid'],
  already_paid: ['the checkout is paid'],
  checkout_closed: ['the checkout is closed', '; reopen opens it'],
  nothing_to_resolve: ['no invoice of the checkout needs a decision'],
  cursor_unknown: [
    'no outcome of this database has this cursor; the database was replaced, or restored from a backup. Read from the first one, without a cursor, and leave out each outcome whose id you have',
  ],
} as const;

/** A call that is not possible in the present state of the checkout, or of the database. Nothing is changed. */
export class CheckoutConflictError extends Error {
  override readonly name = 'CheckoutConflictError';
  readonly code: keyof typeof conflictTexts;
  /** The parameter that is in conflict, such as `amount`, or `id`: the checkout as a whole. */
  readonly path: string;
  /** The message without the call of the library that it advises, for a server that offers requests in place of calls. */
  readonly reason: string;

  constructor(code: keyof typeof conflictTexts, path = 'id') {
    const [text, advice = ''] = conflictTexts[code];
    super(`${path}: ${text}${advice}`);
    this.code = code;
    this.reason = `${path}: ${text}`;
    this.path = path;
  }
}

export const positiveDecimal = z
  .custom<string>(
    (amount) => typeof amount === 'string' && isDecimal(amount),
    'must be a decimal number in a string, such as "100.00"',
  )
  .refine((amount) => !isDecimal(amount) || compareDecimals(amount, '0') > 0, 'must be more than zero');

export function text(maxLength: number) {
  return z
    .string('must be a string')
    .max(maxLength, `must have at most ${maxLength} characters`)
    .refine((value) => !value.includes('\0'), 'must not contain a zero byte'); // PostgreSQL cannot store it
}

/** The years of RFC 3339 have four digits. */
const latestTime = Date.UTC(9999, 11, 31);
/** A smaller number is meant as seconds or days: it would list everything or nothing, delete nothing, or close an order. */
const earliestTime = Date.UTC(2000, 0);
const timeRule = 'must be a Date, or milliseconds since 1970';
export const timeSchema = z
  .custom<Date | number>((value) => value instanceof Date || typeof value === 'number', timeRule)
  .transform((value) => Math.ceil(Number(value)))
  .refine((ms) => Number.isSafeInteger(ms), timeRule)
  .refine((ms) => ms >= earliestTime, 'must not be before the year 2000: a number is milliseconds, not days or seconds')
  .refine((ms) => ms <= latestTime, 'must not be after the year 9999');

const reference = text(maxIdentifierLength).min(1, 'must not be empty');
const methods = z
  .array(text(maxIdentifierLength).min(1, 'must not be empty'), 'must be a list of ids or types')
  .min(1, 'must not be empty')
  .max(100, 'must have at most 100 ids or types');

export const metadata = z
  .custom<Metadata>((value) => isPlainObject(value) && isJson(value), 'must be an object of JSON')
  .refine(
    (value) => JSON.stringify(value).length <= maxMetadataLength,
    `must have at most ${maxMetadataLength} characters as JSON`,
  )
  .refine((value) => !('order_id' in value), 'must have no order_id: the server sets it');

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Whether a value is JSON: `JSON.stringify` would neither drop nor convert any part of it. */
function isJson(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (depth > 50) return false; // such as an object that contains itself
  if (Array.isArray(value)) return value.every((member) => isJson(member, depth + 1));
  return isPlainObject(value) && Object.values(value).every((member) => isJson(member, depth + 1));
}

/** The currencies of ISO 4217. */
const knownCurrencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** What languages make of a value that is missing. Two orders of such a name would be one, and one payment would pay both. */
const missingValue = /^(?:undefined|null|NaN|None|nil|<nil>|\[object \w+\])$/;

const currencyRule = 'must be an ISO 4217 code such as "RUB", or null';

/** The server's options that parameters are validated against. */
interface ParamsRules {
  readonly endpoint: string;
  /** The currencies that an order may have. */
  readonly currencies: readonly string[];
}

/** The schema of the parameters of `create`. */
export function createParamsSchema({ endpoint, currencies }: ParamsRules) {
  const urlRule = 'must be an https URL without user information';
  const url = z
    .string(urlRule)
    .refine((link) => isSafeLink(link, endpoint), urlRule)
    .transform(asciiAddress);
  return strictObject({
    // A database replaces half of a character by a sign for it: two orders would be one.
    orderId: text(maxIdentifierLength)
      .min(1, 'must not be empty')
      .refine((id) => !/\p{Surrogate}/u.test(id), 'must not contain half of a character (a lone surrogate)')
      .refine((id) => !missingValue.test(id), 'is the text of a missing value'),
    amount: positiveDecimal.nullish(),
    amountLimits: strictObject({
      minAmount: positiveDecimal.exactOptional(),
      maxAmount: positiveDecimal.exactOptional(),
    }).nullish(),
    currency: z
      .string(currencyRule)
      .refine((code) => knownCurrencies.has(code), currencyRule)
      .refine(
        (code) => currencies.includes(code),
        'is not in the option currencies: CreateInvoice has no currency, and this order would be charged in another one',
      )
      .nullable(),
    description: text(maxDescriptionLength).nullable().default(null),
    successUrl: url.nullable().default(null),
    failUrl: url.nullable().default(null),
    reference: reference.nullable().default(null),
    expiresAt: timeSchema.nullable().default(null),
    metadata: metadata.nullable().default(null),
    methods: methods.nullable().default(null),
  } satisfies Record<keyof CreateCheckoutParams, z.ZodType>).check(({ value, issues }) => {
    const { amount, amountLimits } = value;
    // The issue of an unknown currency is there already; it has no number of digits.
    const currency = knownCurrencies.has(value.currency ?? '') ? value.currency : null;
    const addIssue = (name: string, message: string): void => {
      issues.push({ code: 'custom', path: [name], message, input: undefined });
    };
    if (amount == null && amountLimits == null)
      addIssue('amount', 'is required, or amountLimits for an amount that the payer types');
    for (const [name, decimal] of Object.entries({ amount, ...amountLimits }))
      if (decimal != null && hasTooManyDigits(decimal, currency))
        addIssue(
          name === 'amount' ? name : `amountLimits.${name}`,
          `has more digits than an amount in ${currency ?? ''}`,
        );
    if (amountLimits == null) return;
    if (amount != null) addIssue('amountLimits', 'are only for an amount that the payer types');
    const { minAmount: min, maxAmount: max } = amountLimits;
    const hasBothLimits = min !== undefined && max !== undefined;
    if (hasBothLimits && compareDecimals(min, max) > 0) addIssue('amountLimits', 'hold no amount');
  });
}

/** @throws CheckoutParamsError */
export function parse<T>(schema: z.ZodType<T>, value: unknown, root = 'options'): T {
  const result = schema.safeParse(value);
  if (!result.success) throw new CheckoutParamsError(describeProblems(result.error, root));
  return result.data;
}

/** Validates the parameters of a checkout and adds the defaults. @throws CheckoutParamsError */
export type ParamsReader = (input: CreateCheckoutParams) => CheckoutParams;

export function createParamsReader(rules: ParamsRules): ParamsReader {
  const schema = createParamsSchema(rules);
  return (input) => {
    const { amount = null, amountLimits = null, ...others } = parse(schema, input, 'params');
    return { ...others, amount, amountLimits };
  };
}

export const changesSchema = strictObject({
  amount: positiveDecimal.optional(),
  description: text(maxDescriptionLength).nullable().optional(),
  reference: reference.nullable().optional(),
  expiresAt: timeSchema.nullable().optional(),
  methods: methods.nullable().optional(),
} satisfies Record<keyof UpdateCheckoutParams, z.ZodType>);

/** Validates the parameters of `update`. @throws CheckoutParamsError */
export function readChanges(input: UpdateCheckoutParams): Partial<CheckoutParams> {
  const { amount, description, reference, expiresAt, methods } = parse(changesSchema, input, 'params');
  return {
    ...(amount !== undefined && { amount }),
    ...(description !== undefined && { description }),
    ...(reference !== undefined && { reference }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(methods !== undefined && { methods }),
  };
}

/** The first parameter by which another sum would be paid; undefined when there is none. Amounts are compared by value. */
export function differingMoney(left: CheckoutParams, right: CheckoutParams): string | undefined {
  const canonical = (amount = ''): string => canonicalDecimal(amount);
  const limitsOf = ({ amountLimits: limits }: CheckoutParams): string =>
    limits === null ? '' : `${canonical(limits.minAmount)} ${canonical(limits.maxAmount)}`;
  if (limitsOf(left) !== limitsOf(right)) return 'amountLimits';
  if (canonicalDecimal(left.amount ?? '') !== canonicalDecimal(right.amount ?? '')) return 'amount';
  return left.currency === right.currency ? undefined : 'currency';
}
