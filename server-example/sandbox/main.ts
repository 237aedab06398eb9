import process from 'node:process';
import { readSandboxEnv } from './env.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';

/** Starts the sandbox by itself: `npm run sandbox`. */
async function start(): Promise<Sandbox> {
  const { port, host, isDefaultToken, options } = readSandboxEnv(process.env);
  const sandbox = createSandbox({ ...options, log: (line) => console.log(line) });
  const { url } = await sandbox.listen({ port, host });
  const address = options.publicUrl ?? url;
  console.log(`Sandbox  ${address}`);
  console.log(`Token    ${isDefaultToken ? options.token : 'the one in INVOICE_ACCESS_TOKEN'}`);
  console.log(`Pay      open an invoice's payment_url, or POST ${address}/sandbox/invoices/{id}/pay`);
  return sandbox;
}

start().then(
  (sandbox) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void sandbox.close());
  },
  (error: unknown) => {
    console.error(`The sandbox cannot start: ${reasonOf(error)}`);
    process.exit(1);
  },
);

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE') return 'SANDBOX_PORT is in use by another program';
  return error.message.split('\n')[0] ?? '';
}
