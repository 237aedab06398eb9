// A browser's adapters of the headless checkout's ports.
export { browserClock } from './client/browser-clock.ts';
export { browserPageLifecycle, browserPorts, newKey, pageAddress } from './client/browser-session-ports.ts';
export { decodeCheckoutJson, httpTransport, type HttpTransportOptions } from './client/http-transport.ts';
