import { z } from 'zod';
import { closeCheckout } from '../domain/close-checkout.ts';
import { strictObject, firstIssueText } from '../domain/strict-object.ts';
import {
  CheckoutConflictError,
  CheckoutParamsError,
  createParamsReader,
  differingParameter,
  type CreateCheckoutParams,
} from '../domain/checkout-params.ts';
import { createCapability, createCheckoutId, createHookSecret, isSameSecret } from '../domain/identifiers.ts';
import { toMerchantCheckout, type CreatedCheckout, type MerchantCheckout } from '../domain/present-to-merchant.ts';
import type { CheckoutParams, CheckoutRecord } from '../ports/checkout-store.ts';
import { isMerchantTransaction, type MerchantTransaction } from '../ports/merchant-sql-transaction.ts';
import type { ServerContext } from '../server-context.ts';
import { updateCheckout } from './update-checkout.ts';

/** Options of `create`. */
export interface CreateCheckoutOptions {
  /**
   * The merchant's own transaction in the database of the store: the checkout is stored when it commits, and not at all
   * when it rolls back. A `Transaction` of Kysely, or an object whose `executeSql` runs SQL in the transaction.
   */
  readonly transaction?: MerchantTransaction | undefined;
}

/** What `list` selects. */
export interface ListCheckoutsQuery {
  readonly orderId: string;
}

/** The calls of the merchant's server: create, get, list and close checkouts. */
export interface MerchantCheckouts {
  create(params: CreateCheckoutParams, options?: CreateCheckoutOptions): Promise<CreatedCheckout>;
  get(id: string): Promise<MerchantCheckout | undefined>;
  list(query: ListCheckoutsQuery): Promise<readonly MerchantCheckout[]>;
  close(id: string): Promise<MerchantCheckout | undefined>;
}

const createOptions = strictObject({
  transaction: z
    .custom<MerchantTransaction>(
      isMerchantTransaction,
      'must be a transaction of Kysely, or an object with executeSql(text, values)',
    )
    .optional(),
});
const listQuery = strictObject({ orderId: z.string('must be a string') });

export function createMerchantCheckouts(context: ServerContext): MerchantCheckouts {
  const { store, time, random, log } = context;
  const readParams = createParamsReader(context);
  const toCreatedCheckout = (record: CheckoutRecord, isNew: boolean): CreatedCheckout => ({
    ...toMerchantCheckout(record, time.now()),
    capability: record.capability,
    isNew,
  });

  return {
    async create(input, options = {}) {
      const params = readParams(input);
      const { transaction } = parse(createOptions, options);
      const existing = await store.loadByOrder(params.orderId, transaction);
      if (existing !== undefined) return toCreatedCheckout(requireSameParams(existing, params), false);
      if (params.expiresAt !== null && params.expiresAt <= time.now())
        throw new CheckoutParamsError('expiresAt: must be in the future');
      const id = createCheckoutId(random);
      const record: CheckoutRecord = {
        id,
        capability: createCapability(id, random),
        capabilityAt: time.now(),
        hookSecret: createHookSecret(random),
        params,
        createdAt: time.now(),
        version: 1,
        paidExternalId: null,
        paidAt: null,
        closedAt: null,
        attempts: [],
      };
      if (!(await store.insert(record, transaction)))
        return toCreatedCheckout(
          requireSameParams(await store.loadByOrder(params.orderId, transaction), params),
          false,
        );
      log('info', 'checkout_created', {
        checkout: record.id,
        order_id: params.orderId,
        in_transaction: transaction !== undefined, // a transaction may still be rolled back
      });
      return toCreatedCheckout(record, true);
    },

    async get(id) {
      const record = isStorable(id) ? await store.load(id) : undefined;
      // A database may ignore case in comparisons, and find a checkout with another identifier.
      return record !== undefined && isSameSecret(record.id, id) ? toMerchantCheckout(record, time.now()) : undefined;
    },

    async list(query) {
      const { orderId } = parse(listQuery, query);
      const record = isStorable(orderId) ? await store.loadByOrder(orderId) : undefined;
      return record === undefined ? [] : [toMerchantCheckout(record, time.now())];
    },

    async close(id) {
      if (!isStorable(id)) return undefined;
      const closeResult = await updateCheckout(context, id, (loaded) => {
        const record = closeCheckout(loaded, time.now());
        return { result: { checkout: record ?? loaded, isNewlyClosed: record !== undefined }, record };
      });
      if (closeResult === undefined) return undefined;
      if (closeResult.isNewlyClosed) log('info', 'checkout_closed', { checkout: id });
      return toMerchantCheckout(closeResult.checkout, time.now());
    },
  };
}

/** Whether a database can store the text: PostgreSQL refuses a zero byte, even in a condition. */
function isStorable(text: string): boolean {
  return !text.includes('\0');
}

/** Returns the existing checkout of an order. @throws CheckoutConflictError when it has other parameters */
function requireSameParams(existing: CheckoutRecord | undefined, params: CheckoutParams): CheckoutRecord {
  if (existing === undefined) throw new Error('the checkout of an order cannot be read');
  const parameter = differingParameter(existing.params, params);
  if (parameter !== undefined) throw new CheckoutConflictError(parameter);
  return existing;
}

function parse<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (!result.success) throw new CheckoutParamsError(firstIssueText(result.error, 'options'));
  return result.data;
}
