// `pay-invoice/protocol`: the checkout API between the widget and the merchant's backend.
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
} from './protocol/schemas/checkout-api-bodies.ts';
export {
  calls,
  type AnswerHeader,
  type Call,
  type CallName,
  type KnownAnswer,
} from './protocol/checkout-api-endpoints.ts';
export { problemCodes, statusOfProblem, type ProblemCode } from './protocol/problem-codes.ts';
export { checkoutUrl, hookUrl, invoiceUrl, maxWaitSeconds } from './protocol/checkout-urls.ts';
export { decodeCheckout } from './protocol/decoders/generated-checkout-decoder.ts';
export { decodeProblem } from './protocol/decoders/generated-problem-decoder.ts';
export { DecodeError } from './protocol/decoders/decoder-primitives.ts';
