import { createEmulator } from '../../src/sandbox/emulator.ts';
import { browserClock } from '../../src/client.ts';
import { sendInProcess } from '../../src/sandbox/faults/connection-fault.ts';
import { createInvoiceMemory } from './invoice-memory.ts';
import { requestOf } from './request.ts';

const clock = { ...browserClock, now: () => browserClock.wall() };

/** The token that the played backend and its service agree on. */
export const token = 'sandbox-token';
/** Where the played service is: nothing is ever sent there. */
export const serviceUrl = 'https://sandbox.invalid';

/** The sandbox of the invoice service, whole, in this page. `bankUrl` is where links of an invoice lead. */
export function createPageSandbox(bankUrl: string, sendHook: (request: Request) => Promise<Response>) {
  const closing = new AbortController();
  const store = createInvoiceMemory();
  const sandbox = createEmulator({
    token,
    store,
    clock,
    baseOf: () => bankUrl,
    closing: closing.signal,
    sendWebhook: sendHook,
  });
  sandbox.start();

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = requestOf(input, init);
    return sendInProcess(await sandbox.answer(request), clock, [request.signal]);
  };
  return {
    /** As `fetch` would reach the service over a network. */
    fetch,
    /** Asks the control API, such as `POST`, `invoices/inv_…/pay`. */
    control(method: string, path: string, body?: unknown): Promise<Response> {
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const headers = { 'content-type': 'application/json' };
      return fetch(`${serviceUrl}/sandbox/${path}`, { method, headers, ...init });
    },
  };
}
