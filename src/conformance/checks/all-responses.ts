import { compareDecimals } from '../../base/decimal.ts';
import { issueText } from '../../base/zod-issue-text.ts';
import { parseTimestamp } from '../../contract/scalars.ts';
import { calls, checkout as checkoutSchema, type Call, type Checkout } from '../../protocol.ts';
import type { Check, Group, CheckContext } from '../check.ts';
import { expect, Violation, NotRun } from '../violation.ts';
import { isJsonType, isProblemType, problemOf, type Exchange } from '../backend-client.ts';

// Rules for every answer. These checks read all exchanges of the run.

/** Returns the items. Throws `NotRun` with the reason when there are none. */
function atLeastOne<T>(items: readonly T[], reason: string): readonly T[] {
  if (items.length === 0) throw new NotRun(reason);
  return items;
}

/** The answers to the calls of the API to which a rule applies. Throws `NotRun` when there are none. */
function answersOf({ backend }: CheckContext, isCovered: (exchange: Exchange) => boolean): readonly Exchange[] {
  const covered = backend.log.filter((exchange) => exchange.call !== undefined && isCovered(exchange));
  return atLeastOne(covered, 'there was no such answer');
}

interface ExchangeWithCheckout {
  readonly exchange: Exchange;
  readonly seen: Checkout;
}

function exchangesWithCheckout({ backend }: CheckContext): readonly ExchangeWithCheckout[] {
  const all = backend.log.flatMap((exchange) => {
    const seen = exchange.status < 300 ? checkoutSchema.safeParse(exchange.json).data : undefined;
    return seen === undefined ? [] : [{ exchange, seen }];
  });
  return atLeastOne(all, 'there was no checkout in any answer');
}

const known: Check = {
  id: 'answers.known',
  clause: 'The answers of each call',
  rule: 'answers only with the HTTP statuses and codes that the API defines',
  fix: 'See the table of answers in docs/openapi/checkout.json; the widget takes any other as "try again" or "not known".',
  run(context) {
    for (const exchange of answersOf(context, () => true)) {
      if (exchange.call === undefined) continue;
      const { answers }: Call = calls[exchange.call];
      const code = problemOf(exchange)?.code;
      const isKnown = answers.some(
        ({ status, codes }) =>
          status === exchange.status && (codes.length === 0 || (code !== undefined && codes.includes(code))),
      );
      expect(isKnown, `one of HTTP ${answers.map(({ status }) => status).join(', ')} with its codes`, exchange);
    }
  },
};

const problems: Check = {
  id: 'answers.problems',
  clause: 'Errors: RFC 9457 application/problem+json',
  rule: 'answers every error with a problem document that has the HTTP status and a code that the API defines',
  fix: 'Answer {"type":"about:blank","title","status","code"} as application/problem+json; `status` is the HTTP status.',
  run(context) {
    for (const exchange of answersOf(context, ({ status }) => status >= 400)) {
      expect(isProblemType(exchange), 'Content-Type: application/problem+json', exchange);
      const problem = problemOf(exchange);
      expect(problem !== undefined, 'type, title, status and a code of the closed set', exchange);
      expect(problem.status === exchange.status, `\`status\` ${exchange.status}`, String(problem.status), exchange);
      expect(problem.type === 'about:blank', '`type` "about:blank"', problem.type, exchange);
      expect(exchange.status !== 500 || problem.trace_id !== undefined, 'a trace_id with 500', 'none', exchange);
    }
  },
};

const checkouts: Check = {
  id: 'answers.checkouts',
  clause: 'GET and POST: the checkout',
  rule: 'answers every successful read or write with a complete checkout as application/json',
  fix: 'Answer reads and writes by the same function.',
  run(context) {
    const isCovered = ({ call, status }: Exchange): boolean => call !== 'notify' && status >= 200 && status < 300;
    for (const exchange of answersOf(context, isCovered)) {
      const { error } = checkoutSchema.safeParse(exchange.json);
      const [issue] = error?.issues ?? [];
      if (issue) throw new Violation('a checkout as its schema says', issueText(issue, 'body'), exchange);
      expect(isJsonType(exchange), 'Content-Type: application/json', exchange);
    }
  },
};

