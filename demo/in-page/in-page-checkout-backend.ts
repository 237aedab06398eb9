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
import { respondToBankTabs, type Control } from './bank-tab-messages.ts';
import { createInPageSandbox, serviceUrl, toRequest, token } from './in-page-sandbox.ts';
import { shortCache } from '../short-cache.ts';
import { createTabCheckoutStore } from './session-storage-stores.ts';

/** A request of the widget and the status of its response. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  /** 0 when there was no response. */
  readonly status: number;
  /** In ms of `performance.now()`. */
  readonly start: number;
  /** In ms. */
  readonly duration: number;
}

export interface InPageBackendOptions {
  /** The page of the simulated bank. */
  readonly bankPage: URL;
  readonly onOutcome?: (outcome: Outcome) => void;
  /** Called after each request of the widget. */
  readonly onExchange?: (exchange: Exchange) => void;
}

const origin = 'https://shop.invalid';

/** Starts the backend and the sandbox. They run as long as the page is open. Pending payments survive a reload. */
export function createInPageBackend({ bankPage, onOutcome, onExchange }: InPageBackendOptions) {
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
    timing: shortCache,
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
      onExchange?.({ method, url, status, start, duration: performance.now() - start });
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

export type InPageBackend = ReturnType<typeof createInPageBackend>;
