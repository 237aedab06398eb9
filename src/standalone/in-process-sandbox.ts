import { join } from 'node:path';
import { createSandbox } from '../sandbox.ts';
import type { CheckoutEnvironment } from './environment/checkout-environment.ts';
import { isLoopback } from './environment/read-variables.ts';
import { isWildcard, urlHost } from './http-server.ts';
import { print } from './run-program.ts';

type SandboxEnvironment = Pick<CheckoutEnvironment, 'token' | 'dataDir' | 'host' | 'sandboxPort' | 'publicUrl'>;

export interface RunningSandbox {
  /** The sandbox's address for browsers. */
  readonly url: string;
  /** The sandbox's address for the program's own calls, always on loopback. */
  readonly serviceUrl: string;
  close(): Promise<void>;
}

/**
 * Starts a sandbox for a program that has no invoice service.
 * @example
 * ```ts
 * import { readEnvironment, startSandbox } from 'pay-invoice/standalone';
 *
 * const sandbox = await startSandbox(readEnvironment({ SANDBOX_PORT: '0' }));
 * console.log(sandbox.url, sandbox.serviceUrl);
 * await sandbox.close();
 * ```
 */
export async function startSandbox(environment: SandboxEnvironment): Promise<RunningSandbox> {
  const { token, dataDir, host, sandboxPort, publicUrl } = environment;
  const browserHost = publicUrl === undefined ? urlHost(host) : new URL(publicUrl).hostname;
  const sandbox = createSandbox({
    token,
    dataFile: join(dataDir, 'sandbox.json'),
    log: (line) => print(`${line}\n`),
    publicUrl: isWildcard(host) && sandboxPort !== 0 ? `http://${browserHost}:${sandboxPort}` : undefined,
  });
  try {
    const { url } = await sandbox.listen({ port: sandboxPort, host });
    const serviceUrl = isLoopback(host) ? url : (await sandbox.listen({ port: 0, host: '127.0.0.1' })).url;
    return {
      url: isWildcard(host) ? `http://${browserHost}:${new URL(url).port}` : url,
      serviceUrl,
      close: () => sandbox.close(),
    };
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}
