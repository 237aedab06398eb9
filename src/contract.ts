// `pay-invoice/contract`: the schemas of the invoice service, invoice.v1.PubInvoiceService.
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
} from './contract/scalars.ts';
export { withoutEmpty } from './contract/lenient-schemas.ts';
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
} from './contract/invoice-service-operations.ts';
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
  type BankOption,
  type CreateInvoiceRequest,
  type FetchInvoicesRequest,
  type FetchPaymentOptionsRequest,
  type Mode,
  type Operation,
  type PaymentOption,
} from './contract/invoice-service-operations.ts';
export {
  codeOfHttpStatus,
  httpStatusOf,
  readStatusCode,
  readWireError,
  writeWireError,
  type StatusCode,
  type WireError,
} from './contract/grpc-error.ts';
