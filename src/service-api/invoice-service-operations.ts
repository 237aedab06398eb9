import { z } from 'zod';
import { maxIdentifierLength, maxLinkLength, maxNameLength, maxTimestampLength } from '../base/text-limits.ts';
import { decimal, duration } from './scalars.ts';

/**
 * A JSON value without its empty members, at any depth: protobuf's JSON form writes null or `""` for a missing member.
 * `metadata` belongs to the caller and stays unchanged.
 * @param emptyValues The values that make a member empty.
 */
export function withoutEmpty(value: unknown, emptyValues: readonly unknown[] = [null, '']): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutEmpty(item, emptyValues));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => !emptyValues.includes(member));
  return Object.fromEntries(
    members.map(([key, member]) => [key, key === 'metadata' ? member : withoutEmpty(member, emptyValues)]),
  );
}

/** The maximum depth of protobuf's JSON parsers. Deeper values could overflow the stack. */
const maxDepth = 100;

/** How many values a body, or an item of a list, may have: three times those of a method with as many banks as are read. */
const maxValues = 10_000;

/** How many banks of a method are read. Some 300 banks take part in SBP. */
const maxBanks = 500;

/**
 * The schema of a response, or of an item of its list: null and `""` count as missing, as in protobuf's JSON form, and unknown
 * members are dropped. Values that nest too deeply, or are too many, are refused.
 */
export function responseBody<T extends z.ZodType>(schema: T) {
  return preprocessSchema(schema, [null, '']);
}

/**
 * The schema of a request: null counts as missing. `""` does not count as missing, so that it is an error where a value is
 * needed.
 */
function requestBody<T extends z.ZodType>(schema: T) {
  return preprocessSchema(schema, [null]);
}

function preprocessSchema<T extends z.ZodType>(schema: T, emptyValues: readonly unknown[]) {
  return z.preprocess((value, context) => {
    if (isSmall(value)) return withoutEmpty(value, emptyValues);
    const message = `must not be nested deeper than ${maxDepth}, or have more than ${maxValues} values`;
    context.issues.push({ code: 'custom', message, input: undefined });
    return z.NEVER;
  }, schema);
}

function isSmall(value: unknown, count = { left: maxValues }, depth = maxDepth): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const members: readonly unknown[] = Object.values(value);
  count.left -= members.length;
  return depth > 0 && count.left >= 0 && members.every((member) => isSmall(member, count, depth - 1));
}

/** A member that may be missing. A malformed member counts as missing, so that its object stays valid. */
export function lenient<T extends z.ZodType>(schema: T) {
  return schema.optional().catch(undefined);
}

/** A list whose malformed items are dropped, and those after the first `maxItems`. */
export function lenientList<T extends z.ZodType>(schema: T, maxItems = Infinity) {
  const keepValidItems = (value: unknown) =>
    Array.isArray(value) ? value.slice(0, maxItems).filter((item) => schema.safeParse(item).success) : undefined;
  return z.preprocess(keepValidItems, z.array(schema).default([]));
}

/**
 * A text of the service. The specification has no lengths; ours keep a response from costing time and memory. U+0000 is
 * refused, because PostgreSQL cannot store it.
 */
const text = (maxLength: number) =>
  z
    .string()
    .refine(({ length }) => length <= maxLength, `must have at most ${maxLength} characters`)
    .refine((value) => !value.includes('\0'), 'must not contain U+0000');
const identifier = text(maxIdentifierLength);
const name = text(maxNameLength);
const link = text(maxLinkLength);
const time = text(maxTimestampLength);

/** An open enum: any text, or a number, which becomes a string of its digits. */
export const openEnum = z.preprocess((value) => (typeof value === 'number' ? String(value) : value), identifier);

// The specification does not define which fields are always present (invoice-service.md §2.5). Only the identifier, and the
// amount of a created invoice, are required. A malformed amount makes an invoice invalid, because its payment could not be
// checked. Other malformed members count as missing. Timestamps stay text, because an invalid timestamp only removes the
// countdown.

/** Requisites for the SBP method (invoice-service.md §2.1). */
export const sbpRequisites = z.object({
  holder_name: lenient(name),
  phone: lenient(identifier),
  account: lenient(identifier),
});

/** Requisites for payment to a card (invoice-service.md §2.1). */
export const cardRequisites = z.object({
  holder_name: lenient(name),
  card_number: lenient(identifier),
  account: lenient(identifier),
});

/** Requisites for a bank transfer (invoice-service.md §2.1). */
export const bankTransferRequisites = z.object({
  holder_name: lenient(name),
  bik: lenient(identifier),
  account: lenient(identifier),
});

/** The bank of an invoice; FetchInvoices returns no name (invoice-service.md §2.1, §2.2). */
export const bank = z.object({
  id: lenient(identifier),
  code: lenient(identifier),
  name: lenient(name),
});

