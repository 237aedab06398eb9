import process from 'node:process';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { toError } from '../../base/thrown-value.ts';
import { normalAddress } from '../../base/addresses.ts';
import { findSetVariables, findWrongVariables, type Variables } from '../../base/given-variables.ts';
import { describeListenError } from '../../base/listen-error.ts';
import { printable } from '../../base/printable.ts';
import { tokenPattern } from '../../base/token-pattern.ts';
import { issueText } from '../../base/zod-issue-text.ts';
import { repeatedExternalIdModes } from './control/sandbox-settings.ts';
import { fault, faultKinds, type Fault } from './faults/fault-kinds.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from './create-sandbox.ts';

/** The configuration of the sandbox as a program. */
export interface SandboxConfig {
  readonly port: number;
  readonly host: string;
  /** Whether `options.token` is the default token, which is public and may be printed. */
  readonly isDefaultToken: boolean;
  readonly options: SandboxOptions;
}

/** An invalid environment variable or flag; the message is one line. */
class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const portSchema = z
  .string()
  .refine((text) => /^\d{1,5}$/.test(text) && Number(text) <= 65535, 'must be a whole number from 0 to 65535')
  .transform(Number);
const millisecondsSchema = z
  .string()
  .regex(/^\d{1,10}$/, 'must be a whole number of milliseconds')
  .transform(Number);
/** Names of faults separated by commas, or JSON as `PUT /sandbox/faults` takes it. */
const faultListSchema = z.string().transform((text, context): readonly Fault[] => {
  const result = z.array(fault).safeParse(parseFaultList(text));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  context.addIssue(`is not a list of faults: ${issue === undefined ? text : issueText(issue, '', ' ')}`);
  return z.NEVER;
});
const defaultToken = 'sandbox-token';

function parseFaultList(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text.split(',').map((kind) => ({ kind: kind.trim() }));
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [value];
  } catch {
    return undefined; // the schema reports that it is not a list
  }
}

const variablesSchema = z.object({
  SANDBOX_PORT: portSchema.default(8081),
  SANDBOX_HOST: z.string().default('127.0.0.1'),
  SANDBOX_PUBLIC_URL: z
    .string()
    .refine((text) => normalAddress(text) !== undefined, 'must be a URL such as http://192.168.0.7:8081')
    .transform((text) => normalAddress(text))
    .optional(),
  SANDBOX_QR_GENERATION_MS: millisecondsSchema.default(150),
  SANDBOX_INVOICE_LIFETIME_MS: millisecondsSchema.refine((ms) => ms > 0, 'must be more than 0').default(900_000),
  SANDBOX_REPEATED_EXTERNAL_ID: z
    .enum(repeatedExternalIdModes, { error: `must be one of ${repeatedExternalIdModes.join(', ')}` })
    .default('new'),
  SANDBOX_FAULTS: faultListSchema.default([]),
  SANDBOX_STORE: z.string().default(':memory:'),
  INVOICE_ACCESS_TOKEN: z
    .string()
    .regex(tokenPattern, 'must be ASCII text without spaces and quotes')
    .default(defaultToken),
});

export const usage = `Usage: pay-invoice-sandbox [options]

The whole invoice service (invoice.v1.PubInvoiceService) on this machine, with a bank to pay in and faults on demand.

  --port PORT                  the port (8081); 0 chooses a free one
  --host HOST                  the address that it listens on (127.0.0.1)
  --token TOKEN                the access token of callers (sandbox-token)
  --store FILE                 keeps invoices in this file; without it, they are lost when the sandbox ends
  --public-url URL             its address for browsers, when that differs from the address on which it listens
  --qr-generation-ms MS        how long the generation of a QR code takes (150)
  --invoice-lifetime-ms MS     how long an invoice can be paid (900000)
  --repeated-external-id WHAT  what a repeated external_id does: new, same or conflict (new)
  --faults FAULTS              faults from the start on: names separated by commas, or JSON
  --help

Faults: ${faultKinds.map(({ kind }) => kind).join(', ')}.
Their members: docs/sandbox.md, and GET /sandbox/faults/kinds. Example: --faults '{"kind":"qr_refused","status":500}'

In the environment instead: SANDBOX_PORT, SANDBOX_HOST, INVOICE_ACCESS_TOKEN, SANDBOX_PUBLIC_URL, SANDBOX_QR_GENERATION_MS,
SANDBOX_INVOICE_LIFETIME_MS, SANDBOX_REPEATED_EXTERNAL_ID, SANDBOX_FAULTS, SANDBOX_STORE. A token there is not seen in the list of processes.
`;

