// `pay-invoice/server`: the checkout server for the merchant's backend, its node:http adapter, and their ports.
export { createCheckoutServer, type CheckoutServer } from './server/checkout-server.ts';
export { listedStatusOf } from './server/domain/checkout-status.ts';
export type {
  CheckoutPage,
  CreateCheckoutOptions,
  ListCheckoutsQuery,
  ResolveParams,
} from './server/commands/create-and-list-checkouts.ts';
export type { CheckoutQuery, PayerView } from './server/http/view-checkout.ts';
export type { PurgeOptions } from './server/commands/purge-checkouts.ts';
export { createInvoiceServiceClient } from './server/invoice-client/invoice-service-client.ts';
export type { TokenSource } from './server/invoice-client/send-http-request.ts';
export type { InvoiceServiceClientOptions } from './server/invoice-client/invoice-service-client.ts';
export type { PerOperation } from './server/invoice-client/call-operation.ts';
export { InvoiceServiceError, type InvoiceService, type ServiceFailure } from './server/ports/invoice-service.ts';
export {
  InvoiceClaimedError,
  StoreUnavailableError,
  type AmountLimits,
  type CheckoutRecord,
  type CheckoutStore,
  type LoadPurpose,
  type ListCheckouts,
  type CheckoutParams,
  type DueAttempt,
  type DueBase,
  type DueCreate,
  type DueInvoice,
  type MerchantAction,
  type Metadata,
  type PurgeBatch,
  type PurgePosition,
  type PurgeResult,
  type SaveListener,
  type SaveOptions,
  type StoreClock,
  type Reschedule,
} from './server/ports/checkout-store.ts';
export type { OutcomePage, OutcomesQuery } from './server/commands/read-outcomes.ts';
export type {
  Delivery,
  FeedOutcome,
  FeedPart,
  NewOutcome,
  Outcome,
  OutcomeLease,
  OutcomeCounts,
  OutcomeOutbox,
  OutcomeRecord,
} from './server/ports/outcome-outbox.ts';
export { hasInvoice } from './server/domain/checkout-status.ts';
export type {
  AttemptBase,
  Attempt,
  AttemptKey,
  CreateAttempt,
  HiddenAttempt,
  HiddenReason,
  InvoiceAttempt,
  InvoiceMethod,
  InvoiceOutcome,
  KnownInvoice,
  LiveAttempt,
  RejectedAttempt,
  RejectReason,
  Resolution,
  StatusChange,
  StatusLists,
} from './server/ports/invoice-attempt.ts';
export { createMemoryStore } from './server/in-memory/memory-store.ts';
export { clientAddress, toNodeListener, type ProxyTrust } from './server/node/node-listener.ts';
export { createAddressLimit, type RateLimit } from './server/in-memory/payer-rate-limit.ts';
export {
  CheckoutConflictError,
  CheckoutNotFoundError,
  CheckoutParamsError,
  type CreateCheckoutParams,
  type UpdateCheckoutParams,
} from './server/domain/checkout-params.ts';
export type {
  CheckoutWithOutcomes,
  CreatedCheckout,
  LinkedCheckout,
  MerchantCheckout,
  MerchantInvoice,
} from './server/domain/present-to-merchant.ts';
export type { KyselyTransaction, MerchantTransaction, SqlRows, SqlTransaction } from './server/ports/checkout-store.ts';
export type { Clock } from './base/clock.ts';
export type { Random } from './base/random.ts';
export { standardErrorLog, type Log, type LogFields, type LogLevel } from './server/ports/log.ts';
export {
  createMetrics,
  metricsContentType,
  type Labels,
  type Metrics,
  type TextMetrics,
} from './server/telemetry/metrics.ts';
export { CheckoutOptionsError } from './base/options-error.ts';
export type { CheckoutServerOptions, QrOptions } from './server/checkout-server-options.ts';
export {
  defaultLimits,
  defaultTiming,
  type Allowance,
  type Limits,
  type Timing,
} from './server/timing-and-limit-defaults.ts';
export { defaultStatuses } from './server/domain/fetch-decisions.ts';
