import { z } from 'zod';

/** The response to a CreateInvoice with an `external_id` that is in use: a new invoice, the first one, or a 409. */
export const repeatedExternalIdModes = ['new', 'same', 'conflict'] as const;

const milliseconds = z.int('must be a whole number of milliseconds').min(0);

/** Settings that can change while the sandbox runs. Times are in milliseconds. A restart restores the initial settings. */
export const settingsSchema = z.strictObject({
  repeated_external_id: z.enum(repeatedExternalIdModes),
  qr_generation_ms: milliseconds.max(3_600_000),
  invoice_lifetime_ms: milliseconds.min(1).max(31_536_000_000),
  /** The language of the names of banks, methods and recipients. */
  language: z.enum(['ru', 'en']),
});
export type Settings = Readonly<z.output<typeof settingsSchema>>;
