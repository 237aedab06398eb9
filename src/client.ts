// A browser's adapters of the headless checkout's ports.
export { browserPageLifecycle } from './client/page-lifecycle.ts';
export { browserClock } from './client/browser-clock.ts';
export { browserPorts, pageAddress } from './client/browser-ports.ts';
export { httpTransport, type HttpTransportOptions } from './client/http-transport.ts';
export { decodeInitialCheckout } from './client/initial-checkout.ts';
export { newKey } from './client/new-key.ts';
