import { z } from 'zod';
import { maxIdentifierLength } from '../../../base/text-limits.ts';
import { formatTimestamp, modes } from '../../../service-api.ts';
import { linkCode, nspkLink } from './nspk-link.ts';

/** A status: a string as in the specification, or a number as some protobuf encoders write it. */
export const invoiceStatus = z.union([z.string().min(1).max(maxIdentifierLength), z.int()], {
  error: 'must be a string that is not empty, or a whole number',
});
export type Status = z.output<typeof invoiceStatus>;

const holderFields = { holder_name: z.string(), account: z.string() };

/** An invoice as the sandbox stores it. Times are in milliseconds since 1970. */
export const invoiceSchema = z.object({
  id: z.string(),
  mode: z.enum(modes),
  amount: z.string(),
  status: invoiceStatus,
  created_at: z.number(),
  expires_at: z.number(),
  external_id: z.string().optional(),
  payment_method_id: z.string().optional(),
  url_config: z
    .object({
      hook_url: z.string().optional(),
      fail_url: z.string().optional(),
      success_url: z.string().optional(),
    })
    .optional(),
  metadata: z.unknown().optional(),
  sbp: z.object({ ...holderFields, phone: z.string() }).optional(),
  card: z.object({ ...holderFields, card_number: z.string() }).optional(),
  bank_transfer: z.object({ ...holderFields, bik: z.string() }).optional(),
  bank: z.object({ id: z.string(), code: z.string(), name: z.string() }).optional(),
  /** Whether the payment was added to the merchant's balance. */
  is_booked: z.boolean().optional(),
});
export type Invoice = Readonly<z.output<typeof invoiceSchema>>;

/** The identifiers of the sandbox's only merchant. */
const sandboxMerchant = { user_id: 'usr_sandbox0000000000001', merchant_id: 'mrc_sandbox0000000000001' };

/** The page where the payer pays. */
function buildPaymentUrl(baseUrl: string, invoice: Invoice): string {
  return `${baseUrl}/pay/${invoice.id}`;
}

/** An invoice as CreateInvoice returns it (invoice-service.md §2.1). */
export function toCreatedJson(invoice: Invoice, baseUrl: string, includesLink: boolean): object {
  const { id, amount, external_id = '', expires_at, sbp, card, bank_transfer, bank } = invoice;
  return {
    id,
    user_id: sandboxMerchant.user_id,
    external_id,
    payment_url: buildPaymentUrl(baseUrl, invoice),
    amount,
    expires_at: formatTimestamp(expires_at),
    sbp,
    card,
    bank_transfer,
    bank,
    nspk_url: includesLink ? nspkLink(baseUrl, linkCode(id), amount) : undefined,
  };
}

/** An invoice as FetchInvoices returns it (invoice-service.md §2.2). */
export function toFetchedJson(invoice: Invoice, baseUrl: string): object {
  const { id, amount, status, external_id, metadata, created_at, expires_at, bank, payment_method_id } = invoice;
  return {
    id,
    merchant_id: sandboxMerchant.merchant_id,
    external_id,
    payment_url: buildPaymentUrl(baseUrl, invoice),
    amount,
    status,
    metadata,
    created_at: formatTimestamp(created_at),
    expires_at: formatTimestamp(expires_at),
    bank: bank && { id: bank.id, code: bank.code },
    payment_method_id,
  };
}

/** A complete invoice, as the control API returns it. */
export function toControlJson(invoice: Invoice, baseUrl: string): object {
  const { id, amount, created_at, expires_at } = invoice;
  return {
    ...invoice,
    is_booked: undefined,
    created_at: formatTimestamp(created_at),
    expires_at: formatTimestamp(expires_at),
    payment_url: buildPaymentUrl(baseUrl, invoice),
    nspk_url: nspkLink(baseUrl, linkCode(id), amount),
  };
}
