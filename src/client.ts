// `pay-invoice/client`: the ports of the headless checkout in a browser.
export { browserClock } from './client/browser-clock.ts';
export { browserPageLifecycle, pageAddress, pagePorts } from './client/browser-session-ports.ts';
export { decodeCheckoutJson, httpTransport, type HttpTransportOptions } from './client/http-transport.ts';
export { browserPorts, shareReads } from './client/cross-tab-transport.ts';
