import { z } from 'zod';
import { decimal } from './decimal.ts';
import { lenient, lenientList, openEnum, tolerant } from './lenient-schemas.ts';

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
