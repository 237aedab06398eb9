// A browser's adapters of the headless checkout's ports.
export { browserClock } from './client/browser-clock.ts';
export { browserPageLifecycle, browserPorts, newKey, pageAddress } from './client/browser-session-ports.ts';
export { beginFirstRead, decodeInitialCheckout, requestCheckout, type FirstRead } from './client/first-read.ts';
export { continueRead } from './client/read-checkout.ts';
export { httpTransport, type HttpTransportOptions } from './client/backend-transport.ts';
