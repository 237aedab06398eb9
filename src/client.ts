// The ports of the headless checkout in a browser.
export { checkoutUrl } from './checkout-api/checkout-urls.ts';
export { browserClock, browserPageLifecycle, pageAddress } from './client/browser-ports.ts';
export { browserPorts, decodeCheckoutJson, httpTransport } from './client/http-transport.ts';
