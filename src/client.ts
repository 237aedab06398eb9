// A browser's adapters of the headless checkout's ports.
export {
  browserClock,
  browserPageLifecycle,
  browserPorts,
  decodeInitialCheckout,
  newKey,
  pageAddress,
} from './client/browser-ports.ts';
export { httpTransport, type HttpTransportOptions } from './client/backend-transport.ts';
