// `pay-invoice/service-api`: the schemas of the invoice service, invoice.v1.PubInvoiceService.
export { compareDecimals, isDecimal, isWithin, sumOf, toMinorUnits, type AmountRange } from './base/decimal.ts';
export {
  decimal,
  duration,
  formatDuration,
  formatTimestamp,
  parseDuration,
  parseServiceTimestamp,
  parseTimestamp,
  timestamp,
} from './service-api/scalars.ts';
export {
  bank,
  bankTransferRequisites,
  cardRequisites,
  createdInvoice,
  fetchedInvoice,
  metadata,
  sbpRequisites,
  type CreatedInvoice,
  type FetchedInvoice,
} from './service-api/invoice-service-operations.ts';
export {
  bankOption,
  createInvoiceRequest,
  fetchInvoicesRequest,
  fetchInvoicesResponse,
  fetchPaymentOptionsRequest,
  fetchPaymentOptionsResponse,
  limits,
  modes,
  operationPath,
  operations,
  paymentOption,
  serviceName,
  withoutEmpty,
  type BankOption,
  type CreateInvoiceRequest,
  type FetchInvoicesRequest,
  type FetchPaymentOptionsRequest,
  type Mode,
  type Operation,
  type PaymentOption,
} from './service-api/invoice-service-operations.ts';
export {
  codeOfHttpStatus,
  httpStatusOf,
  readStatusCode,
  readWireError,
  writeWireError,
  type StatusCode,
  type WireError,
} from './service-api/grpc-error.ts';
