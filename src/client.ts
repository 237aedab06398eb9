// `pay-invoice/client`: the ports of the headless checkout in a browser.
export { browserClock, browserPageLifecycle, pageAddress } from './client/browser-ports.ts';
export { decodeCheckoutJson, httpTransport, pagePorts, type HttpTransportOptions } from './client/http-transport.ts';
export { browserPorts, shareReads } from './client/cross-tab-transport.ts';
