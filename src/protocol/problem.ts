import { z } from 'zod';
import { decimal } from '../contract/decimal.ts';
import { problemCodes, type ProblemCode } from './problem-code.ts';

const statuses: Readonly<Record<ProblemCode, number>> = {
  not_found: 404,
  invalid_request: 400,
  invoice_pending: 409,
  already_paid: 409,
  idempotency_mismatch: 409,
  method_unavailable: 422,
  amount_out_of_limits: 422,
  amount_required: 422,
  rate_limited: 429,
  try_again: 503,
  internal: 500,
};

/** The usual HTTP status of a problem; an `invalid_request` may also be 403, 405, 408, 413 or 415. */
export function statusOfProblem(code: ProblemCode): number {
  return statuses[code];
}

/** A problem document, RFC 9457 (docs/checkout-api.md, "Errors"). */
export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(problemCodes),
    detail: z.string().optional(),
    min_amount: decimal.optional(),
    max_amount: decimal.optional(),
    trace_id: z.string().optional(),
  })
  .meta({ id: 'Problem', description: 'A problem document, RFC 9457.' });
export type Problem = z.output<typeof problem>;
