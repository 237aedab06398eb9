import { z } from 'zod';
import { maxIdentifierLength } from '../../base/text-limits.ts';
import { decimal, timestamp } from '../../service-api/scalars.ts';
import { problemCodes } from '../problem-codes.ts';

// The definition of the checkout API (docs/checkout-api.md). The backend parses and writes with these schemas. The
// browser's decoders (`decoders/generated-*.ts`) and the OpenAPI document are generated from them.

/** The statuses that the server derives for a checkout: a closed set. */
export const checkoutStatuses = ['open', 'pending', 'paid', 'failed', 'expired', 'closed'] as const;
export type CheckoutStatus = (typeof checkoutStatuses)[number];

/** Inclusive limits of an amount. An absent bound is no limit. */
export const amountLimits = z
  .object({ min_amount: decimal.optional(), max_amount: decimal.optional() })
  .meta({ id: 'AmountLimits', description: 'Inclusive limits of an amount.' });
export type AmountLimits = z.output<typeof amountLimits>;

/** A bank of a payment option (invoice-service.md §2.4). */
export const bankOption = z
  .object({ code: z.string(), name: z.string().optional(), available: z.boolean(), limits: amountLimits })
  .meta({ id: 'BankOption', description: 'A bank through which a payment method works.' });
export type BankOption = z.output<typeof bankOption>;

/** A payment option as the payer may choose it (invoice-service.md §2.3); `type` is an open enum. */
export const paymentOption = z
  .object({
    id: z.string(),
    code: z.string().optional(),
    type: z.string(),
    name: z.string().optional(),
    available: z.boolean(),
    limits: amountLimits,
    banks: z.array(bankOption),
  })
  .meta({ id: 'PaymentOption', description: 'A payment method with its availability and limits.' });
export type PaymentOption = z.output<typeof paymentOption>;

/** Requisites of a transfer by phone number (invoice-service.md §2.1). */
export const sbpRequisites = z
  .object({
    holder_name: z.string().optional(),
    phone: z.string().optional(),
    account: z.string().optional(),
  })
  .meta({ id: 'SbpRequisites' });

/** Requisites of a payment to a card (invoice-service.md §2.1). */
export const cardRequisites = z
  .object({
    holder_name: z.string().optional(),
    card_number: z.string().optional(),
    account: z.string().optional(),
  })
  .meta({ id: 'CardRequisites' });

/** Requisites of a bank transfer (invoice-service.md §2.1). */
export const bankTransferRequisites = z
  .object({ holder_name: z.string().optional(), bik: z.string().optional(), account: z.string().optional() })
  .meta({ id: 'BankTransferRequisites' });

/** The recipient's bank. */
export const bank = z
  .object({ id: z.string().optional(), code: z.string().optional(), name: z.string().optional() })
  .meta({ id: 'Bank' });

/** The QR code of `nspk_url`, byte for byte, so that a browser needs no encoder. */
export const qrCode = z
  .object({
    /** The side in modules: 17 + 4 × version. */
    size: z.int().min(21).max(177),
    /** Base64 of size × size bits, row by row from the top left, the first in the highest bit. 1 is dark. No quiet zone. */
    modules: z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/),
  })
  .meta({
    id: 'QrCode',
    description:
      'The QR code of nspk_url. `modules` is base64 of size × size bits, row by row from the top left, the most significant bit of each byte first; 1 is dark; the last byte is padded with zeros; no quiet zone.',
  });
export type QrCode = z.output<typeof qrCode>;

/** The invoice that the payer is asked to pay. Members that the service did not return are absent. */
export const checkoutInvoice = z
  .object({
    id: z.string(),
    payment_method_id: z.string().optional(),
    external_id: z.string().optional(),
    amount: decimal,
    payment_url: z.string().optional(),
    nspk_url: z.string().optional(),
    /** A backend may leave it out: the widget then loads an encoder. */
    qr: qrCode.optional(),
    sbp: sbpRequisites.optional(),
    card: cardRequisites.optional(),
    bank_transfer: bankTransferRequisites.optional(),
    bank: bank.optional(),
    /** The payment method; absent when it is not known. */
    method: z.object({ type: z.string(), name: z.string().optional() }).meta({ id: 'InvoiceMethod' }).optional(),
    /** The invoice service's own status, for logs and support. Absent until the first fetch: CreateInvoice returns none. */
    service_status: z.string().optional(),
    expires_at: timestamp.optional(),
    /** The remaining milliseconds by the server's clock at the response; 0 once the deadline has passed. */
    expires_in_ms: z.int().nonnegative().optional(),
    /** When the service was last asked about the invoice and told its status; null or absent: not yet. */
    checked_at: timestamp.nullish(),
  })
  .meta({ id: 'CheckoutInvoice', description: 'The invoice that the payer is asked to pay.' });
export type CheckoutInvoice = z.output<typeof checkoutInvoice>;

/** Where the payer is sent after a payment, and after a failure; null where the merchant set no URL. */
export const returnUrls = z
  .object({ success_url: z.string().nullable(), fail_url: z.string().nullable() })
  .meta({ id: 'ReturnUrls' });

/** The checkout as it stands: everything that the widget needs to render. */
export const checkout = z
  .object({
    /** The public name, for the shop, the log and support. It opens nothing. */
    id: z.string(),
    status: z.enum(checkoutStatuses),
    /** null: the payer types the amount, within `amount_limits`. */
    amount: decimal.nullable(),
    amount_limits: amountLimits.nullable(),
    /** ISO 4217; null: no symbol is shown. */
    currency: z.string().nullable(),
    description: z.string().nullable(),
    /** The order's number as the payer may quote it to the shop, or null. */
    reference: z.string().nullable(),
    /** After this moment no new invoice is created; null: invoices can be created without a time limit. */
    expires_at: timestamp.nullable(),
    /** When the backend learnt of the payment; null while the checkout is not paid. */
    paid_at: timestamp.nullable(),
    test: z.boolean(),
    options: z.array(paymentOption),
    /** null while there is no invoice. null with status `pending`: the result of the create request is not known yet. */
    invoice: checkoutInvoice.nullable(),
    return_urls: returnUrls,
    server_time: timestamp,
    /** The server's advice for the next poll, in milliseconds. */
    poll_after_ms: z.int().nonnegative(),
    /** true: the service does not answer, and this is the last known state. */
    stale: z.boolean(),
  })
  .meta({ id: 'Checkout', description: 'The checkout as it stands.' });
export type Checkout = z.output<typeof checkout>;

/** The body of a request for requisites. */
export const createInvoiceBody = z
  .object({
    payment_method_id: z.string().min(1).max(maxIdentifierLength),
    amount: decimal.optional(),
    replace: z.boolean().optional(),
  })
  .meta({ id: 'CreateInvoiceBody', description: 'A request for the requisites of one payment method.' });
export type CreateInvoiceBody = z.output<typeof createInvoiceBody>;

/** A problem document, RFC 9457 (docs/checkout-api.md, "Errors"). */
export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(problemCodes),
    detail: z.string().optional(),
    min_amount: decimal.optional(),
    max_amount: decimal.optional(),
    trace_id: z.string().optional(),
  })
  .meta({ id: 'Problem', description: 'A problem document, RFC 9457.' });
export type Problem = z.output<typeof problem>;
