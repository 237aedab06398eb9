// The merchant's half of the checkout: the handler, the status watcher, and the ports that they work through.
export { InvoiceServiceError, type InvoiceService, type ServiceFailure } from './server/invoice-service.ts';
export type {
  Attempt,
  AttemptKey,
  AttemptStage,
  CheckoutRecord,
  CheckoutStore,
  CheckoutTerms,
  DueAttempt,
  InvoiceOutcome,
  Outcome,
  Reschedule,
} from './server/store.ts';
export type { CheckoutServer, CheckoutServerOptions } from './server/checkout-server.ts';
