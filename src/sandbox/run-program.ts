import process from 'node:process';
import type { SandboxConfig } from './command-line.ts';
import { createSandbox, type Sandbox } from './create-sandbox.ts';

/** Runs a sandbox until SIGINT or SIGTERM. When it cannot start, prints the reason in one line and exits with 1. */
export async function runSandboxProgram(read: () => SandboxConfig): Promise<void> {
  try {
    const sandbox = await start(read());
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void sandbox.close());
  } catch (error) {
    process.stderr.write(`The sandbox cannot start: ${reasonOf(error)}\n`);
    process.exit(1);
  }
}

async function start({ port, host, isDefaultToken, options }: SandboxConfig): Promise<Sandbox> {
  const sandbox = createSandbox({ ...options, log: (line) => void process.stdout.write(`${line}\n`) });
  const { url } = await sandbox.listen({ port, host });
  const address = options.publicUrl ?? url;
  const place = options.dataFile === ':memory:' ? 'in memory, until it ends' : `in ${options.dataFile ?? ''}`;
  const lines = [
    `Sandbox  ${address}`,
    `Token    ${isDefaultToken ? options.token : 'the one that you gave'}`,
    `Pay      open an invoice's payment_url, or POST ${address}/sandbox/invoices/{id}/pay`,
    `Kept     ${place}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return sandbox;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE' && 'port' in error)
    return `port ${String(error.port)} is in use by another program`;
  return error.message.split('\n')[0] ?? '';
}
