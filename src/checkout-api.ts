// `pay-invoice/checkout-api`: the checkout API between the widget and the merchant's backend.
export {
  amountLimits,
  bank,
  bankOption,
  bankTransferRequisites,
  cardRequisites,
  checkout,
  checkoutInvoice,
  checkoutStatuses,
  createInvoiceBody,
  paymentOption,
  problem,
  qrCode,
  returnUrls,
  sbpRequisites,
  type AmountLimits,
  type BankOption,
  type Checkout,
  type CheckoutInvoice,
  type CheckoutStatus,
  type CreateInvoiceBody,
  type PaymentOption,
  type Problem,
  type QrCode,
} from './checkout-api/schemas/checkout-api-bodies.ts';
export {
  calls,
  type AnswerHeader,
  type Call,
  type CallName,
  type KnownAnswer,
} from './checkout-api/checkout-api-endpoints.ts';
export { problemCodes, statusOfProblem, type ProblemCode } from './checkout-api/problem-codes.ts';
export { checkoutUrl, hookUrl, invoiceUrl, maxWaitSeconds } from './checkout-api/checkout-urls.ts';
export { decodeCheckout, decodeProblem } from './checkout-api/decoders/generated-decoders.ts';
