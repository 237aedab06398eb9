// The functions of the entry `pay-invoice/core`. They check the names of their options, which the element does not have to do with
// its own.
import { checkNames } from '../base/options-error.ts';
import {
  createSession as uncheckedSession,
  type CheckoutSession,
  type CheckoutTransport,
  type SessionOptions,
  type SessionPorts,
} from '../core.ts';
import {
  browserPorts as uncheckedPorts,
  httpTransport as uncheckedTransport,
  type BackendOptions,
} from './http-transport.ts';

export interface HttpTransportOptions extends BackendOptions {
  /** Headers of the page's own, sent with each request. Those of the checkout API replace them. */
  readonly headers?: HeadersInit | undefined;
  /** Which cookies are sent: by default those of an endpoint on the page's own origin. */
  readonly credentials?: RequestCredentials | undefined;
}

/** The names of all members of a type. */
type Names<T> = Readonly<Record<keyof T, true>>;

const transportOptions: Names<HttpTransportOptions> = {
  endpoint: true,
  checkout: true,
  fetch: true,
  headers: true,
  credentials: true,
  clock: true,
};

const sessionOptions: Names<SessionOptions> = { initial: true, dropped: true, preferred: true, mayBeOld: true };

const sessionPorts: Names<SessionPorts> = {
  transport: true,
  clock: true,
  pageLifecycle: true,
  newKey: true,
  random: true,
  page: true,
};

/** `fetch` with the headers of the page and its choice of cookies. */
function fetchOfPage({ fetch, headers: pageHeaders, credentials }: HttpTransportOptions): typeof globalThis.fetch {
  return (url, init = {}) => {
    const headers = new Headers(pageHeaders);
    new Headers(init.headers).forEach((value, name) => headers.set(name, value));
    return (fetch ?? globalThis.fetch)(url, { ...init, headers, ...(credentials && { credentials }) });
  };
}

/**
 * A transport to a backend that serves the checkout API over HTTP (docs/checkout-api.md).
 *
 * @throws CheckoutOptionsError where an option is unknown
 * @example
 * ```ts
 * import { httpTransport } from 'pay-invoice/core';
 *
 * const headers = { 'x-shop': 'north' };
 * const transport = httpTransport({ endpoint: '/checkout', checkout: 'chk_of_the_order', headers });
 * Object.assign(document.createElement('pay-invoice'), { transport });
 * ```
 */
export function httpTransport(options: HttpTransportOptions): CheckoutTransport {
  checkNames('options', options, Object.keys(transportOptions));
  return uncheckedTransport({ ...options, fetch: fetchOfPage(options) });
}

/**
 * The ports of a session in a browser.
 *
 * @throws CheckoutOptionsError where an option is unknown
 * @example
 * ```ts
 * import { browserPorts, createSession } from 'pay-invoice/core';
 *
 * const session = createSession(browserPorts({ endpoint: '/checkout', checkout: 'chk_of_the_order' }));
 * session.start();
 * session.stop();
 * ```
 */
export function browserPorts(options: HttpTransportOptions): SessionPorts {
  checkNames('options', options, Object.keys(transportOptions));
  return uncheckedPorts({ ...options, fetch: fetchOfPage(options) });
}

/**
 * Creates the session of a checkout. The reducer decides; the session executes its commands and dispatches their results.
 *
 * @throws CheckoutOptionsError where a port or an option is unknown
 * @example
 * ```ts
 * import { browserPorts, createSession } from 'pay-invoice/core';
 *
 * const session = createSession(browserPorts({ endpoint: '/checkout', checkout: 'chk_of_the_order' }));
 * const unsubscribe = session.subscribe(() => console.log(session.getState().status));
 * session.start();
 * unsubscribe();
 * session.stop();
 * ```
 */
export function createSession(ports: SessionPorts, options: SessionOptions = {}): CheckoutSession {
  checkNames('ports', ports, Object.keys(sessionPorts));
  checkNames('options', options, Object.keys(sessionOptions));
  return uncheckedSession(ports, options);
}
