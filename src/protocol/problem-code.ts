/** The codes of problem documents: a closed set (docs/checkout-api.md, "Errors"). */
export const problemCodes = [
  'not_found',
  'invalid_request',
  'invoice_pending',
  'already_paid',
  'idempotency_mismatch',
  'method_unavailable',
  'amount_out_of_limits',
  'amount_required',
  'rate_limited',
  'try_again',
  'internal',
] as const;

export type ProblemCode = (typeof problemCodes)[number];
