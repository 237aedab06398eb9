// Generated from src/checkout-api/schemas by `npm run generate`; do not edit. A test fails when it is not current.
import type { Checkout, Problem } from '../schemas/checkout-api-bodies.ts';
import { array, boolean, integer, nullable, object, oneOf, optional, orElse, pattern, string, type Decoder } from './decode-value.ts';

const decimal = pattern(/^-?[0-9]{1,40}(?:\.[0-9]{1,40})?$/);

const amountLimits = object({
  min_amount: optional(decimal),
  max_amount: optional(decimal),
});

const timestamp = string;

const bankOption = object({
  code: string,
  name: optional(string),
  available: boolean,
  limits: orElse(amountLimits, {}),
});

const paymentOption = object({
  id: string,
  code: optional(string),
  type: string,
  name: optional(string),
  available: boolean,
  limits: orElse(amountLimits, {}),
  banks: array(bankOption),
});

const qrCode = object({
  size: integer(21, 177),
  modules: pattern(/^[A-Za-z0-9+/]+={0,2}$/),
});

const sbpRequisites = object({
  holder_name: optional(string),
  phone: optional(string),
  account: optional(string),
});

const cardRequisites = object({
  holder_name: optional(string),
  card_number: optional(string),
  account: optional(string),
});

const bankTransferRequisites = object({
  holder_name: optional(string),
  bik: optional(string),
  account: optional(string),
});

const bank = object({
  id: optional(string),
  code: optional(string),
  name: optional(string),
});

const invoiceMethod = object({
  type: string,
  name: optional(string),
});

const checkoutInvoice = object({
  id: string,
  payment_method_id: optional(string),
  external_id: optional(string),
  amount: decimal,
  payment_url: optional(string),
  nspk_url: optional(string),
  qr: optional(qrCode),
  sbp: optional(sbpRequisites),
  card: optional(cardRequisites),
  bank_transfer: optional(bankTransferRequisites),
  bank: optional(bank),
  method: optional(invoiceMethod),
  service_status: optional(string),
  expires_at: optional(timestamp),
  expires_in_ms: optional(integer(0)),
  checked_at: optional(timestamp),
});

const returnUrls = object({
  success_url: optional(string, null),
  fail_url: optional(string, null),
});

export const decodeCheckout: Decoder<Checkout> = object({
  id: string,
  status: oneOf('open', 'pending', 'paid', 'failed', 'expired', 'closed'),
  amount: nullable(decimal),
  amount_limits: optional(amountLimits, null),
  currency: optional(string, null),
  description: optional(string, null),
  reference: optional(string, null),
  expires_at: optional(timestamp, null),
  paid_at: optional(timestamp, null),
  test: boolean,
  options: array(paymentOption),
  invoice: nullable(checkoutInvoice),
  return_urls: orElse(returnUrls, { success_url: null, fail_url: null }),
  server_time: orElse(timestamp, ''),
  poll_after_ms: orElse(integer(0), 2000),
  stale: orElse(boolean, false),
});

export const decodeProblem: Decoder<Problem> = object({
  type: string,
  title: string,
  status: integer(0),
  code: oneOf('not_found', 'invalid_request', 'invoice_pending', 'already_paid', 'checkout_closed', 'idempotency_mismatch', 'method_unavailable', 'amount_out_of_limits', 'amount_required', 'rate_limited', 'try_again', 'internal'),
  detail: optional(string),
  min_amount: optional(decimal),
  max_amount: optional(decimal),
  trace_id: optional(string),
});
