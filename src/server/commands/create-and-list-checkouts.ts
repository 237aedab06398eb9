import { z } from 'zod';
import { randomId } from '../../base/random.ts';
import { maxDescriptionLength, maxIdentifierLength } from '../../base/text-limits.ts';
import { checkoutStatuses } from '../../checkout-api.ts';
import {
  changeParams,
  recreateCheckout,
  reopenCheckout,
  withAction,
  closeCheckout,
  linkCheckout,
  resolveInvoice,
} from '../domain/merchant-changes.ts';
import { strictObject, wholeNumber } from '../domain/strict-object.ts';
import {
  CheckoutNotFoundError,
  CheckoutParamsError,
  createParamsReader,
  parse,
  readChanges,
  text,
  timeSchema,
  type CreateCheckoutParams,
  type UpdateCheckoutParams,
} from '../domain/checkout-params.ts';
import type { Resolution } from '../ports/invoice-attempt.ts';
import { createCapability, createCheckoutId, isSameSecret } from '../domain/identifiers.ts';
import {
  toMerchantCheckout,
  type CheckoutWithOutcomes,
  type CreatedCheckout,
  type LinkedCheckout,
  type MerchantCheckout,
} from '../domain/present-to-merchant.ts';
import {
  type CheckoutParams,
  type CheckoutRecord,
  type MerchantAction,
  isMerchantTransaction,
  type MerchantTransaction,
} from '../ports/checkout-store.ts';
import { outcomeKinds, type OutcomeRecord } from '../ports/outcome-outbox.ts';
import type { ServerContext } from '../server-context.ts';
import { maxTries, updateCheckout, type Decision } from './update-checkout.ts';

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
  readonly orderId?: string | undefined;
  /** The exact order, reference, checkout (`co_…`), invoice, external id (`att_…`) or outcome that a person looks for. */
  readonly search?: string | undefined;
  /** Only checkouts with an outcome that is not delivered, also one whose delivery was given up. */
  readonly undelivered?: boolean | undefined;
  /** Only checkouts with an invoice about which a person has to decide: `needsDecision` of the invoice is true. */
  readonly needsDecision?: boolean | undefined;
  /** Only checkouts with an outcome of this kind. */
  readonly kind?: OutcomeRecord['kind'] | undefined;
  readonly status?: MerchantCheckout['status'] | undefined;
  /** A `Date`, or milliseconds since 1970. */
  readonly createdAfter?: Date | number | undefined;
  readonly createdBefore?: Date | number | undefined;
  /** How many checkouts a page has, from 1 to 500; 100 by default. */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before. */
  readonly cursor?: string | undefined;
}

/** A page of checkouts, newest first. */
export interface CheckoutPage {
  readonly checkouts: readonly MerchantCheckout[];
  /** Selects the next page; null: there is none. */
  readonly nextCursor: string | null;
}

/** A person's decision about an invoice. */
export interface ResolveParams {
  /** The invoice's `id` or `externalId`. It may be missing while only one invoice needs a decision. */
  readonly invoiceId?: string | undefined;
  /** `paid`: the order is paid by it. `void`: it pays no order, and the payer may request another invoice. */
  readonly as: Resolution['as'];
  /** Why, and who has decided so: up to 1000 characters. It is part of the outcome. */
  readonly note: string;
}

const createOptions = strictObject({
  transaction: z
    .custom<MerchantTransaction>(
      isMerchantTransaction,
      'must be a transaction of Kysely, or an object with executeSql(text, values)',
    )
    .optional(),
});

const cursorRule = 'must be nextCursor of a page';
const cursorSchema = z
  .string(cursorRule)
  .regex(/^\d{1,15}\.[\w-]{1,100}$/, cursorRule)
  .transform((text) => {
    const [createdAt = '', id = ''] = text.split('.');
    return { createdAt: Number(createdAt), id };
  });
export const listQuery = strictObject({
  // An empty filter would select everybody's checkouts: the shop has lost what it looks for.
  orderId: z.string('must be a string').min(1, 'must not be empty').max(maxIdentifierLength, `must have at most ${maxIdentifierLength} characters`).optional(), // prettier-ignore
  search: text(maxIdentifierLength).min(1, 'must not be empty').optional(),
  undelivered: z.boolean('must be true or false').optional(),
  needsDecision: z.boolean('must be true or false').optional(),
  kind: z.enum(outcomeKinds, `must be one of ${outcomeKinds.join(', ')}`).optional(),
  status: z.enum(checkoutStatuses, `must be one of ${checkoutStatuses.join(', ')}`).optional(),
  createdAfter: timeSchema.optional(),
  createdBefore: timeSchema.optional(),
  limit: wholeNumber('', 1, 500).default(100),
  cursor: cursorSchema.optional(),
} satisfies Record<keyof ListCheckoutsQuery, z.ZodType>);

