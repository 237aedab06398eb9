// The merchant's half of the checkout: the handler, the status watcher, and the ports that they work through.
export { createCheckoutServer, type CheckoutServer, type CheckoutServerOptions } from './server/checkout-server.ts';
export { createInvoiceServiceClient } from './server/invoice-service-client.ts';
export type { Guard, InvoiceServiceClientOptions } from './server/invoice-service-settings.ts';
export type { RetryClock } from './server/retry-ports.ts';
export { InvoiceServiceError, type InvoiceService, type ServiceFailure } from './server/invoice-service.ts';
export { createMemoryStore } from './server/memory-store.ts';
export { toNodeListener } from './server/node-listener.ts';
export { clientAddress, type ProxyTrust } from './server/client-address.ts';
export { createAddressLimit, type RateLimit } from './server/rate-limit.ts';
export { CheckoutTermsError } from './server/terms.ts';
export type { Clock } from './server/clock.ts';
export type { Log, LogFacts, LogLevel } from './server/log.ts';
export { createMetrics, metricsContentType, type Labels, type Metrics, type TextMetrics } from './server/metrics.ts';
export {
  defaultLimits,
  defaultStatuses,
  defaultTiming,
  type Allowance,
  type Limits,
  type StatusLists,
  type Timing,
} from './server/settings.ts';
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
