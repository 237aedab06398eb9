import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEmulator } from './emulator.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { sendInProcess } from './faults/connection-fault.ts';
import type { SendWebhook } from './invoices/webhook-sender.ts';
import { createHttpServer } from './http-server.ts';
import { InvoiceStore } from './invoices/invoice-store.ts';
import { Journal } from './invoices/journal.ts';
import type { Settings } from './control/settings.ts';

export type { Clock } from '../base/clock.ts';
export type { Fault } from './faults/fault.ts';
export type { Settings } from './control/settings.ts';

/** How a sandbox is made. */
export interface SandboxOptions {
  /** The access token that the three operations want. */
  readonly token: string;
  /** Where invoices are kept: a file, or `:memory:` (the default). */
  readonly dataFile?: string;
  /** Where browsers reach the sandbox; undefined: where it listens, or where the request went to. */
  readonly publicUrl?: string | undefined;
  /** Time; the machine's when undefined. */
  readonly clock?: Clock;
  /** How long an invoice can be paid, in milliseconds; 15 minutes when undefined. */
  readonly invoiceLifetimeMs?: number;
  /** How long the generation of a QR code takes, in milliseconds; 150 when undefined. */
  readonly qrGenerationMs?: number;
  /** What a repeated `external_id` does; `new` when undefined. */
  readonly repeatedExternalId?: Settings['repeated_external_id'];
  /** Numbers from 0 to 1 for the `probability` of faults that bring no seed. */
  readonly random?: () => number;
  /** Sends a call to a merchant's hook; `fetch` when undefined. */
  readonly sendWebhook?: SendWebhook;
  /** Takes lines for a person to read; there are no requisites and no tokens in them. */
  readonly log?: (line: string) => void;
}

/** A running address of the sandbox. */
interface Listening {
  /** Such as `http://127.0.0.1:8081`. */
  readonly url: string;
  close(): Promise<void>;
}

/** The whole invoice service on this machine, with a bank to pay in and faults on demand. */
export interface Sandbox {
  /** Answers a request within the process. A fault of the connection is what `fetch` would make of it. */
  fetch(request: Request): Promise<Response>;
  /** Listens for HTTP; port 0 takes any that is free. */
  listen(place: { readonly port: number; readonly host: string }): Promise<Listening>;
  /** Ends everything that waits, stops listening and closes the file. */
  close(): Promise<void>;
}

/** Opens the data file and builds a sandbox; nothing listens yet. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { dataFile = ':memory:' } = options;
  const clock = options.clock ?? systemClock;
  const closing = new AbortController();
  const store = new InvoiceStore(dataFile === ':memory:' ? undefined : (take) => new Journal(dataFile, take));
  const listening = new Set<Listening>();
  const publicUrl = options.publicUrl?.replace(/\/+$/, '');
  const baseOf = (request: Request): string => {
    const place = [...listening].find(({ url }) => !isWildcard(new URL(url).hostname));
    return publicUrl ?? place?.url ?? new URL(request.url).origin;
  };
  const service = createEmulator({ ...options, clock, store, baseOf, closing: closing.signal });

  service.start();
  return {
    async fetch(request) {
      closing.signal.throwIfAborted();
      return sendInProcess(await service.answer(request), clock, [request.signal, closing.signal]);
    },
    async listen({ port, host }) {
      const server = createHttpServer((request) => service.answer(request), clock);
      server.listen(port, host);
      await once(server, 'listening');
      const place: Listening = {
        url: urlOf(server, host),
        async close() {
          listening.delete(place);
          await closeServer(server);
        },
      };
      listening.add(place);
      return place;
    },
    async close() {
      if (closing.signal.aborted) return;
      closing.abort(new Error('the sandbox is closed'));
      service.stop();
      await Promise.all([...listening].map((place) => place.close()));
      store.close();
    },
  };
}

function urlOf(server: Server, host: string): string {
  const address: AddressInfo | string | null = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Whether it stands for every address of the machine, and so is none to go to. */
function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '[::]';
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
