// `pay-invoice/core`: the headless checkout, with its ports in a browser.
export {
  CheckoutError,
  findSuspectFields,
  type CheckoutErrorCode,
  type CheckoutErrorFacts,
  type SessionOptions,
  type PageLifecycle,
  type CheckoutTransport,
  type Clock,
  type CreateAnswer,
  type CreateRequest,
  type DecodedCheckout,
  type ReadAnswer,
  type ReadRequest,
  type SessionPorts,
  type AmountFault,
  type CheckoutEvent,
  type CheckoutSession,
  type CheckoutState,
  type ChoosingState,
  type Connection,
  type CreatingState,
  type Deadline,
  type EndedState,
  type LoadingState,
  type LostState,
  type WaitingState,
} from './core.ts';
export type { HttpTransportOptions } from './client.ts';
export { browserPorts, createSession, httpTransport } from './client/checked-headless.ts';
export { CheckoutOptionsError } from './base/options-error.ts';
