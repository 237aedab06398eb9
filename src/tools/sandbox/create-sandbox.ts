import { once, setMaxListeners } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { createRequestHandler, type ServiceOptions } from './router.ts';
import { withoutEndSlashes } from '../../base/addresses.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { checkOptions, strictObject } from '../../server/domain/strict-object.ts';
import { sendInProcess } from './faults/connection-faults.ts';
import { createHttpServer } from './node-http-server.ts';
import { InvoiceStore } from './invoices/invoice-store.ts';
import { SnapshotFile } from './invoices/snapshot-file.ts';

export type { Fault } from './faults/fault-kinds.ts';
export type { Settings } from './control/sandbox-settings.ts';
export { SnapshotError } from './invoices/snapshot-file.ts';

/** Options of `createSandbox`. */
export interface SandboxOptions extends ServiceOptions {
  /** The file into which the invoices are written a second after a change and at the end, or `:memory:` (the default). */
  readonly dataFile?: string;
  /** The address at which browsers reach the sandbox. Default: the address where it listens, or the origin of the request. */
  readonly publicUrl?: string | undefined;
  /** The clock; the system's when undefined. */
  readonly clock?: Clock;
}

const anything = z.unknown().optional();
/** Only the names: their values are not those of a production. */
const optionNames = strictObject({
  token: anything,
  invoiceLifetimeMs: anything,
  qrGenerationMs: anything,
  repeatedExternalId: anything,
  faults: anything,
  random: anything,
  sendWebhook: anything,
  log: anything,
  dataFile: anything,
  publicUrl: anything,
  clock: anything,
} satisfies Record<keyof SandboxOptions, z.ZodType>);

/** An emulator of the invoice service, with a bank to pay in and faults on demand. */
export interface Sandbox {
  /** Handles a request within the process. Rejects like `fetch` when a fault breaks the connection. */
  fetch(request: Request): Promise<Response>;
  /** Listens for HTTP; port 0 chooses a free port. Resolves with the address, such as `http://127.0.0.1:8081`. */
  listen(address: { readonly port: number; readonly host: string }): Promise<{ readonly url: string }>;
  /** Ends open requests, stops listening and writes the file. */
  close(): Promise<void>;
}

/**
 * Reads the data file and builds a sandbox. Call `listen` to serve HTTP.
 * @throws SnapshotError when the data file is damaged, or cannot be read or written
 * @throws CheckoutOptionsError for an unknown option
 * @example
 * ```ts
 * import { createSandbox } from 'pay-invoice/sandbox';
 *
 * const sandbox = createSandbox({ token: 'sandbox-token' });
 * const { url } = await sandbox.listen({ port: 0, host: '127.0.0.1' }); // the baseUrl of createInvoiceServiceClient
 * await fetch(`${url}/sandbox/invoices`);
 * await sandbox.close();
 * ```
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  checkOptions(optionNames, options);
  const { dataFile = ':memory:', clock = systemClock } = options;
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // each delayed request adds a listener
  const file = dataFile === ':memory:' ? undefined : new SnapshotFile(dataFile, clock, options.log);
  const store = new InvoiceStore(file?.read(), () => file?.writeLater(() => store.all()));
  const listening: { readonly server: Server; readonly url: string }[] = [];
  const publicUrl = options.publicUrl === undefined ? undefined : withoutEndSlashes(options.publicUrl);
  const baseOf = (request: Request): string => {
    const reachable = listening.find(({ url }) => !isWildcard(new URL(url).hostname));
    return publicUrl ?? reachable?.url ?? new URL(request.url).origin;
  };
  const handle = createRequestHandler({ ...options, clock, store, baseOf, closing: closing.signal });

  return {
    async fetch(request) {
      closing.signal.throwIfAborted();
      return sendInProcess(await handle(request), clock, [request.signal, closing.signal]);
    },
    async listen({ port, host }) {
      const server = createHttpServer(handle, clock);
      server.listen(port, host);
      await once(server, 'listening');
      const url = buildUrl(server, host);
      listening.push({ server, url });
      return { url };
    },
    async close() {
      if (closing.signal.aborted) return;
      closing.abort(new Error('the sandbox is closed'));
      await Promise.all(listening.map(({ server }) => closeServer(server)));
      file?.close();
    },
  };
}

function buildUrl(server: Server, host: string): string {
  const address: AddressInfo | string | null = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Whether a host stands for all addresses of the machine. Such a host cannot be used in a URL. */
function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '[::]';
}

async function closeServer(server: Server): Promise<void> {
  const serverClosed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await serverClosed;
}