/** The environment variable that each flag overrides. */
const variableOfFlag = {
  port: 'SANDBOX_PORT',
  host: 'SANDBOX_HOST',
  token: 'INVOICE_ACCESS_TOKEN',
  'public-url': 'SANDBOX_PUBLIC_URL',
  'qr-generation-ms': 'SANDBOX_QR_GENERATION_MS',
  'invoice-lifetime-ms': 'SANDBOX_INVOICE_LIFETIME_MS',
  'repeated-external-id': 'SANDBOX_REPEATED_EXTERNAL_ID',
  faults: 'SANDBOX_FAULTS',
  store: 'SANDBOX_STORE',
} as const;

const flags = Object.fromEntries(Object.keys(variableOfFlag).map((name) => [name, { type: 'string' as const }]));

/**
 * Parses the flags and the environment; a flag overrides its environment variable, and an empty variable counts as unset.
 * Throws a `ConfigError` that names the invalid flag or variable.
 */
export function readFlags(args: readonly string[], environment: Variables): SandboxConfig {
  const { values } = parseArgs({ args: [...args], options: flags });
  for (const [name, value] of Object.entries(values)) if (value === '') throw new ConfigError(`--${name} is empty`);
  const usedFlags = Object.entries(variableOfFlag).filter(([name]) => values[name] !== undefined);
  const flagValues = usedFlags.map(([name, variable]) => [variable, values[name]] as const);
  const variables = { ...environment, ...Object.fromEntries(flagValues) };
  const wrongVariables = findWrongVariables(Object.keys(variablesSchema.shape), variables);
  const { success, data, error } = variablesSchema.safeParse(findSetVariables(variables));
  if (!success || wrongVariables.size > 0) {
    const issues = error?.issues.filter(({ path }) => !wrongVariables.has(path.join('.'))) ?? [];
    const message = [...wrongVariables.values(), ...issues.map((issue) => issueText(issue, '', ' '))].join('; ');
    throw new ConfigError(usedFlags.reduce((text, [name, variable]) => text.replace(variable, `--${name}`), message));
  }
  return {
    port: data.SANDBOX_PORT,
    host: data.SANDBOX_HOST,
    isDefaultToken: data.INVOICE_ACCESS_TOKEN === defaultToken,
    options: {
      token: data.INVOICE_ACCESS_TOKEN,
      dataFile: data.SANDBOX_STORE,
      publicUrl: data.SANDBOX_PUBLIC_URL,
      invoiceLifetimeMs: data.SANDBOX_INVOICE_LIFETIME_MS,
      qrGenerationMs: data.SANDBOX_QR_GENERATION_MS,
      repeatedExternalId: data.SANDBOX_REPEATED_EXTERNAL_ID,
      faults: data.SANDBOX_FAULTS,
    },
  };
}

/** Runs a sandbox until SIGINT or SIGTERM. When it cannot start, prints the reason in one line and exits with 1. */
export async function runSandboxProgram(read: () => SandboxConfig): Promise<void> {
  // The reader of the output may go away: the sandbox goes on without it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  try {
    const sandbox = await startSandbox(read());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void sandbox.close());
  } catch (error) {
    process.stderr.write(`The sandbox cannot start: ${printable(describeStartError(error))}\n`);
    process.exit(1);
  }
}

async function startSandbox({ port, host, isDefaultToken, options }: SandboxConfig): Promise<Sandbox> {
  const sandbox = createSandbox({ ...options, log: (line) => void process.stdout.write(`${printable(line)}\n`) });
  const { url } = await sandbox.listen({ port, host });
  const publicAddress = options.publicUrl ?? url;
  const storageText = options.dataFile === ':memory:' ? 'in memory, until it ends' : `in ${options.dataFile ?? ''}`;
  const lines = [
    `Sandbox  ${publicAddress}`,
    `Token    ${isDefaultToken ? options.token : 'the one that you gave'}`,
    `Pay      open an invoice's payment_url, or POST ${publicAddress}/sandbox/invoices/{id}/pay`,
    `Kept     ${storageText}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return sandbox;
}

function describeStartError(thrown: unknown): string {
  const error = toError(thrown);
  const listenProblem = describeListenError(error, { port: '--port', host: '--host' });
  return listenProblem ?? error.message.split('\n')[0] ?? '';
}
