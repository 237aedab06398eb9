// Schemas of the invoice service, invoice.v1.PubInvoiceService.
export { compareDecimals, isDecimal, isWithin, sumOf, toMinorUnits, type AmountRange } from './base/decimal.ts';
export { decimal } from './contract/decimal.ts';
export { duration, formatDuration, parseDuration } from './contract/scalars.ts';
export { formatTimestamp, parseTimestamp, timestamp } from './contract/timestamp.ts';
export { withoutNulls } from './contract/lenient-schemas.ts';
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
} from './contract/invoice.ts';
export { bankOption, limits, paymentOption, type BankOption, type PaymentOption } from './contract/payment-option.ts';
export {
  createInvoiceRequest,
  fetchInvoicesRequest,
  fetchInvoicesResponse,
  fetchPaymentOptionsRequest,
  fetchPaymentOptionsResponse,
  modes,
  operationPath,
  operations,
  serviceName,
  type CreateInvoiceRequest,
  type FetchInvoicesRequest,
  type FetchPaymentOptionsRequest,
  type Mode,
  type Operation,
} from './contract/service-operations.ts';
export { codeOfHttpStatus, httpStatusOf, readStatusCode, type StatusCode } from './contract/grpc-error.ts';
export { readWireError, writeWireError, type WireError } from './contract/wire-error.ts';
