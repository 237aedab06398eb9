import { retryAfter } from '../../base/retry-after.ts';
import { statusOfProblem, type Problem, type ProblemCode } from '../../checkout-api.ts';

const titles: Readonly<Record<ProblemCode, string>> = {
  not_found: 'There is no such checkout',
  invalid_request: 'The request is not valid',
  invoice_pending: 'Another invoice of this checkout may still be paid',
  already_paid: 'The checkout is paid',
  checkout_closed: 'The checkout is closed',
  idempotency_mismatch: 'The idempotency key came before with another body',
  method_unavailable: 'The payment method is not available',
  amount_out_of_limits: 'The amount is outside of the limits',
  amount_required: 'The amount is missing',
  rate_limited: 'Too many requests',
  try_again: 'Try again later',
  internal: 'Something went wrong',
};

/** Members of a problem besides its code. */
export interface ProblemFacts {
  /** The HTTP status of an `invalid_request`; 400 when omitted. */
  readonly status?: 400 | 403 | 405 | 408 | 413 | 415;
  readonly detail?: string;
  readonly min_amount?: string | undefined;
  readonly max_amount?: string | undefined;
  readonly trace_id?: string;
  readonly retryAfterMs?: number | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error of the checkout API. The router turns it into a problem response. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: ProblemCode;
  readonly facts: ProblemFacts;

  constructor(code: ProblemCode, facts: ProblemFacts = {}) {
    super(code);
    this.code = code;
    this.facts = facts;
  }
}

/** The response with a problem document, RFC 9457 (docs/checkout-api.md, "Errors"). */
export function problemResponse({ code, facts }: ProblemError): Response {
  const { detail, min_amount, max_amount, trace_id, retryAfterMs } = facts;
  const status = facts.status ?? statusOfProblem(code);
  const title = titles[code];
  const document: Problem = { type: 'about:blank', title, status, code, detail, min_amount, max_amount, trace_id };
  const headers = {
    'content-type': 'application/problem+json',
    ...(retryAfterMs === undefined ? {} : retryAfter(retryAfterMs)),
    ...facts.headers,
  };
  return Response.json(document, { status, headers });
}
