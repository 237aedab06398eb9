// `pay-invoice/server`: the checkout server for the merchant's backend, and its node:http adapter. docs/server.md explains each name.
export type { Clock } from './base/clock.ts';
export { CheckoutOptionsError } from './base/options-error.ts';
export type { Random } from './base/random.ts';
export type { CheckoutServerOptions, QrOptions } from './server/checkout-server-options.ts';
export { createCheckoutServer, type CheckoutServer } from './server/checkout-server.ts';
export type {
  CheckoutPage,
  CreateCheckoutOptions,
  ListCheckoutsQuery,
  ResolveParams,
} from './server/commands/create-and-list-checkouts.ts';
export type { PurgeOptions } from './server/commands/purge-checkouts.ts';
export type { OutcomePage, OutcomesQuery } from './server/commands/read-outcomes.ts';
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
export type { CheckoutQuery, PayerView } from './server/http/view-checkout.ts';
export { createMemoryStore } from './server/memory-store/memory-store.ts';
export type { PerOperation } from './server/invoice-client/call-operation.ts';
export {
  createInvoiceServiceClient,
  type InvoiceServiceClientOptions,
} from './server/invoice-client/invoice-service-client.ts';
export type { TokenSource } from './server/invoice-client/send-http-request.ts';
export { clientAddress, toNodeListener, type ProxyTrust } from './server/node/node-listener.ts';
export {
  StoreUnavailableError,
  type AmountLimits,
  type CheckoutParams,
  type CheckoutStore,
  type KyselyTransaction,
  type CheckAnswer,
  type MerchantAction,
  type MerchantTransaction,
  type Metadata,
  type SqlRows,
  type SqlTransaction,
} from './server/ports/checkout-store.ts';
export type {
  InvoiceMethod,
  InvoiceOutcome,
  Resolution,
  StatusChange,
  StatusLists,
} from './server/ports/invoice-attempt.ts';
export type { InvoiceService } from './server/ports/invoice-service.ts';
export type { Log, LogFields, LogLevel } from './server/ports/log.ts';
export type { Delivery, FeedOutcome, NewOutcome, Outcome, OutcomeRecord } from './server/ports/outcome-outbox.ts';
export { createMetrics, type Labels, type Metrics, type TextMetrics } from './server/telemetry/metrics.ts';
export type { Allowance, Limits, Timing } from './server/timing-and-limit-defaults.ts';
