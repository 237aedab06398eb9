import { join } from 'node:path';
import { z } from 'zod';
import type { SandboxOptions } from './sandbox.ts';
import { repeatedExternalIds } from './settings.ts';

/** How the sandbox runs by itself. */
export interface SandboxEnv {
  readonly port: number;
  readonly host: string;
  /** Whether the token is the well-known one of every sandbox, and so may be shown. */
  readonly isDefaultToken: boolean;
  readonly options: SandboxOptions;
}

/** A wrong environment, told in one line. */
export class EnvRefused extends Error {
  override readonly name = 'EnvRefused';
}

const port = z
  .string()
  .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= 65535, 'must be a whole number from 0 to 65535')
  .transform(Number);
const milliseconds = z
  .string()
  .regex(/^\d{1,10}$/, 'must be a whole number of milliseconds')
  .transform(Number);
const defaultToken = 'sandbox-token';

const variables = z.object({
  SANDBOX_PORT: port.default(8081),
  SANDBOX_HOST: z.string().default('127.0.0.1'),
  SANDBOX_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be a URL such as http://192.168.0.7:8081' })
    .optional(),
  SANDBOX_QR_GENERATION_MS: milliseconds.default(150),
  SANDBOX_INVOICE_LIFETIME_MS: milliseconds.refine((ms) => ms > 0, 'must be more than 0').default(900_000),
  SANDBOX_REPEATED_EXTERNAL_ID: z
    .enum(repeatedExternalIds, { error: `must be one of ${repeatedExternalIds.join(', ')}` })
    .default('new'),
  INVOICE_ACCESS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be ASCII text without spaces')
    .default(defaultToken),
  DATA_DIR: z.string().default('.data'),
});

/** Parses the environment; an empty variable counts as unset. */
export function readSandboxEnv(environment: Readonly<Record<string, string | undefined>>): SandboxEnv {
  const set = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  const { success, data, error } = variables.safeParse(Object.fromEntries(set));
  if (!success)
    throw new EnvRefused(error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '));
  return {
    port: data.SANDBOX_PORT,
    host: data.SANDBOX_HOST,
    isDefaultToken: data.INVOICE_ACCESS_TOKEN === defaultToken,
    options: {
      token: data.INVOICE_ACCESS_TOKEN,
      dataFile: join(data.DATA_DIR, 'sandbox.jsonl'),
      publicUrl: data.SANDBOX_PUBLIC_URL,
      invoiceLifetimeMs: data.SANDBOX_INVOICE_LIFETIME_MS,
      qrGenerationMs: data.SANDBOX_QR_GENERATION_MS,
      repeatedExternalId: data.SANDBOX_REPEATED_EXTERNAL_ID,
    },
  };
}
