/** The codes of the standalone server's problems, with their HTTP status and title. */
const kinds = {
  invalid_request: [400, 'The request is not valid'],
  unauthorized: [401, 'The admin token is missing or wrong'],
  not_found: [404, 'There is nothing here'],
  order_conflict: [409, 'The order has a checkout with other parameters'],
  rate_limited: [429, 'Too many requests with a wrong token'],
  internal: [500, 'Something went wrong'],
  try_again: [503, 'Try again later'],
} as const;

interface ProblemFacts {
  /** The HTTP status of an `invalid_request` that is not a 400. */
  readonly status?: 405 | 408 | 413 | 415;
  readonly detail?: string;
  readonly traceId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that cannot be served. It is answered with a problem document (RFC 9457). */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: keyof typeof kinds;
  readonly facts: ProblemFacts;

  constructor(code: keyof typeof kinds, facts: ProblemFacts = {}) {
    super(code);
    this.code = code;
    this.facts = facts;
  }

  toResponse(): Response {
    const [usual, title] = kinds[this.code];
    const { status = usual, detail, traceId, headers } = this.facts;
    const document = { type: 'about:blank', title, status, code: this.code, detail, trace_id: traceId };
    return Response.json(document, { status, headers: { 'content-type': 'application/problem+json', ...headers } });
  }
}
