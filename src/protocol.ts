// The checkout API: what the widget and the merchant's backend say to each other.
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
  returnUrls,
  sbpRequisites,
  type AmountLimits,
  type BankOption,
  type Checkout,
  type CheckoutInvoice,
  type CheckoutStatus,
  type CreateInvoiceBody,
  type PaymentOption,
} from './protocol/checkout.ts';
export { calls, type AnswerHeader, type Call, type CallName, type KnownAnswer } from './protocol/operations.ts';
export { problem, statusOfProblem, type Problem } from './protocol/problem.ts';
export { problemCodes, type ProblemCode } from './protocol/problem-code.ts';
export { checkoutUrl, hookUrl, invoiceUrl, maxWaitSeconds } from './protocol/routes.ts';
export { decodeCheckout, decodeProblem } from './protocol/generated/checkout-decoder.ts';
export { DecodeError } from './protocol/decoder.ts';
