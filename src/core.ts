// The headless checkout: no DOM, no fetch, no timers of its own.
export { CheckoutError, type CheckoutErrorCode, type CheckoutErrorFacts } from './core/checkout-error.ts';
export { isPreferred, isUsable } from './core/select-public-state.ts';
export { createSession, type SessionOptions } from './core/session.ts';
export { msUntilNextRead } from './core/next-read.ts';
export { findSuspectFields } from './core/suspect-requisites.ts';
export type {
  PageLifecycle,
  CheckoutTransport,
  Clock,
  CreateAnswer,
  CreateRequest,
  DecodedCheckout,
  ReadAnswer,
  ReadRequest,
  SessionPorts,
} from './core/session-ports.ts';
export type {
  AmountFault,
  CheckoutEvent,
  CheckoutSession,
  CheckoutState,
  ChoosingState,
  Connection,
  CreatingState,
  Deadline,
  EndedState,
  LoadingState,
  LostState,
  WaitingState,
} from './core/public-state.ts';
