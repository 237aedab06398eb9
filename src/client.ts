// A browser's adapters of the headless checkout's ports.
export { browserClock } from './client/browser-clock.ts';
export { browserPageLifecycle, browserPorts, newKey, pageAddress } from './client/browser-session-ports.ts';
export { decodeInitialCheckout, readCheckout } from './client/read-checkout.ts';
export { beginFirstRead, continueRead, type FirstRead } from './client/prefetch-checkout.ts';
export { httpTransport, type HttpTransportOptions } from './client/backend-transport.ts';
