// What other layers of the package use of the server beside `pay-invoice/server`: the ports of a store, and defaults.
export { hasInvoice, listedStatusOf } from './server/domain/checkout-status.ts';
export { defaultStatuses } from './server/domain/fetch-decisions.ts';
export { createAddressLimit } from './server/between-requests/payer-rate-limit.ts';
export {
  InvoiceClaimedError,
  type CheckoutRecord,
  type ListCheckouts,
  type LoadPurpose,
  type PurgeBatch,
  type PurgePosition,
  type PurgeResult,
  type Reschedule,
  type SaveListener,
  type StoreClock,
} from './server/ports/checkout-store.ts';
export type {
  Attempt,
  CreateAttempt,
  HiddenAttempt,
  HiddenReason,
  InvoiceAttempt,
  LiveAttempt,
  RejectedAttempt,
  RejectReason,
} from './server/ports/invoice-attempt.ts';
export { InvoiceServiceError, type ServiceFailure } from './server/ports/invoice-service.ts';
export { standardErrorLog } from './server/ports/log.ts';
export type { FeedPart, OutcomeLease, OutcomeOutbox } from './server/ports/outcome-outbox.ts';
export { metricsContentType } from './server/telemetry/metrics.ts';
export { defaultLimits, defaultTiming } from './server/timing-and-limit-defaults.ts';