const noStore: Check = {
  id: 'answers.no_store',
  clause: 'GET: Cache-Control: no-store',
  rule: 'sends Cache-Control: no-store with every checkout',
  fix: 'Send Cache-Control: no-store with 200 and with 304.',
  run(context) {
    const isCovered = ({ call, status }: Exchange): boolean =>
      call === 'readCheckout' && (status === 200 || status === 304);
    for (const exchange of answersOf(context, isCovered)) {
      const value = exchange.headers.get('cache-control') ?? 'none';
      const directives = value.split(',').map((one) => one.trim().toLowerCase());
      expect(
        directives.includes('no-store'),
        'Cache-Control: no-store',
        `${value} with HTTP ${exchange.status}`,
        exchange,
      );
    }
  },
};

const etags: Check = {
  id: 'answers.etag',
  clause: 'Rules of HTTP: `poll_after_ms` changes while nothing else does, the ETag changes too',
  rule: 'never sends the same ETag with another poll_after_ms, or with other content that the payer sees',
  fix: 'Let the ETag cover everything but server_time, expires_in_ms and service_status: a 304 has no body that could bring the new value.',
  run(context) {
    const first = new Map<string, string>();
    for (const { exchange, seen } of exchangesWithCheckout(context)) {
      const etag = exchange.headers.get('etag');
      if (exchange.call !== 'readCheckout' || etag === null) continue;
      const name = JSON.stringify([exchange.checkout, exchange.request, etag]);
      const now = visibleText(seen);
      const before = first.get(name) ?? now;
      first.set(name, before);
      expect(now === before, `another ETag than for ${before}`, now, exchange);
    }
    if (first.size === 0) throw new NotRun('there was no ETag in any answer');
  },
};

/** What an ETag covers. */
function visibleText({ invoice, ...seen }: Checkout): string {
  const visible = invoice && { ...invoice, expires_in_ms: undefined, service_status: undefined };
  return JSON.stringify({ ...seen, server_time: undefined, invoice: visible });
}

const retryAfter: Check = {
  id: 'answers.retry_after',
  clause: 'POST: 202, 429 and 503 with Retry-After',
  rule: 'sends Retry-After with 202, 429 and 503',
  fix: 'Send Retry-After in whole seconds.',
  run(context) {
    for (const exchange of answersOf(context, ({ status }) => [202, 429, 503].includes(status))) {
      const value = exchange.headers.get('retry-after') ?? '';
      const isRight = /^\d+$/.test(value) || !Number.isNaN(Date.parse(value));
      expect(isRight, `Retry-After with HTTP ${exchange.status}`, value === '' ? 'none' : value, exchange);
    }
  },
};

const fixedMembers: Check = {
  id: 'answers.terms',
  clause: 'The price, the currency, the description and the return URLs come from the order',
  rule: 'never changes the amount, currency, description, mode or return URLs of a checkout',
  fix: 'Take them from the order in each answer.',
  run(context) {
    const first = new Map<string, string>();
    for (const { exchange, seen } of exchangesWithCheckout(context)) {
      const { amount, amount_limits, currency, description, test, return_urls } = seen;
      const now = JSON.stringify({ amount, amount_limits, currency, description, test, return_urls });
      const before = first.get(exchange.checkout) ?? now;
      first.set(exchange.checkout, before);
      expect(now === before, before, now, exchange);
    }
  },
};

const amount: Check = {
  id: 'answers.amount',
  clause: 'The invoice: amount',
  rule: 'shows only invoices whose amount is that of the checkout',
  fix: 'Offer an invoice only when its amount equals the amount of the order as a decimal.',
  run(context) {
    for (const { exchange, seen } of exchangesWithCheckout(context)) {
      if (seen.amount === null || seen.invoice === null) continue;
      const isSame = compareDecimals(seen.amount, seen.invoice.amount) === 0;
      expect(isSame, `an invoice for ${seen.amount}`, seen.invoice.amount, exchange);
    }
  },
};

