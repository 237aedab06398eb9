import { z } from 'zod';
import { decimal } from './scalars.ts';
import { lenient, openEnum, tolerant } from './lenient-schemas.ts';

// The specification does not say which fields are always present (invoice-service.md §2.5). Required are the identifier, and
// the amount of a created invoice. Any other malformed member counts as missing, except an amount: a paid invoice with an
// unreadable amount could not be checked. Timestamps are read as text: without a valid one there is no countdown.

/** Requisites for the SBP method (invoice-service.md §2.1). */
export const sbpRequisites = z.object({
  holder_name: lenient(z.string()),
  phone: lenient(z.string()),
  account: lenient(z.string()),
});

/** Requisites for payment to a card (invoice-service.md §2.1). */
export const cardRequisites = z.object({
  holder_name: lenient(z.string()),
  card_number: lenient(z.string()),
  account: lenient(z.string()),
});

/** Requisites for a bank transfer (invoice-service.md §2.1). */
export const bankTransferRequisites = z.object({
  holder_name: lenient(z.string()),
  bik: lenient(z.string()),
  account: lenient(z.string()),
});

/** The bank of an invoice; FetchInvoices returns no name (invoice-service.md §2.1, §2.2). */
export const bank = z.object({
  id: lenient(z.string()),
  code: lenient(z.string()),
  name: lenient(z.string()),
});

/** A free-form JSON object of the caller, stored with the invoice as it is (invoice-service.md §4.1). */
export const metadata = z.record(z.string(), z.json());

/** An invoice as CreateInvoice returns it (invoice-service.md §2.1). */
export const createdInvoice = tolerant(
  z.object({
    id: z.string().min(1),
    user_id: lenient(z.string()),
    external_id: lenient(z.string()),
    payment_url: lenient(z.string()),
    amount: decimal,
    expires_at: lenient(z.string()),
    sbp: lenient(sbpRequisites),
    card: lenient(cardRequisites),
    bank_transfer: lenient(bankTransferRequisites),
    bank: lenient(bank),
    nspk_url: lenient(z.string()),
  }),
);
export type CreatedInvoice = z.output<typeof createdInvoice>;

/** An invoice as FetchInvoices returns it (invoice-service.md §2.2). `status` is an open enum (§3). */
export const fetchedInvoice = tolerant(
  z.object({
    id: z.string().min(1),
    merchant_id: lenient(z.string()),
    external_id: lenient(z.string()),
    payment_url: lenient(z.string()),
    amount: decimal.optional(),
    status: lenient(openEnum),
    metadata: lenient(metadata),
    created_at: lenient(z.string()),
    expires_at: lenient(z.string()),
    bank: lenient(bank),
    payment_method_id: lenient(z.string()),
  }),
);
export type FetchedInvoice = z.output<typeof fetchedInvoice>;
