// Generated from src/checkout-api/schemas by `npm run generate`; do not edit. A test fails when it is not current.
import type { Problem } from '../schemas/checkout-api-bodies.ts';
import { integer, object, oneOf, optional, pattern, string, type Decoder } from './decode-value.ts';

const decimal = pattern(/^-?[0-9]{1,40}(?:\.[0-9]{1,40})?$/);

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
