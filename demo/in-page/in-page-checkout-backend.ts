// The merchant's backend and the sandbox, running in the page instead of on a server.
import { browserClock, httpTransport } from '../../src/client.ts';
import type { CheckoutTransport } from '../../src/core.ts';
import {
  createCheckoutServer,
  createInvoiceServiceClient,
  type CreateCheckoutParams,
  type LogFields,
  type Outcome,
} from '../../src/server.ts';
import { sendInProcess } from '../../src/tools/sandbox/faults/connection-faults.ts';
import { createRequestHandler } from '../../src/tools/sandbox/router.ts';
import { pathWithoutSecret, type RequestFacts } from '../shop-server-interface.ts';
import { respondToBankTabs, type Control } from './bank-tab-messages.ts';
import { createTabCheckoutStore, createTabInvoiceStore } from './session-storage-stores.ts';

export interface InPageBackendOptions {
  /** The page of the simulated bank. */
  readonly bankPage: URL;
  readonly onOutcome?: (outcome: Outcome) => void;
  /** Called after each request of the widget. */
  readonly onRequest?: (request: RequestFacts) => void;
}

const origin = 'https://shop.invalid';
const clock = { ...browserClock, now: () => browserClock.wall() };

/** The access token of the sandbox. */
const token = 'sandbox-token';
/** The address of the sandbox. No request is sent there. */
const serviceUrl = 'https://sandbox.invalid';

/** Starts the backend and the sandbox. They run as long as the page is open. Pending payments survive a reload. */
export function createInPageBackend({ bankPage, onOutcome, onRequest }: InPageBackendOptions) {
  const handleWebhook = (request: Request): Promise<Response> => checkouts.handle(request, { address: undefined });
  const sandbox = createInPageSandbox(`${bankPage.href.replace(/#.*/, '')}#`, handleWebhook);
  const log = (level: string, event: string, facts: LogFields): void => {
    if (level !== 'info') console.warn(event, facts);
  };
  const checkouts = createCheckoutServer({
    service: createInvoiceServiceClient({ baseUrl: serviceUrl, token, fetch: sandbox.fetch, log }),
    store: createTabCheckoutStore(),
    endpoint: `${origin}/checkout`,
    mode: 'TEST',
    currencies: ['RUB', 'USD', 'EUR', 'KZT'],
    timing: { optionsFreshMs: 1000, optionsStaleMs: 1000 }, // A fault that is set before an order shows in the order.
    onOutcome(outcome) {
      onOutcome?.(outcome);
      return Promise.resolve();
    },
    log,
  });
  checkouts.start();
  respondToBankTabs((...call) => sandbox.control(...call));

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = toRequest(input, init);
    const start = performance.now();
    let status = 0;
    try {
      const response = await checkouts.handle(request, { address: undefined });
      request.signal.throwIfAborted();
      ({ status } = response);
      return response;
    } finally {
      const { method, url } = request;
      onRequest?.({ method, path: pathWithoutSecret(url), status, start, duration: performance.now() - start });
    }
  };

  return {
    /** Creates a checkout; resolves with its capability. */
    createCheckout: async (params: CreateCheckoutParams): Promise<string> =>
      (await checkouts.create(params)).capability,
    /** The widget's transport for a checkout. The backend in the page handles its requests. */
    transportOf: (checkout: string): CheckoutTransport =>
      httpTransport({ endpoint: `${origin}/checkout`, checkout, fetch, clock: browserClock }),
    /** Calls the sandbox's control API. */
    control: (...call: Parameters<Control>): Promise<Response> => sandbox.control(...call),
  };
}

/** A request with a body that can be read as a stream, also in browsers whose requests have no `body`. */
function toRequest(input: RequestInfo | URL, init: RequestInit = {}): Request {
  const request = new Request(input, init);
  if (typeof init.body === 'string' && !(request.body instanceof ReadableStream))
    Object.defineProperty(request, 'body', { value: new Response(init.body).body });
  return request;
}

/**
 * The sandbox inside a page. The links of its invoices begin with `bankUrl`. It does not use `src/sandbox.ts`, which also
 * listens for HTTP and writes files: a page can do neither.
 */
function createInPageSandbox(bankUrl: string, sendWebhook: (request: Request) => Promise<Response>) {
  const closing = new AbortController();
  const store = createTabInvoiceStore();
  const handle = createRequestHandler({
    token,
    store,
    clock,
    baseOf: () => bankUrl,
    closing: closing.signal,
    sendWebhook,
  });

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = toRequest(input, init);
    return sendInProcess(await handle(request), clock, [request.signal]);
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
