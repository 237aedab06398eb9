import { once, setMaxListeners } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequestHandler } from './router.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { Fault } from './faults/fault-kinds.ts';
import { sendInProcess } from './faults/connection-faults.ts';
import type { SendWebhook } from './invoices/webhook-sender.ts';
import { createHttpServer } from './node-http-server.ts';
import { InvoiceStore } from './invoices/invoice-store.ts';
import { InvoiceJournal } from './invoices/invoice-journal.ts';
import type { Settings } from './control/sandbox-settings.ts';

export type { Clock } from '../../base/clock.ts';
export type { Random } from '../../base/random.ts';
export type { Fault } from './faults/fault-kinds.ts';
export type { Settings } from './control/sandbox-settings.ts';
export { JournalError } from './invoices/invoice-store.ts';

/** Options of `createSandbox`. */
export interface SandboxOptions {
  /** The access token that callers of the three operations must send. */
  readonly token: string;
  /** The file that stores the invoices, or `:memory:` (the default). */
  readonly dataFile?: string;
  /** The address at which browsers reach the sandbox. Default: the address where it listens, or the origin of the request. */
  readonly publicUrl?: string | undefined;
  /** The clock; the system's when undefined. */
  readonly clock?: Clock;
  /** Time until an invoice expires, in milliseconds; 15 minutes when undefined. */
  readonly invoiceLifetimeMs?: number;
  /** Duration of the generation of a QR code, in milliseconds; 150 when undefined. */
  readonly qrGenerationMs?: number;
  /** The response to a repeated `external_id`; `new` when undefined. */
  readonly repeatedExternalId?: Settings['repeated_external_id'];
  /** Faults from the start on; none when undefined. */
  readonly faults?: readonly Fault[];
  /** Randomness of identifiers, and of the `probability` of faults without a seed; the machine's when undefined. */
  readonly random?: Random;
  /** Sends a webhook request to the merchant; `fetch` when undefined. */
  readonly sendWebhook?: SendWebhook;
  /** Called with log lines. They contain no requisites and no tokens. */
  readonly log?: (line: string) => void;
}

/** An HTTP server of the sandbox. */
interface ListeningServer {
  /** Such as `http://127.0.0.1:8081`. */
  readonly url: string;
  close(): Promise<void>;
}

/** An emulator of the invoice service, with a bank to pay in and faults on demand. */
export interface Sandbox {
  /** Handles a request within the process. Rejects like `fetch` when a fault breaks the connection. */
  fetch(request: Request): Promise<Response>;
  /** Listens for HTTP; port 0 chooses a free port. */
  listen(listeningServer: { readonly port: number; readonly host: string }): Promise<ListeningServer>;
  /** Ends open requests, stops listening and closes the file. */
  close(): Promise<void>;
}

/**
 * Opens the data file and builds a sandbox. Call `listen` to serve HTTP.
 * @throws JournalError when the data file is damaged, or cannot be opened or written.
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { dataFile = ':memory:' } = options;
  const clock = inWholeMilliseconds(options.clock ?? systemClock);
  const closing = new AbortController();
  setMaxListeners(0, closing.signal); // each delayed request adds a listener
  const store = new InvoiceStore(
    dataFile === ':memory:' ? undefined : (onLine) => new InvoiceJournal(dataFile, onLine, options.log),
  );
  const listeningServers = new Set<ListeningServer>();
  const publicUrl = options.publicUrl?.replace(/\/+$/, '');
  const baseOf = (request: Request): string => {
    const listeningServer = [...listeningServers].find(({ url }) => !isWildcard(new URL(url).hostname));
    return publicUrl ?? listeningServer?.url ?? new URL(request.url).origin;
  };
  const handler = createRequestHandler({ ...options, clock, store, baseOf, closing: closing.signal });

  handler.start();
  return {
    async fetch(request) {
      closing.signal.throwIfAborted();
      return sendInProcess(await handler.handle(request), clock, [request.signal, closing.signal]);
    },
    async listen({ port, host }) {
      const server = createHttpServer((request) => handler.handle(request), clock);
      server.listen(port, host);
      await once(server, 'listening');
      const listeningServer: ListeningServer = {
        url: buildUrl(server, host),
        async close() {
          listeningServers.delete(listeningServer);
          await closeServer(server);
        },
      };
      listeningServers.add(listeningServer);
      return listeningServer;
    },
    async close() {
      if (closing.signal.aborted) return;
      closing.abort(new Error('the sandbox is closed'));
      handler.stop();
      await Promise.all([...listeningServers].map((listeningServer) => listeningServer.close()));
      store.close();
    },
  };
}

/** Stored times are whole milliseconds, and some clocks have fractions. */
function inWholeMilliseconds(clock: Clock): Clock {
  return {
    now: () => Math.floor(clock.now()),
    schedule: (ms, task, background) => clock.schedule(ms, task, background),
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
  if (!server.listening) return;
  const serverClosed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await serverClosed;
}
