import { z } from 'zod';
import { strictObject, firstIssueText } from './strict-object.ts';
import { compareDecimals, isDecimal } from '../../service-api.ts';
import { isSafeLink } from '../../checkout-api/safe-link.ts';
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
   * From this moment on no new invoice is created: a `Date`, or milliseconds since 1970. Take it from the order and not from
   * the time of the call: a repeated call must have the same value, as with every other parameter.
   */
  readonly expiresAt?: Date | number | null | undefined;
  /** A JSON object that is sent with every CreateInvoice (invoice-service.md §4.1) besides the member `order_id`. */
  readonly metadata?: Metadata | null | undefined;
}

/** Invalid parameters of a checkout; `message` names the parameter and the rule. */
export class CheckoutParamsError extends Error {
  override readonly name = 'CheckoutParamsError';
}

/** Thrown by `create` when the order has a checkout with other parameters. `message` names the first different parameter. */
export class CheckoutConflictError extends Error {
  override readonly name = 'CheckoutConflictError';
  /** The name of the first different parameter, such as `amount`. */
  readonly parameter: string;

  constructor(parameter: string) {
    super(`${parameter}: the order has a checkout with another value`);
    this.parameter = parameter;
  }
}

const positiveDecimal = z
  .custom<string>(
    (amount) => typeof amount === 'string' && isDecimal(amount),
    'must be a decimal number in a string, such as "100.00"',
  )
  .refine((amount) => !isDecimal(amount) || compareDecimals(amount, '0') > 0, 'must be more than zero');

function text(maxLength: number) {
  return z
    .string('must be a string')
    .max(maxLength, `must have at most ${maxLength} characters`)
    .refine((value) => !value.includes('\0'), 'must not contain a zero byte'); // PostgreSQL cannot store it
}

/** The years of RFC 3339 have four digits. */
const latestTime = Date.UTC(9999, 11, 31);
const timeRule = 'must be a Date, or milliseconds since 1970';
const time = z
  .custom<Date | number>((value) => value instanceof Date || typeof value === 'number', timeRule)
  .transform((value) => Math.ceil(Number(value)))
  .refine((ms) => Number.isSafeInteger(ms), timeRule)
  .refine((ms) => ms <= latestTime, 'must not be after the year 9999');

/** The maximum length of metadata as JSON. A response of FetchInvoices has the metadata of up to a hundred invoices. */
const maxMetadataLength = 8192;
const metadata = z
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

/** The server's options that parameters are validated against. */
export interface ParamsRules {
  readonly endpoint: string;
  /** The currencies that an order may have; undefined: every currency. */
  readonly currencies: readonly string[] | undefined;
}

const currencyRule = 'must be an ISO 4217 code such as "RUB", or null';

function schemaFor({ endpoint, currencies }: ParamsRules) {
  const urlRule = 'must be an https URL without user information';
  const url = z.string(urlRule).refine((link) => isSafeLink(link, endpoint), urlRule);
  return strictObject({
    orderId: text(200).min(1, 'must not be empty'),
    amount: positiveDecimal.nullish(),
    amountLimits: strictObject({
      minAmount: positiveDecimal.exactOptional(),
      maxAmount: positiveDecimal.exactOptional(),
    }).nullish(),
    currency: z
      .string(currencyRule)
      .regex(/^[A-Z]{3}$/, currencyRule)
      .refine(
        (code) => currencies?.includes(code) ?? true,
        'is not in the option currencies: CreateInvoice has no currency, and this order would be charged in another one',
      )
      .nullable(),
    description: text(1000).nullable().default(null),
    successUrl: url.nullable().default(null),
    failUrl: url.nullable().default(null),
    reference: text(200).min(1, 'must not be empty').nullable().default(null),
    expiresAt: time.nullable().default(null),
    metadata: metadata.nullable().default(null),
  } satisfies Record<keyof CreateCheckoutParams, z.ZodType>).check(({ value: { amount, amountLimits }, issues }) => {
    const addIssue = (name: string, message: string): void => {
      issues.push({ code: 'custom', path: [name], message, input: undefined });
    };
    if (amount === undefined && amountLimits == null)
      addIssue('amount', 'is required, or amountLimits for an amount that the payer types');
    if (amountLimits == null) return;
    if (amount != null) addIssue('amountLimits', 'are only for an amount that the payer types');
    const { minAmount: min, maxAmount: max } = amountLimits;
    const hasBothLimits = min !== undefined && max !== undefined;
    if (hasBothLimits && compareDecimals(min, max) > 0) addIssue('amountLimits', 'hold no amount');
  });
}

/** Validates the parameters of a checkout and adds the defaults. @throws CheckoutParamsError */
export type ParamsReader = (input: CreateCheckoutParams) => CheckoutParams;

export function createParamsReader(rules: ParamsRules): ParamsReader {
  const schema = schemaFor(rules);
  return (input) => {
    const result = schema.safeParse(input);
    if (!result.success) throw new CheckoutParamsError(firstIssueText(result.error, 'params'));
    const { amount = null, amountLimits = null, ...others } = result.data;
    return { ...others, amount, amountLimits };
  };
}

/** The first parameter whose values differ; undefined when all are equal. Amounts are compared by value. */
export function differingParameter(left: CheckoutParams, right: CheckoutParams): string | undefined {
  const values = new Map<string, unknown>(Object.entries(toComparable(right)));
  return Object.entries(toComparable(left)).find(([name, value]) => value !== values.get(name))?.[0];
}

function toComparable({
  amountLimits: limits,
  ...params
}: CheckoutParams): Readonly<Record<string, string | number | null>> {
  const { minAmount, maxAmount } = limits ?? {};
  return {
    ...params,
    amount: params.amount === null ? null : withoutTrailingZeros(params.amount),
    amountLimits: limits === null ? null : `${withoutTrailingZeros(minAmount)} ${withoutTrailingZeros(maxAmount)}`,
    metadata: JSON.stringify(params.metadata, sortMembers),
  };
}

/** A replacer for `JSON.stringify`, so that objects that differ only in the order of their members have equal texts. */
function sortMembers(_name: string, value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A decimal without zeros at the end of its fraction. */
function withoutTrailingZeros(amount = ''): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}
