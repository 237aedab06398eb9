import { createRequestHandler } from '../../src/tools/sandbox/router.ts';
import { browserClock } from '../../src/client.ts';
import { sendInProcess } from '../../src/tools/sandbox/faults/connection-faults.ts';
import { createTabInvoiceStore } from './session-storage-stores.ts';

const clock = { ...browserClock, now: () => browserClock.wall() };

/** The access token of the sandbox. */
export const token = 'sandbox-token';
/** The address of the sandbox. No request is sent there. */
export const serviceUrl = 'https://sandbox.invalid';

/** A request with a body that can be read as a stream, also in browsers whose requests have no `body`. */
export function toRequest(input: RequestInfo | URL, init: RequestInit = {}): Request {
  const request = new Request(input, init);
  if (typeof init.body === 'string' && !(request.body instanceof ReadableStream))
    Object.defineProperty(request, 'body', { value: new Response(init.body).body });
  return request;
}

/**
 * The sandbox inside a page. The links of its invoices begin with `bankUrl`. It does not use `src/sandbox.ts`, which also
 * listens for HTTP and writes files: a page can do neither.
 */
export function createInPageSandbox(bankUrl: string, sendWebhook: (request: Request) => Promise<Response>) {
  const closing = new AbortController();
  const store = createTabInvoiceStore();
  const sandbox = createRequestHandler({
    token,
    store,
    clock,
    baseOf: () => bankUrl,
    closing: closing.signal,
    sendWebhook,
  });
  sandbox.start();

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = toRequest(input, init);
    return sendInProcess(await sandbox.handle(request), clock, [request.signal]);
  };
  return {
    /** `fetch` for requests to the service. */
    fetch,
    /** Calls the control API, for example `POST`, `invoices/inv_…/pay`. */
    control(method: string, path: string, body?: unknown): Promise<Response> {
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      const headers = { 'content-type': 'application/json' };
      return fetch(`${serviceUrl}/sandbox/${path}`, { method, headers, ...init });
    },
  };
}
