import type { SessionPorts } from '../core.ts';
import { browserPageLifecycle } from './page-lifecycle.ts';
import { browserClock } from './browser-clock.ts';
import { httpTransport, type HttpTransportOptions } from './http-transport.ts';
import { newKey } from './new-key.ts';
import { sharedTransport } from './shared-transport.ts';

/** On a server, where a first picture is rendered, there is neither. */
const surroundings: { readonly navigator?: Partial<Navigator>; readonly location?: Location } = globalThis;

/** The page's address; a server knows none, and addresses without a host still read there. */
export const pageAddress = (): string => surroundings.location?.href ?? 'https://localhost';

function onVisibility(callback: () => void): () => void {
  document.addEventListener('visibilitychange', callback);
  return () => document.removeEventListener('visibilitychange', callback);
}

/** The way to the backend over HTTP, shared with other tabs that show the same checkout. */
function pageTransport(options: HttpTransportOptions): SessionPorts['transport'] {
  // Pages without a secure context have no locks, whatever the types say.
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

/** What a session needs from a browser's page; `transport` and the rest can be replaced one by one. */
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
