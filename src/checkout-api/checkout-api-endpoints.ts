import type { ProblemCode } from './problem-codes.ts';

// The calls of the checkout API and all responses to each (docs/checkout-api.md). The OpenAPI document is generated from
// this list. The conformance run accepts no response that is not in this list.

/** The headers that a response has besides those of every response. */
export type AnswerHeader = 'ETag' | 'Cache-Control' | 'Retry-After';

/** One of the possible responses to a call. */
export interface KnownAnswer {
  readonly status: number;
  readonly when: string;
  readonly body: 'checkout' | 'problem' | 'nothing';
  /** The possible codes of a problem document with this status; empty when the body is not a problem document. */
  readonly codes: readonly ProblemCode[];
  readonly headers: readonly AnswerHeader[];
}

/** A call of the checkout API. */
export interface Call {
  readonly method: 'GET' | 'POST';
  /** The path below the endpoint, with parameters in braces as in OpenAPI. */
  readonly path: string;
  readonly answers: readonly KnownAnswer[];
}

function checkoutResponse(status: number, when: string, headers: readonly AnswerHeader[] = []): KnownAnswer {
  return { status, when, body: 'checkout', codes: [], headers: ['ETag', ...headers] };
}

function emptyResponse(status: number, when: string, headers: readonly AnswerHeader[] = []): KnownAnswer {
  return { status, when, body: 'nothing', codes: [], headers };
}

function problemResponse(status: number, codes: readonly ProblemCode[], when: string): KnownAnswer {
  const hasRetryAfter = status === 429 || status === 503;
  return { status, when, body: 'problem', codes, headers: hasRetryAfter ? ['Retry-After'] : [] };
}

/** Responses that every call may have. */
const commonResponses: readonly KnownAnswer[] = [
  problemResponse(
    404,
    ['not_found'],
    'There is no such checkout. The response does not tell apart unknown, expired, cut and malformed capabilities.',
  ),
  problemResponse(429, ['rate_limited'], 'Too many calls.'),
  problemResponse(500, ['internal'], 'The backend failed; its log has a line with the same `trace_id`.'),
  problemResponse(503, ['try_again'], 'The service does not answer. Nothing is lost, nothing was charged.'),
];

/** The three calls of the checkout API. */
export const calls = {
  readCheckout: {
    method: 'GET',
    path: '/{checkout}',
    answers: [
      checkoutResponse(200, 'The checkout as it stands.', ['Cache-Control']),
      emptyResponse(304, 'Nothing that the payer sees has changed.', ['ETag', 'Cache-Control']),
      problemResponse(400, ['invalid_request'], 'The query is not valid.'),
      ...commonResponses,
    ],
  },
  createInvoice: {
    method: 'POST',
    path: '/{checkout}/invoice',
    answers: [
      checkoutResponse(
        200,
        'The existing invoice: the key was used before, or an invoice of the same method can still be paid.',
      ),
      checkoutResponse(201, 'An invoice was created.'),
      checkoutResponse(
        202,
        'It is not known yet whether the service created an invoice: repeat the request with the same key.',
        ['Retry-After'],
      ),
      problemResponse(400, ['invalid_request'], 'The body or the `Idempotency-Key` is missing or not valid.'),
      problemResponse(403, ['invalid_request'], 'The request comes from a page of another site.'),
      problemResponse(408, ['invalid_request'], 'The body did not arrive in time.'),
      problemResponse(
        409,
        ['invoice_pending', 'already_paid', 'checkout_closed', 'idempotency_mismatch'],
        'Another invoice may still be paid and `replace` is not true; or the checkout is paid; or the merchant closed it, or its `expires_at` has passed; or the key was used before with another body.',
      ),
      problemResponse(413, ['invalid_request'], 'The body is too large.'),
      problemResponse(415, ['invalid_request'], 'The body is not `application/json`.'),
      problemResponse(
        422,
        ['method_unavailable', 'amount_out_of_limits', 'amount_required'],
        'The method cannot be used, or the amount is outside of its limits (`min_amount`, `max_amount` where known), or the amount is missing.',
      ),
      ...commonResponses,
    ],
  },
  notify: {
    method: 'POST',
    path: '/{checkout}/hook/{secret}',
    answers: [emptyResponse(204, 'The secret is valid: the invoice will be fetched.'), ...commonResponses],
  },
} as const satisfies Readonly<Record<string, Call>>;

export type CallName = keyof typeof calls;
