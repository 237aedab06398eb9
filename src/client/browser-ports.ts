import { CheckoutError, type SessionPorts } from '../core.ts';
import type { Checkout } from '../protocol.ts';
import { decodeCheckout } from '../protocol/decoders/generated-decoders.ts';
import { browserClock, browserPageLifecycle, newKey } from './browser.ts';
import { httpTransport, type HttpTransportOptions } from './backend-transport.ts';
import { sharedTransport } from './cross-tab-transport.ts';

/** A server, which renders the first state, has neither. */
const surroundings: { readonly navigator?: Partial<Navigator>; readonly location?: Location } = globalThis;

/** The URL of the page. A server has none and needs a base to resolve relative URLs. */
export const pageAddress = (): string => surroundings.location?.href ?? 'https://localhost';

function onVisibility(callback: () => void): () => void {
  document.addEventListener('visibilitychange', callback);
  return () => document.removeEventListener('visibilitychange', callback);
}

/** A transport over HTTP, shared with other tabs that show the same checkout. */
function pageTransport(options: HttpTransportOptions): SessionPorts['transport'] {
  // `navigator.locks` exists in secure contexts only; the DOM's types do not say so.
  const locks = surroundings.navigator?.locks;
  const name = `pay-invoice ${options.endpoint} ${options.checkout}`;
  return sharedTransport(httpTransport(options), name, {
    clock: browserClock,
    isVisible: () => browserPageLifecycle.isVisible(),
    locks,
    openChannel: (channel) => new BroadcastChannel(channel),
    onVisibility,
  });
}

/** The ports of a session in a browser. `ports` replaces any of them. */
export function browserPorts(options: HttpTransportOptions, ports: Partial<SessionPorts> = {}): SessionPorts {
  return {
    transport: ports.transport ?? pageTransport(options),
    clock: browserClock,
    pageLifecycle: browserPageLifecycle,
    newKey,
    random: Math.random,
    page: pageAddress(),
    ...ports,
  };
}

/** A checkout that came with the page, as parsed JSON or as its text. Throws a `CheckoutError` (`malformed`). */
export function decodeInitialCheckout(value: unknown): Checkout {
  try {
    const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    return decodeCheckout(parsed, '');
  } catch (cause) {
    throw new CheckoutError('malformed', 'the initial checkout does not read', { cause });
  }
}
