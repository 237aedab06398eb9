import { z } from 'zod';
import { decimal } from './decimal.ts';
import { openEnum, tolerant } from './tolerant.ts';

// Which fields besides the optional ones are always there is "not shown" (invoice-service.md §2.5): on reading only
// the identifier, and the amount of a created invoice, are needed. Timestamps are read as text: a bad one costs the
// countdown, never the invoice.

/** Requisites for the SBP method (invoice-service.md §2.1). */
export const sbpRequisites = z.object({
  holder_name: z.string().optional(),
  phone: z.string().optional(),
  account: z.string().optional(),
});

/** Requisites for payment to a card (invoice-service.md §2.1). */
export const cardRequisites = z.object({
  holder_name: z.string().optional(),
  card_number: z.string().optional(),
  account: z.string().optional(),
});

/** Requisites for a bank transfer (invoice-service.md §2.1). */
export const bankTransferRequisites = z.object({
  holder_name: z.string().optional(),
  bik: z.string().optional(),
  account: z.string().optional(),
});

/** The bank of an invoice; FetchInvoices gives no name (invoice-service.md §2.1, §2.2). */
export const bank = z.object({
  id: z.string().optional(),
  code: z.string().optional(),
  name: z.string().optional(),
});

/** A free-form JSON object of the caller, stored with the invoice as it is (invoice-service.md §4.1). */
export const metadata = z.record(z.string(), z.json());

/** An invoice as CreateInvoice returns it (invoice-service.md §2.1). */
export const createdInvoice = tolerant(
  z.object({
    id: z.string().min(1),
    user_id: z.string().optional(),
    external_id: z.string().optional(),
    payment_url: z.string().optional(),
    amount: decimal,
    expires_at: z.string().optional(),
    sbp: sbpRequisites.optional(),
    card: cardRequisites.optional(),
    bank_transfer: bankTransferRequisites.optional(),
    bank: bank.optional(),
    nspk_url: z.string().optional(),
  }),
);
export type CreatedInvoice = z.output<typeof createdInvoice>;

/** An invoice as FetchInvoices returns it (invoice-service.md §2.2). `status` is an open enum (§3). */
export const fetchedInvoice = tolerant(
  z.object({
    id: z.string().min(1),
    merchant_id: z.string().optional(),
    external_id: z.string().optional(),
    payment_url: z.string().optional(),
    amount: decimal.optional(),
    status: openEnum.optional(),
    metadata: metadata.optional(),
    created_at: z.string().optional(),
    expires_at: z.string().optional(),
    bank: bank.optional(),
    payment_method_id: z.string().optional(),
  }),
);
export type FetchedInvoice = z.output<typeof fetchedInvoice>;
