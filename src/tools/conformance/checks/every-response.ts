import { compareDecimals } from '../../../base/decimal.ts';
import { parseTimestamp } from '../../../service-api/scalars.ts';
import { calls, type Call, type Checkout } from '../../../checkout-api.ts';
import { check, type CheckContext, type CheckGroup } from '../check.ts';
import { decodeQrCode } from '../decode-qr-code.ts';
import { checkoutIn, expect, expectCheckout, expectMediaType, NotRun, Violation } from '../expect.ts';
import { problemOf, type Exchange } from '../backend-client.ts';

// Rules for every response. These checks read all exchanges of the run, so they come last.

/** Judges the answers to the calls of the API to which a rule applies. Throws `NotRun` when there are none. */
const eachAnswer =
  (isCovered: (exchange: Exchange) => boolean, judge: (exchange: Exchange) => void) =>
  ({ run: { backend } }: CheckContext): void => {
    const exchanges = backend.log.filter((exchange) => exchange.call !== undefined && isCovered(exchange));
    if (exchanges.length === 0) throw new NotRun('there was no such response');
    for (const exchange of exchanges) judge(exchange);
  };

/** Judges each checkout that the run received, in order. Throws `NotRun` when there is none. */
const eachCheckout =
  (judge: (exchange: Exchange, checkout: Checkout) => void) =>
  ({ run: { backend } }: CheckContext): void => {
    let count = 0;
    for (const exchange of backend.log) {
      const checkout = exchange.status < 300 ? checkoutIn(exchange) : undefined;
      if (checkout === undefined) continue;
      count += 1;
      judge(exchange, checkout);
    }
    if (count === 0) throw new NotRun('there was no checkout in any response');
  };

/** Throws a `Violation` when a response of the run exposes something. */
function expectNowhere({ run }: CheckContext, name: string, exposes: (exchange: Exchange) => boolean): void {
  const exposing = run.backend.log.find(exposes);
  expect(exposing === undefined, `no ${name}`, `${name} in a response`, exposing);
}

/** The content of a checkout that its ETag must cover: all but the clock fields and `service_status`. */
function textCoveredByETag({ invoice, ...checkout }: Checkout): string {
  const uncovered = { expires_in_ms: undefined, checked_at: undefined, service_status: undefined };
  const coveredInvoice = invoice && { ...invoice, ...uncovered };
  return JSON.stringify({ ...checkout, server_time: undefined, invoice: coveredInvoice });
}

const bodyAndHeaders = ({ text, headers }: Exchange): string => `${text}\n${[...headers].flat().join('\n')}`;

const secretName = /bearer\s+[\w.~+/-]{8,}|hook_url|hook_secret|access_token/i;

