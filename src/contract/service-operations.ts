import { z } from 'zod';
import { decimal, duration } from './scalars.ts';
import { metadata } from './invoice.ts';
import { lenient, lenientList, openEnum, requestBody, tolerant } from './lenient-schemas.ts';

/** The operations of the service (invoice-service.md §4). */
export const operations = ['CreateInvoice', 'FetchPaymentOptions', 'FetchInvoices'] as const;
export type Operation = (typeof operations)[number];

/** The full name of the RPC service (invoice-service.md §1). */
export const serviceName = 'invoice.v1.PubInvoiceService';

/** The path of an operation under the service's base URL (invoice-service.md §4). */
export function operationPath(operation: Operation): string {
  return `/api/public/${serviceName}/${operation}`;
}

/** Whether money moves (invoice-service.md §4.1, rules 1 and 2); LIVE when omitted. */
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
  code: z.string(),
  name: lenient(z.string()),
  available: z.boolean().default(false),
  limits: limits.default({}),
});
export type BankOption = z.output<typeof bankOption>;

/** A payment method with its availability and limits (invoice-service.md §2.3). `type` is an open enum (§2.5). */
export const paymentOption = tolerant(
  z.object({
    id: z.string().min(1),
    code: lenient(z.string()),
    type: openEnum.default(''),
    name: lenient(z.string()),
    available: z.boolean().default(false),
    limits: limits.default({}),
    banks: lenientList(bankOption),
  }),
);
export type PaymentOption = z.output<typeof paymentOption>;

/** The response of FetchPaymentOptions. Its items are parsed one by one, so that a malformed one is dropped alone. */
export const fetchPaymentOptionsResponse = tolerant(z.object({ options: z.array(z.unknown()).default([]) }));

/** The response of FetchInvoices. Its items are parsed one by one, so that a malformed one is dropped alone. */
export const fetchInvoicesResponse = tolerant(z.object({ invoices: z.array(z.unknown()).default([]) }));