/** A free-form JSON object of the caller, stored with the invoice as it is (invoice-service.md §4.1). */
export const metadata = z.record(z.string(), z.json());

/** An invoice as CreateInvoice returns it (invoice-service.md §2.1). */
export const createdInvoice = responseBody(
  z.object({
    id: identifier.min(1),
    user_id: lenient(identifier),
    external_id: lenient(identifier),
    payment_url: lenient(link),
    amount: decimal,
    expires_at: lenient(time),
    sbp: lenient(sbpRequisites),
    card: lenient(cardRequisites),
    bank_transfer: lenient(bankTransferRequisites),
    bank: lenient(bank),
    nspk_url: lenient(link),
  }),
);
export type CreatedInvoice = z.output<typeof createdInvoice>;

/** An invoice as FetchInvoices returns it (invoice-service.md §2.2). `status` is an open enum (§3). */
export const fetchedInvoice = responseBody(
  z.object({
    id: identifier.min(1),
    merchant_id: lenient(identifier),
    external_id: lenient(identifier),
    payment_url: lenient(link),
    amount: decimal.optional(),
    status: lenient(openEnum),
    metadata: lenient(metadata),
    created_at: lenient(time),
    expires_at: lenient(time),
    bank: lenient(bank),
    payment_method_id: lenient(identifier),
  }),
);
export type FetchedInvoice = z.output<typeof fetchedInvoice>;

/** The operations of the service (invoice-service.md §4). */
export const operations = ['CreateInvoice', 'FetchPaymentOptions', 'FetchInvoices'] as const;
export type Operation = (typeof operations)[number];

/** The full name of the RPC service (invoice-service.md §1). */
export const serviceName = 'invoice.v1.PubInvoiceService';

/** The path of an operation under the service's base URL (invoice-service.md §4). */
export function operationPath(operation: Operation): string {
  return `/api/public/${serviceName}/${operation}`;
}

/** The modes of an invoice (invoice-service.md §4.1, rules 1 and 2): with TEST no money moves. LIVE when omitted. */
export const modes = ['TEST', 'LIVE'] as const;
export type Mode = (typeof modes)[number];

const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });

/** The body of CreateInvoice (invoice-service.md §4.1). */
export const createInvoiceRequest = requestBody(
  z.object({
    amount: decimal.optional(),
    external_id: z.string().optional(),
    payment_method_id: z.string().optional(),
    mode: z.enum(modes).optional(),
    url_config: z
      .object({ hook_url: url.optional(), fail_url: url.optional(), success_url: url.optional() })
      .optional(),
    metadata: metadata.optional(),
    qr: z.object({ generate: z.boolean().optional(), timeout: duration.optional() }).optional(),
  }),
);
export type CreateInvoiceRequest = z.output<typeof createInvoiceRequest>;

/** The body of FetchPaymentOptions (invoice-service.md §4.2). */
export const fetchPaymentOptionsRequest = requestBody(z.object({ amount: decimal.optional() }));
export type FetchPaymentOptionsRequest = z.output<typeof fetchPaymentOptionsRequest>;

/** The body of FetchInvoices (invoice-service.md §4.3). */
export const fetchInvoicesRequest = requestBody(z.object({ ids: z.array(z.string()) }));
export type FetchInvoicesRequest = z.output<typeof fetchInvoicesRequest>;

/** Inclusive limits of a method or of one of its banks (invoice-service.md §2.3, §2.4). */
export const limits = z.object({ min_amount: decimal.optional(), max_amount: decimal.optional() });

/** A bank inside a payment option (invoice-service.md §2.4). */
export const bankOption = z.object({
  code: identifier,
  name: lenient(name),
  available: z.boolean().default(false),
  limits: limits.default({}),
});
export type BankOption = z.output<typeof bankOption>;

/** A payment method with its availability and limits (invoice-service.md §2.3). `type` is an open enum (§2.5). */
export const paymentOption = responseBody(
  z.object({
    id: identifier.min(1),
    code: lenient(identifier),
    type: openEnum.default(''),
    name: lenient(name),
    available: z.boolean().default(false),
    limits: limits.default({}),
    banks: lenientList(bankOption, maxBanks),
  }),
);
export type PaymentOption = z.output<typeof paymentOption>;

/**
 * A list of a response: null and `""` count as missing. Its items are parsed one by one, so that a malformed item does not affect
 * the others, and only as many as are needed.
 */
const items = z.preprocess(
  (value) => (value === null || value === '' ? undefined : value),
  z.array(z.unknown()).default([]),
);

/** The response of FetchPaymentOptions. */
export const fetchPaymentOptionsResponse = z.object({ options: items });

/** The response of FetchInvoices. */
export const fetchInvoicesResponse = z.object({ invoices: items });