/** Matches text that only a stack trace, an SQL error or a file path contains. */
const internalText =
  /\bat .+:\d+:\d+\)?|Traceback \(most recent|SQLSTATE|syntax error at or near|stack ?trace|node_modules|\/vendor\/|\.php on line|panic: |goroutine \d+/i;

export const everyResponseChecks: CheckGroup = {
  title: 'Every response of this run',
  checkoutKind: 'none',
  checks: [
    check(
      'answers.known',
      'answers only with the HTTP statuses and codes that the API defines',
      'See the table of responses in docs/openapi/checkout.json; the widget takes any other as "try again" or "not known".',
      eachAnswer(
        () => true,
        (exchange) => {
          if (exchange.call === undefined) return;
          const { answers: responses }: Call = calls[exchange.call];
          const code = problemOf(exchange)?.code;
          const isDefined = responses.some(
            ({ status, codes }) =>
              status === exchange.status && (codes.length === 0 || (code !== undefined && codes.includes(code))),
          );
          expect(isDefined, `one of HTTP ${responses.map(({ status }) => status).join(', ')} with its codes`, exchange);
        },
      ),
    ),
    check(
      'answers.problems',
      'answers every error with a problem document that has the HTTP status and a code that the API defines',
      'Answer {"type":"about:blank","title","status","code"} as application/problem+json; `status` is the HTTP status.',
      eachAnswer(
        ({ status }) => status >= 400,
        (exchange) => {
          expectMediaType(exchange, 'application/problem+json');
          const problem = problemOf(exchange);
          expect(problem !== undefined, 'type, title, status and a code of the closed set', exchange);
          expect(problem.status === exchange.status, `\`status\` ${exchange.status}`, String(problem.status), exchange);
          expect(problem.type === 'about:blank', '`type` "about:blank"', problem.type, exchange);
          expect(exchange.status !== 500 || problem.trace_id !== undefined, 'a trace_id with 500', 'none', exchange);
        },
      ),
    ),
    check(
      'answers.checkouts',
      'answers every successful read or write with a complete checkout as application/json',
      'Build the responses to reads and writes with the same function.',
      eachAnswer(
        ({ call, status }) => call !== 'notify' && status >= 200 && status < 300,
        (exchange) => {
          expectCheckout(exchange, exchange.status);
          expectMediaType(exchange, 'application/json');
        },
      ),
    ),
    check(
      'answers.no_store',
      'sends Cache-Control: no-store with every checkout',
      'Send Cache-Control: no-store with 200 and with 304.',
      eachAnswer(
        ({ call, status }) => call === 'readCheckout' && (status === 200 || status === 304),
        (exchange) => {
          const value = exchange.headers.get('cache-control') ?? 'none';
          const isUnstored = value.split(',').some((one) => one.trim().toLowerCase() === 'no-store');
          expect(isUnstored, 'Cache-Control: no-store', `${value} with HTTP ${exchange.status}`, exchange);
        },
      ),
    ),
    check(
      'answers.etag',
      'never sends the same ETag with another poll_after_ms, or with other content that the payer sees',
      'Let the ETag cover everything but server_time, expires_in_ms, checked_at and service_status: a 304 has no body that could bring the new value.',
      (context) => {
        const firstTexts = new Map<string, string>();
        eachCheckout((exchange, checkout) => {
          const etag = exchange.headers.get('etag');
          if (exchange.call !== 'readCheckout' || etag === null) return;
          const key = JSON.stringify([exchange.capability, exchange.request, etag]);
          const text = textCoveredByETag(checkout);
          const firstText = firstTexts.get(key) ?? text;
          firstTexts.set(key, firstText);
          expect(text === firstText, `another ETag than for ${firstText}`, text, exchange);
        })(context);
        if (firstTexts.size === 0) throw new NotRun('there was no ETag in any response');
      },
    ),
    check(
      'answers.retry_after',
      'sends Retry-After with 202, 429 and 503',
      'Send Retry-After in whole seconds.',
      eachAnswer(
        ({ status }) => [202, 429, 503].includes(status),
        (exchange) => {
          const value = exchange.headers.get('retry-after') ?? '';
          const isValid = /^\d+$/.test(value) || !Number.isNaN(Date.parse(value));
          expect(isValid, `Retry-After with HTTP ${exchange.status}`, value === '' ? 'none' : value, exchange);
        },
      ),
    ),
    check(
      'answers.terms',
      'never changes the amount, currency, description, mode or return URLs of a checkout',
      'Read these values from the order for each response.',
      (context) => {
        const firstTexts = new Map<string, string>();
        eachCheckout((exchange, checkout) => {
          const { amount, amount_limits, currency, description, test, return_urls } = checkout;
          const text = JSON.stringify({ amount, amount_limits, currency, description, test, return_urls });
          const firstText = firstTexts.get(exchange.capability) ?? text;
          firstTexts.set(exchange.capability, firstText);
          expect(text === firstText, firstText, text, exchange);
        })(context);
      },
    ),
    check(
      'answers.amount',
      'shows only invoices whose amount is that of the checkout',
      'Offer an invoice only when its amount equals the amount of the order as a decimal.',
      eachCheckout((exchange, { amount, invoice }) => {
        const hasOrderAmount = amount === null || invoice === null || compareDecimals(amount, invoice.amount) === 0;
        expect(hasOrderAmount, `an invoice for ${amount}`, invoice?.amount ?? '', exchange);
      }),
    ),
    check(
      'answers.clock',
      'has an expires_in_ms that agrees with expires_at and server_time',
      'expires_in_ms is expires_at less server_time, and 0 once the deadline has passed.',
      (context) => {
        let count = 0;
        eachCheckout((exchange, { invoice, server_time }) => {
          if (invoice?.expires_at === undefined) return;
          count += 1;
          const remainingMs = (parseTimestamp(invoice.expires_at) ?? 0) - (parseTimestamp(server_time) ?? 0);
          const expectedMs = Math.max(0, remainingMs);
          const agrees = Math.abs((invoice.expires_in_ms ?? Number.NaN) - expectedMs) <= 1000;
          expect(agrees, `expires_in_ms ${expectedMs}`, String(invoice.expires_in_ms ?? 'none'), exchange);
        })(context);
        if (count === 0) throw new NotRun('there was no invoice with a deadline');
      },
    ),
    check(
      'answers.qr',
      'sends only QR codes that contain nspk_url, where it sends any',
      'Draw nspk_url unchanged, one bit for each module, row by row without a quiet zone; or leave `qr` out.',
      eachCheckout((exchange, { invoice }) => {
        const isRight = !invoice?.qr || decodeQrCode(invoice.qr) === invoice.nspk_url;
        expect(isRight, 'the code of nspk_url', 'another text, or no code', exchange);
      }),
    ),
    check(
      'answers.paid_final',
      'never answers with another status after "paid"',
      'Never overwrite "paid".',
      (context) => {
        const paidAt = new Map<string, number>();
        eachCheckout((exchange, checkout) => {
          const paidSince = paidAt.get(exchange.capability);
          if (checkout.status === 'paid')
            paidAt.set(exchange.capability, Math.min(paidSince ?? Infinity, exchange.respondedAt));
          else if (paidSince !== undefined && exchange.sentAt > paidSince)
            throw new Violation('"paid" as before', `"${checkout.status}"`, exchange);
        })(context);
        if (paidAt.size === 0) throw new NotRun('no checkout was paid');
      },
    ),
    check(
      'answers.token',
      'never includes the access token of the invoice service in a response',
      "Build the response from the schema's members alone; never pass on what the service gave.",
      (context) => {
        const { token } = context.run.secrets;
        if (token === undefined) throw new NotRun('the token is not known: give it in INVOICE_ACCESS_TOKEN');
        expectNowhere(context, 'token', (exchange) => bodyAndHeaders(exchange).includes(token));
      },
    ),
    check(
      'answers.hook_secret',
      'never includes the webhook URL, or a member that is named like a secret, in a response',
      "Build the response from the schema's members alone; never pass on a row of the database.",
      (context) => {
        const secretTexts = [...context.run.secrets.hooks].flatMap((hook) => [hook, hook.split('/').at(-1) ?? hook]);
        expectNowhere(context, 'secret', (exchange) => {
          const text = bodyAndHeaders(exchange);
          return secretName.test(text) || secretTexts.some((one) => text.includes(one));
        });
      },
    ),
    check(
      'answers.inner_text',
      'never includes stack traces, queries or file paths in a response',
      'Catch everything at the edge, log it under a trace_id, and answer the bare code.',
      (context) => expectNowhere(context, 'stack, query or path', (exchange) => internalText.test(exchange.text)),
    ),
  ],
};
