/** The codes of problem documents: a closed set (docs/checkout-api.md, "Errors"). */
export const problemCodes = [
  'not_found',
  'invalid_request',
  'invoice_pending',
  'already_paid',
  'checkout_closed',
  'idempotency_mismatch',
  'method_unavailable',
  'amount_out_of_limits',
  'amount_required',
  'rate_limited',
  'try_again',
  'internal',
] as const;

export type ProblemCode = (typeof problemCodes)[number];

const statusByCode: Readonly<Record<ProblemCode, number>> = {
  not_found: 404,
  invalid_request: 400,
  invoice_pending: 409,
  already_paid: 409,
  checkout_closed: 409,
  idempotency_mismatch: 409,
  method_unavailable: 422,
  amount_out_of_limits: 422,
  amount_required: 422,
  rate_limited: 429,
  try_again: 503,
  internal: 500,
};

/**
 * The usual HTTP status of a problem; an `invalid_request` may also be 403, 405, 408, 413 or 415.
 * @example
 * ```ts
 * import { statusOfProblem } from 'pay-invoice/checkout-api';
 *
 * const body = { type: 'about:blank', title: 'It is paid', status: statusOfProblem('already_paid'), code: 'already_paid' };
 * new Response(JSON.stringify(body), { status: body.status });
 * ```
 */
export function statusOfProblem(code: ProblemCode): number {
  return statusByCode[code];
}
