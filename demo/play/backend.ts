// The merchant's backend and the whole sandbox in a page of their own: the same code that runs on servers, without one.
import { httpTransport } from '../../src/client.ts';
import type { CheckoutTransport } from '../../src/core.ts';
import {
  createCheckoutServer,
  createInvoiceServiceClient,
  type CheckoutParams,
  type LogFields,
  type Outcome,
} from '../../src/server.ts';
import { answerBankTabs, type Control } from './bank-tabs.ts';
import { createCheckoutMemory } from './checkout-memory.ts';
import { requestOf } from './request.ts';
import { createPageSandbox, serviceUrl, token } from './sandbox.ts';

/** One request of the widget, as it was answered. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  /** 0: no answer came. */
  readonly status: number;
  /** Milliseconds, on `performance`'s clock. */
  readonly start: number;
  readonly duration: number;
}

export interface PlayedBackendOptions {
  /** The page of the bank that plays along. */
  readonly bankPage: URL;
  readonly onOutcome?: (outcome: Outcome) => void;
  /** Hears of every request of the widget. */
  readonly onExchange?: (exchange: Exchange) => void;
}

const origin = 'https://shop.invalid';

/** Starts both; they live as long as the page, and payments under way survive its reload. */
export function createPlayedBackend({ bankPage, onOutcome, onExchange }: PlayedBackendOptions) {
  const hook = (request: Request): Promise<Response> => checkouts.handle(request);
  const sandbox = createPageSandbox(`${bankPage.href.replace(/#.*/, '')}#`, hook);
  const log = (level: string, event: string, facts: LogFields): void => {
    if (level !== 'info') console.warn(event, facts);
  };
  const checkouts = createCheckoutServer({
    service: createInvoiceServiceClient({ baseUrl: serviceUrl, token, fetch: sandbox.fetch, log }),
    store: createCheckoutMemory(),
    endpoint: `${origin}/checkout`,
    mode: 'TEST',
    onOutcome(outcome) {
      onOutcome?.(outcome);
      return Promise.resolve();
    },
    log,
  });
  checkouts.start();
  answerBankTabs((...ask) => sandbox.control(...ask));

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = requestOf(input, init);
    const start = performance.now();
    let status = 0;
    try {
      const response = await checkouts.handle(request);
      request.signal.throwIfAborted();
      ({ status } = response);
      return response;
    } finally {
      const { method, url } = request;
      onExchange?.({ method, url, status, start, duration: performance.now() - start });
    }
  };

  return {
    /** Mints a checkout; resolves with its capability. */
    open: (terms: CheckoutParams): Promise<string> => checkouts.create(terms),
    /** The widget's way to a checkout: it speaks HTTP, and nothing leaves the page. */
    transportOf: (checkout: string): CheckoutTransport =>
      httpTransport({ endpoint: `${origin}/checkout`, checkout, fetch }),
    /** Asks the sandbox's control API. */
    control: (...ask: Parameters<Control>): Promise<Response> => sandbox.control(...ask),
  };
}

export type PlayedBackend = ReturnType<typeof createPlayedBackend>;
