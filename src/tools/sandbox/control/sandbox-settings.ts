import { z } from 'zod';

/** The response to a CreateInvoice with an `external_id` that is in use: a new invoice, the first one, or a 409. */
export const repeatedExternalIdModes = ['new', 'same', 'conflict'] as const;

const milliseconds = z.int('must be a whole number of milliseconds').min(0);

/** The body of `PUT /sandbox/settings`. Members that are left out do not change. Times are in milliseconds. */
export const settingsChange = z.strictObject({
  repeated_external_id: z.enum(repeatedExternalIdModes).optional(),
  qr_generation_ms: milliseconds.max(3_600_000).optional(),
  invoice_lifetime_ms: milliseconds.min(1).max(31_536_000_000).optional(),
  language: z.enum(['ru', 'en']).optional(),
});

/** Settings that can change while the sandbox runs. A restart restores the initial settings. */
export interface Settings {
  readonly repeated_external_id: (typeof repeatedExternalIdModes)[number];
  readonly qr_generation_ms: number;
  readonly invoice_lifetime_ms: number;
  /** The language of the names of banks, methods and recipients. */
  readonly language: 'ru' | 'en';
}

/** Holds the current settings. */
export class SettingsHolder {
  #current: Settings;

  constructor(initial: Settings) {
    this.#current = initial;
  }

  get current(): Settings {
    return this.#current;
  }

  change(change: z.output<typeof settingsChange>): Settings {
    const { current } = this;
    this.#current = {
      repeated_external_id: change.repeated_external_id ?? current.repeated_external_id,
      qr_generation_ms: change.qr_generation_ms ?? current.qr_generation_ms,
      invoice_lifetime_ms: change.invoice_lifetime_ms ?? current.invoice_lifetime_ms,
      language: change.language ?? current.language,
    };
    return this.#current;
  }
}
