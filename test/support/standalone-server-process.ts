import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { createSandbox } from '../../src/tools/sandbox/create-sandbox.ts';
import { programArguments } from './program-arguments.ts';
import { until } from './wait-until.ts';

const token = 'server-processes-token';

/** A process of the standalone server. */
export interface ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** Returns the text that the process has written so far, to its standard output and error. */
  readonly output: () => string;
}

/** Starts the program with a service that runs elsewhere. It is killed at the end of the test. */
export async function startServerProcess(
  t: TestContext,
  service: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, programArguments('test/support/standalone-server-program.ts'), {
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      INVOICE_BASE_URL: service,
      INVOICE_ACCESS_TOKEN: token,
      INVOICE_MODE: 'TEST',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const findUrl = (): string | undefined => /^Server +(\S+)\n/m.exec(output)?.[1];
  await until('the server listens', () => findUrl() !== undefined || child.exitCode !== null);
  return { child, url: findUrl() ?? assert.fail(output), output: () => output };
}

/** Starts a sandbox as the service of server processes; resolves with its address. */
export async function startSandbox(t: TestContext): Promise<string> {
  const sandbox = createSandbox({ token });
  t.after(() => sandbox.close());
  return (await sandbox.listen({ port: 0, host: '127.0.0.1' })).url;
}
