import { parseArgs } from 'node:util';
import { EnvRefused, readSandboxEnv, type SandboxEnv } from './env.ts';

export const usage = `Usage: pay-invoice-sandbox [options]

The whole invoice service (invoice.v1.PubInvoiceService) on this machine, with a bank to pay in and faults on demand.

  --port PORT                  where it listens (8081); 0 takes any that is free
  --host HOST                  the address that it listens on (127.0.0.1)
  --token TOKEN                the access token that callers bring (sandbox-token)
  --store FILE                 keeps invoices in this file, also when it ends; without it in memory
  --public-url URL             where browsers reach it, when that is not where it listens
  --qr-generation-ms MS        how long the generation of a QR code takes (150)
  --invoice-lifetime-ms MS     how long an invoice can be paid (900000)
  --repeated-external-id WHAT  what a repeated external_id does: new, same or conflict (new)
  --help

In the environment instead: SANDBOX_PORT, SANDBOX_HOST, INVOICE_ACCESS_TOKEN, SANDBOX_PUBLIC_URL, SANDBOX_QR_GENERATION_MS,
SANDBOX_INVOICE_LIFETIME_MS, SANDBOX_REPEATED_EXTERNAL_ID. A token there is not seen in the list of processes.
`;

/** The flags that stand for a variable. */
const variables = {
  port: 'SANDBOX_PORT',
  host: 'SANDBOX_HOST',
  token: 'INVOICE_ACCESS_TOKEN',
  'public-url': 'SANDBOX_PUBLIC_URL',
  'qr-generation-ms': 'SANDBOX_QR_GENERATION_MS',
  'invoice-lifetime-ms': 'SANDBOX_INVOICE_LIFETIME_MS',
  'repeated-external-id': 'SANDBOX_REPEATED_EXTERNAL_ID',
} as const;

const flags = Object.fromEntries(
  [...Object.keys(variables), 'store'].map((name) => [name, { type: 'string' as const }]),
);

/** Parses the flags; those that are not there are asked of the environment. Throws when one is wrong, and names it. */
export function readFlags(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): SandboxEnv {
  const { values } = parseArgs({ args: [...args], options: flags });
  for (const [name, value] of Object.entries(values)) if (value === '') throw new EnvRefused(`--${name} is empty`);
  const given = Object.entries(variables).filter(([name]) => values[name] !== undefined);
  const overlay = Object.fromEntries(given.map(([name, variable]) => [variable, values[name]]));
  try {
    const { options, ...env } = readSandboxEnv({ ...environment, ...overlay });
    return { ...env, options: { ...options, dataFile: values['store'] ?? ':memory:' } };
  } catch (error) {
    if (!(error instanceof EnvRefused)) throw error;
    throw new EnvRefused(given.reduce((text, [name, variable]) => text.replace(variable, `--${name}`), error.message));
  }
}
