import type { ProblemCode } from './problem-codes.ts';

// The calls of the checkout API and all responses to each (docs/checkout-api.md). The OpenAPI document is generated from
// this list, and the conformance run accepts no other response.

/** The headers of a response. */
export type AnswerHeader = 'ETag' | 'Cache-Control' | 'Retry-After';

/** A response to a call. */
export interface KnownAnswer {
  readonly status: number;
  readonly when: string;
  readonly body: 'checkout' | 'problem' | 'nothing';
  /** The possible codes of a problem document with this status; empty when the body is not a problem document. */
  readonly codes: readonly ProblemCode[];
  readonly headers: readonly AnswerHeader[];
}

/** One of the calls. */
export interface Call {
  readonly method: 'GET' | 'POST';
  /** The path below the endpoint, with parameters in braces as in OpenAPI. */
  readonly path: string;
  readonly answers: readonly KnownAnswer[];
}

function checkoutAnswer(status: number, when: string, headers: readonly AnswerHeader[] = []): KnownAnswer {
  return { status, when, body: 'checkout', codes: [], headers };
}

function emptyAnswer(status: number, when: string, headers: readonly AnswerHeader[] = []): KnownAnswer {
  return { status, when, body: 'nothing', codes: [], headers };
}

function problemAnswer(status: number, codes: readonly ProblemCode[], when: string): KnownAnswer {
  const isLater = status === 429 || status === 503;
  return { status, when, body: 'problem', codes, headers: isLater ? ['Retry-After'] : [] };
}

/** The possible responses to every call. */
const commonAnswers: readonly KnownAnswer[] = [
  problemAnswer(
    404,
    ['not_found'],
    'There is no such checkout: unknown, expired, cut or malformed, always the same answer.',
  ),
  problemAnswer(429, ['rate_limited'], 'Too many calls.'),
  problemAnswer(500, ['internal'], 'The backend failed; `trace_id` finds it in its log.'),
  problemAnswer(503, ['try_again'], 'The service is away; nothing is lost, nothing was charged.'),
];

/** The three calls of the checkout API. */
export const calls = {
  readCheckout: {
    method: 'GET',
    path: '/{checkout}',
    answers: [
      checkoutAnswer(200, 'The checkout as it stands.', ['ETag', 'Cache-Control']),
      emptyAnswer(304, 'Nothing that the payer sees has changed.', ['ETag', 'Cache-Control']),
      problemAnswer(400, ['invalid_request'], 'The query is not valid.'),
      ...commonAnswers,
    ],
  },
  createInvoice: {
    method: 'POST',
    path: '/{checkout}/invoice',
    answers: [
      checkoutAnswer(200, 'The same key, or the same method while its invoice can be paid: the same invoice again.'),
      checkoutAnswer(201, 'An invoice was created.'),
      checkoutAnswer(
        202,
        'It is not known yet whether the service created an invoice: repeat the request with the same key.',
        ['Retry-After'],
      ),
      problemAnswer(400, ['invalid_request'], 'The body or the `Idempotency-Key` is missing or not valid.'),
      problemAnswer(403, ['invalid_request'], 'The request comes from a page of another site.'),
      problemAnswer(408, ['invalid_request'], 'The body did not arrive in time.'),
      problemAnswer(
        409,
        ['invoice_pending', 'already_paid', 'checkout_closed', 'idempotency_mismatch'],
        'Another invoice may still be paid and `replace` is not true; or the checkout is paid; or the merchant closed it, or its `expires_at` has passed; or the key came before with another body.',
      ),
      problemAnswer(413, ['invalid_request'], 'The body is too large.'),
      problemAnswer(415, ['invalid_request'], 'The body is not `application/json`.'),
      problemAnswer(
        422,
        ['method_unavailable', 'amount_out_of_limits', 'amount_required'],
        'The method cannot be used, or the amount is outside of its limits (`min_amount`, `max_amount` where known), or one is needed.',
      ),
      ...commonAnswers,
    ],
  },
  notify: {
    method: 'POST',
    path: '/{checkout}/hook/{secret}',
    answers: [emptyAnswer(204, 'The secret is right: the invoice will be fetched.'), ...commonAnswers],
  },
} as const satisfies Readonly<Record<string, Call>>;

export type CallName = keyof typeof calls;
