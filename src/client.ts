// A browser's adapters of the headless checkout's ports.
export { browserClock, browserPageLifecycle, newKey } from './client/browser.ts';
export { browserPorts, decodeInitialCheckout, pageAddress } from './client/browser-ports.ts';
export { httpTransport, type HttpTransportOptions } from './client/backend-transport.ts';
