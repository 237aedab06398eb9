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
  type HttpTransportOptions,
} from './http-transport.ts';

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
  return uncheckedTransport(options);
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
  return uncheckedPorts(options);
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
