// `pay-invoice/checkout-api`: the checkout API between the widget and the merchant's backend, for a backend of one's own.
export {
  checkout,
  createInvoiceBody,
  decodeCheckout,
  decodeProblem,
  problem,
  problemCodes,
  statusOfProblem,
  type Checkout,
  type CheckoutInvoice,
  type CheckoutStatus,
  type CreateInvoiceBody,
  type PaymentOption,
  type Problem,
  type ProblemCode,
} from './checkout-api.ts';
