import type { SessionPorts } from '../core.ts';
import { browserAttention } from './browser-attention.ts';
import { browserClock } from './browser-clock.ts';
import { httpTransport, type HttpTransportOptions } from './http-transport.ts';
import { newKey } from './new-key.ts';

/** What a session needs from a browser's page; `transport` and the rest can be replaced one by one. */
export function browserPorts(options: HttpTransportOptions, ports: Partial<SessionPorts> = {}): SessionPorts {
  return {
    transport: ports.transport ?? httpTransport(options),
    clock: browserClock,
    attention: browserAttention,
    newKey,
    random: Math.random,
    page: location.href,
    ...ports,
  };
}
