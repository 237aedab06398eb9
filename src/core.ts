// The headless checkout: no DOM, no fetch, no timers of its own.
export { readAmount, type AmountFault, type TypedAmount } from './core/payer-typed-amount.ts';
export { CheckoutError, type CheckoutErrorCode, type CheckoutErrorFacts } from './core/checkout-error.ts';
export { connected, type CheckoutEvent } from './core/public-state.ts';
export { isUsable } from './core/choosing-state.ts';
export type { CheckoutSession } from './core/public-state.ts';
export { createSession, type SessionOptions } from './core/session.ts';
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
export { isSafeLink } from './checkout-api/safe-link.ts';
export type {
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