export const resolveParams = strictObject({
  invoiceId: text(maxIdentifierLength).optional(),
  as: z.enum(['paid', 'void'], 'must be paid or void'),
  note: text(maxDescriptionLength).min(1, 'must not be empty'),
} satisfies Record<keyof ResolveParams, z.ZodType>);

/** The calls of the merchant's server: create, find, change, close and resolve checkouts. */
export function createMerchantCheckouts(context: ServerContext) {
  const { store, time, timing, random, log, statuses } = context;
  const readParams = createParamsReader(context);
  const present = (record: CheckoutRecord): MerchantCheckout => toMerchantCheckout(record, time.now(), statuses);
  const toCreatedCheckout = (record: CheckoutRecord, isNew: boolean): CreatedCheckout => ({
    ...present(record),
    capability: record.capability,
    isNew,
  });
  const withOutcomes = async (record: CheckoutRecord): Promise<CheckoutWithOutcomes> => ({
    ...present(record),
    actions: record.actions,
    outcomes: await store.listOutcomes(record.id),
  });

  const load = async (id: string): Promise<CheckoutRecord | undefined> => {
    const record = isStorable('id', id) ? await store.load(id) : undefined;
    // A database may ignore case in comparisons, and find a checkout with another identifier.
    return record !== undefined && isSameSecret(record.id, id) ? record : undefined;
  };

  /** @throws CheckoutNotFoundError */
  const updateStored = async <T>(id: string, decide: (record: CheckoutRecord) => Decision<T>): Promise<T> => {
    const result = isStorable('id', id) ? await updateCheckout(context, id, decide) : undefined;
    if (result === undefined) throw new CheckoutNotFoundError('id', id);
    return result;
  };

  /** Closes or opens a checkout. Nothing is saved when `change` returns undefined. */
  const setClosed = async (
    id: string,
    change: (record: CheckoutRecord, now: number) => CheckoutRecord | undefined,
    event: string,
  ): Promise<CheckoutWithOutcomes> => {
    const { checkout, isChanged } = await updateStored(id, (loaded) => {
      const record = change(loaded, time.now());
      return { result: { checkout: record ?? loaded, isChanged: record !== undefined }, record };
    });
    if (isChanged) log('info', event, { checkout: id });
    return withOutcomes(checkout);
  };

  const newCapability = (id: string) => ({ capability: createCapability(id, random), capabilityAt: time.now() });

  /** A new capability for a checkout whose capability has expired. */
  const renewalOf = ({ id, capabilityAt }: CheckoutRecord) =>
    time.now() - capabilityAt > timing.lifetimeMs ? newCapability(id) : undefined;

  const newRecord = (params: CheckoutParams): CheckoutRecord => {
    const id = createCheckoutId(random);
    return {
      id,
      ...newCapability(id),
      hookSecret: randomId(random),
      params,
      createdAt: time.now(),
      version: 1,
      paidExternalId: null,
      paidAt: null,
      closedAt: null,
      actions: [],
      attempts: [],
    };
  };

  /** Creates the checkout of an order, or changes it. Resolves with undefined when another caller did so at the same time. */
  const tryCreate = async (
    params: CheckoutParams,
    transaction: MerchantTransaction | undefined,
  ): Promise<CreatedCheckout | undefined> => {
    const fields = { order_id: params.orderId, in_transaction: transaction !== undefined }; // which may be rolled back
    const existing = await store.loadByOrder(params.orderId, transaction);
    if (existing === undefined) {
      if (params.expiresAt !== null && params.expiresAt <= time.now())
        throw new CheckoutParamsError({ path: 'expiresAt', message: 'expiresAt: must be in the future' });
      const record = newRecord(params);
      if (!(await store.insert(record, transaction))) return undefined;
      log('info', 'checkout_created', { checkout: record.id, ...fields });
      return toCreatedCheckout(record, true);
    }
    const record = recreateCheckout(existing, params, time.now(), renewalOf(existing));
    if (record === existing) return toCreatedCheckout(existing, false);
    const version = existing.version + 1;
    if (!(await store.save({ ...record, version }, [], { loaded: existing, transaction }))) return undefined;
    log('info', 'checkout_updated', { checkout: record.id, ...fields });
    return toCreatedCheckout(record, false);
  };

  return {
    async create(input: CreateCheckoutParams, options: CreateCheckoutOptions = {}): Promise<CreatedCheckout> {
      const params = readParams(input);
      const { transaction } = parse(createOptions, options);
      for (let tries = 0; tries < maxTries; tries += 1) {
        const created = await tryCreate(params, transaction);
        if (created !== undefined) return created;
      }
      throw new Error(`the checkout could not be saved in ${maxTries} tries: others saved it each time`);
    },

    async get(id: string): Promise<CheckoutWithOutcomes | undefined> {
      const record = await load(id);
      return record && withOutcomes(record);
    },

    async getByOrder(orderId: string): Promise<CheckoutWithOutcomes | undefined> {
      const record = isStorable('orderId', orderId) ? await store.loadByOrder(orderId) : undefined;
      return record && withOutcomes(record);
    },

    async list(query: ListCheckoutsQuery = {}): Promise<CheckoutPage> {
      const { cursor, limit, needsDecision, ...filters } = parse(listQuery, query);
      if (filters.orderId !== undefined && !isStorable('orderId', filters.orderId))
        return { checkouts: [], nextCursor: null };
      // One more than a page shows whether there is a next page.
      const records = await store.list({
        ...filters,
        ...(needsDecision === true && { undecided: statuses }),
        now: time.now(),
        after: cursor,
        limit: limit + 1,
      });
      const page = records.slice(0, limit);
      const last = records.length > limit ? page.at(-1) : undefined;
      return {
        checkouts: page.map(present),
        nextCursor: last === undefined ? null : `${last.createdAt}.${last.id}`,
      };
    },

    async update(id: string, input: UpdateCheckoutParams): Promise<CheckoutWithOutcomes> {
      const changes = readChanges(input);
      const record = await updateStored(id, (loaded) => {
        const changed = changeParams(loaded, checkAmount(readParams, loaded, changes), time.now());
        return { result: changed, record: changed };
      });
      log('info', 'checkout_updated', { checkout: id, order_id: record.params.orderId });
      return withOutcomes(record);
    },

    close: (id: string): Promise<CheckoutWithOutcomes> => setClosed(id, closeCheckout, 'checkout_closed'),

    reopen: (id: string): Promise<CheckoutWithOutcomes> => setClosed(id, reopenCheckout, 'checkout_reopened'),

    async link(id: string): Promise<LinkedCheckout> {
      const linked = await updateStored(id, (loaded) => {
        const record = linkCheckout(loaded, time.now(), renewalOf(loaded));
        return { result: record, record };
      });
      log('info', 'checkout_linked', { checkout: id });
      return { ...present(linked), capability: linked.capability };
    },

    async resolve(id: string, input: ResolveParams): Promise<CheckoutWithOutcomes> {
      const { invoiceId, as, note } = parse(resolveParams, input, 'params');
      const resolved = await updateStored(id, (loaded) => {
        const at = time.now();
        const { record, externalId } = resolveInvoice(loaded, invoiceId, { as, note, at }, statuses);
        const changed = withAction(record, { at, action: 'resolve', target: externalId });
        return { result: changed, record: changed };
      });
      return withOutcomes(resolved);
    },

    /** @throws CheckoutNotFoundError */
    loadKnown: async (id: string): Promise<CheckoutRecord> => {
      const record = await load(id);
      if (record === undefined) throw new CheckoutNotFoundError('id', id);
      return record;
    },

    /** Records what the merchant has done with a checkout. @throws CheckoutNotFoundError */
    addAction: async (id: string, done: Omit<MerchantAction, 'at'>): Promise<CheckoutWithOutcomes> =>
      withOutcomes(
        await updateStored(id, (loaded) => {
          const record = withAction(loaded, { at: time.now(), ...done });
          return { result: record, record };
        }),
      ),
  };
}

/** Returns the changes if the checkout's currency can have the amount. @throws CheckoutParamsError */
function checkAmount(
  readParams: (params: CreateCheckoutParams) => CheckoutParams,
  { params: { orderId, currency } }: CheckoutRecord,
  changes: Partial<CheckoutParams>,
): Partial<CheckoutParams> {
  if (changes.amount !== undefined) readParams({ orderId, amount: changes.amount, currency });
  return changes;
}

/**
 * Whether a database can store an identifier as it is: PostgreSQL refuses a zero byte, and SQLite replaces half of a character.
 * @throws CheckoutParamsError for one that is no text, as a program without types may pass
 */
export function isStorable(path: 'id' | 'orderId' | 'outcomeId' | 'capability', identifier: unknown): boolean {
  if (typeof identifier === 'string') return !/[\0\p{Surrogate}]/u.test(identifier);
  throw new CheckoutParamsError({ path, message: `${path}: must be a string` });
}