const clock: Check = {
  id: 'answers.clock',
  clause: 'The invoice: expires_in_ms by the clock of the server when it answered',
  rule: 'has an expires_in_ms that agrees with expires_at and server_time',
  fix: 'expires_in_ms is expires_at less server_time, and 0 once the deadline has passed.',
  run(context) {
    const timed = exchangesWithCheckout(context).flatMap(({ exchange, seen }) =>
      seen.invoice?.expires_at === undefined ? [] : { exchange, seen, made: seen.invoice, at: seen.invoice.expires_at },
    );
    for (const { exchange, seen, made, at } of atLeastOne(timed, 'there was no invoice with a deadline')) {
      const expectedMs = Math.max(0, (parseTimestamp(at) ?? 0) - (parseTimestamp(seen.server_time) ?? 0));
      const off = Math.abs((made.expires_in_ms ?? Number.NaN) - expectedMs);
      expect(off <= 1000, `expires_in_ms ${expectedMs}`, String(made.expires_in_ms ?? 'none'), exchange);
    }
  },
};

const paidFinal: Check = {
  id: 'answers.paid_final',
  clause: 'GET: paid is final',
  rule: 'never answers with another status after "paid"',
  fix: 'Never overwrite "paid".',
  run(context) {
    const paidAt = new Map<string, number>();
    for (const { exchange, seen } of exchangesWithCheckout(context)) {
      const since = paidAt.get(exchange.checkout);
      if (seen.status === 'paid') paidAt.set(exchange.checkout, Math.min(since ?? Infinity, exchange.answeredAt));
      else if (since !== undefined && exchange.sentAt > since)
        throw new Violation('"paid" as before', `"${seen.status}"`, exchange);
    }
    if (paidAt.size === 0) throw new NotRun('no checkout was paid');
  },
};

const bodyAndHeaders = ({ text, headers }: Exchange): string => `${text}\n${[...headers].flat().join('\n')}`;

const token: Check = {
  id: 'answers.token',
  clause: 'The widget never sees the token of the service',
  rule: 'never includes the access token of the invoice service in an answer',
  fix: "Build the answer from the schema's members alone; never pass on what the service gave.",
  run({ backend, secrets }) {
    const value = secrets.token;
    if (value === undefined) throw new NotRun('the token is not known: give it in INVOICE_ACCESS_TOKEN');
    const found = backend.log.find((exchange) => bodyAndHeaders(exchange).includes(value));
    expect(found === undefined, 'no token', 'the token in an answer', found);
  },
};

const hookSecret: Check = {
  id: 'answers.hook_secret',
  clause: 'POST hook: the secret',
  rule: 'never includes the webhook URL, or a member that is named like a secret, in an answer',
  fix: "Build the answer from the schema's members alone; never pass on a row of the database.",
  run({ backend, secrets }) {
    const parts = [...secrets.hooks].flatMap((hook) => [hook, hook.split('/').at(-1) ?? hook]);
    const found = backend.log.find((exchange) => {
      const text = bodyAndHeaders(exchange);
      return (
        /bearer\s+[\w.~+/-]{8,}|hook_url|hook_secret|access_token/i.test(text) ||
        parts.some((one) => text.includes(one))
      );
    });
    expect(found === undefined, 'no secret', 'one in an answer', found);
  },
};

/** Text that only a stack trace, an SQL error or a path of a program contains. */
const internalText =
  /\bat .+:\d+:\d+\)?|Traceback \(most recent|SQLSTATE|syntax error at or near|stack ?trace|node_modules|\/vendor\/|\.php on line|panic: |goroutine \d+/i;

const internal: Check = {
  id: 'answers.inner_text',
  clause: 'Errors: internal (500, with a trace_id and no inner text)',
  rule: 'never includes stack traces, queries or file paths in an answer',
  fix: 'Catch everything at the edge, log it under a trace_id, and answer the bare code.',
  run(context) {
    const found = context.backend.log.find((exchange) => internalText.test(exchange.text));
    expect(found === undefined, 'no stack, no query, no path', 'inner text in an answer', found);
  },
};

export const allResponses: Group = {
  title: 'Every answer of this run',
  checkout: 'none',
  checks: [
    known,
    problems,
    checkouts,
    noStore,
    etags,
    retryAfter,
    fixedMembers,
    amount,
    clock,
    paidFinal,
    token,
    hookSecret,
    internal,
  ],
};
