import { z } from 'zod';
import { issueText } from '../../base/zod-issue-text.ts';
import { compareDecimals, decimal, isDecimal } from '../../contract.ts';
import { isSafeLink } from '../../protocol/safe-link.ts';
import type { CheckoutParams } from '../ports/checkout-store.ts';

/** The parameters of `create`. */
export type CreateCheckoutParams = Omit<CheckoutParams, 'reference' | 'expiresAt' | 'metadata'> &
  Partial<Pick<CheckoutParams, 'reference' | 'expiresAt' | 'metadata'>>;

/** Invalid parameters of a checkout; `message` names the field. */
export class CheckoutParamsError extends Error {
  override readonly name = 'CheckoutParamsError';
}

/** Thrown by `create` when the order has a checkout with other parameters. `message` names the first that differs. */
export class CheckoutConflictError extends Error {
  override readonly name = 'CheckoutConflictError';
  /** The parameter, such as `amount`. */
  readonly parameter: string;

  constructor(parameter: string) {
    super(`${parameter}: the order has a checkout with another value`);
    this.parameter = parameter;
  }
}

const positive = decimal.refine(
  (amount) => !isDecimal(amount) || compareDecimals(amount, '0') > 0,
  'must be more than zero',
);

/** What parameters are validated against. */
export interface ParamsRules {
  readonly endpoint: string;
  /** The currencies that an order may have; undefined: any. */
  readonly currencies: readonly string[] | undefined;
}

function schemaFor({ endpoint, currencies }: ParamsRules) {
  const url = z.string().refine((link) => isSafeLink(link, endpoint), 'must be an https URL without user information');
  return z
    .object({
      orderId: z.string().min(1, 'must not be empty').max(200, 'must have at most 200 characters'),
      amount: positive.nullable(),
      amountLimits: z.object({ minAmount: positive.exactOptional(), maxAmount: positive.exactOptional() }).nullable(),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as "RUB"')
        .refine(
          (code) => currencies?.includes(code) ?? true,
          'is not in the option currencies: CreateInvoice has no currency, and this order would be charged in another one',
        )
        .nullable(),
      description: z.string().max(1000, 'must have at most 1000 characters').nullable(),
      successUrl: url.nullable(),
      failUrl: url.nullable(),
      reference: z.string().max(200, 'must have at most 200 characters').nullable().default(null),
      expiresAt: z.int('must be a time in whole milliseconds since 1970').nullable().default(null),
      metadata: z.record(z.string(), z.string()).nullable().default(null),
    })
    .check(({ value: { amount, amountLimits: limits }, issues }) => {
      if (limits === null) return;
      const refuse = (message: string): void => {
        issues.push({ code: 'custom', path: ['amountLimits'], message, input: limits });
      };
      if (amount !== null) refuse('are only for an amount that the payer types');
      const { minAmount: min, maxAmount: max } = limits;
      const areBoth = min !== undefined && max !== undefined && isDecimal(min) && isDecimal(max);
      if (areBoth && compareDecimals(min, max) > 0) refuse('hold no amount');
    });
}

/**
 * Validates the parameters of a checkout.
 * @throws CheckoutParamsError
 */
export function validateCheckoutParams(params: CreateCheckoutParams, rules: ParamsRules): CheckoutParams {
  const result = schemaFor(rules).safeParse(params);
  if (result.success) return result.data;
  throw new CheckoutParamsError(issueText(result.error.issues[0], 'params'));
}

/** The first parameter in which two orders differ; undefined when they are the same. Amounts are compared as numbers. */
export function differingParameter(one: CheckoutParams, other: CheckoutParams): string | undefined {
  const values = new Map<string, unknown>(Object.entries(comparable(other)));
  return Object.entries(comparable(one)).find(([name, value]) => value !== values.get(name))?.[0];
}

function comparable({
  amountLimits: limits,
  metadata,
  ...params
}: CheckoutParams): Readonly<Record<string, string | number | null>> {
  const { minAmount, maxAmount } = limits ?? {};
  const amountLimits = limits === null ? null : `${plainDecimal(minAmount)} ${plainDecimal(maxAmount)}`;
  return {
    ...params,
    amount: params.amount === null ? null : plainDecimal(params.amount),
    amountLimits,
    metadata: metadata && JSON.stringify(Object.entries(metadata).sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

/** A decimal without zeros at the end of its fraction. */
function plainDecimal(amount = ''): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}
