import { z } from 'zod';
import { formatTimestamp, modes } from '../../contract.ts';
import { linkCode, nspkLink } from './nspk-link.ts';

/** A status: a string as in the specification, or a number as some protobuf encoders write it. */
export const invoiceStatus = z.union([z.string().min(1).max(200), z.int()], {
  error: 'must be a string that is not empty, or a whole number',
});
export type Status = z.output<typeof invoiceStatus>;

const holder = { holder_name: z.string(), account: z.string() };

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
  sbp: z.object({ ...holder, phone: z.string() }).optional(),
  card: z.object({ ...holder, card_number: z.string() }).optional(),
  bank_transfer: z.object({ ...holder, bik: z.string() }).optional(),
  bank: z.object({ id: z.string(), code: z.string(), name: z.string() }).optional(),
});
export type Invoice = Readonly<z.output<typeof invoiceSchema>>;

/** The one merchant of the sandbox, by both of its identifiers. */
const owner = { user_id: 'usr_sandbox0000000000001', merchant_id: 'mrc_sandbox0000000000001' };

/** The page where the payer pays. */
function paymentUrl(base: string, invoice: Invoice): string {
  return `${base}/pay/${invoice.id}`;
}

/** An invoice as CreateInvoice returns it (invoice-service.md §2.1). */
export function toCreatedJson(invoice: Invoice, base: string, withLink: boolean): object {
  const { id, amount, external_id = '', expires_at, sbp, card, bank_transfer, bank } = invoice;
  return {
    id,
    user_id: owner.user_id,
    external_id,
    payment_url: paymentUrl(base, invoice),
    amount,
    expires_at: formatTimestamp(expires_at),
    sbp,
    card,
    bank_transfer,
    bank,
    nspk_url: withLink ? nspkLink(base, linkCode(id), amount) : undefined,
  };
}

/** An invoice as FetchInvoices returns it (invoice-service.md §2.2). */
export function toFetchedJson(invoice: Invoice, base: string): object {
  const { id, amount, status, external_id, metadata, created_at, expires_at, bank, payment_method_id } = invoice;
  return {
    id,
    merchant_id: owner.merchant_id,
    external_id,
    payment_url: paymentUrl(base, invoice),
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
export function toControlJson(invoice: Invoice, base: string): object {
  const { id, amount, created_at, expires_at } = invoice;
  return {
    ...invoice,
    created_at: formatTimestamp(created_at),
    expires_at: formatTimestamp(expires_at),
    payment_url: paymentUrl(base, invoice),
    nspk_url: nspkLink(base, linkCode(id), amount),
  };
}
