import { compareDecimals } from '../../../base/decimal.ts';
import { parseTimestamp } from '../../../service-api/scalars.ts';
import { calls, type Call, type Checkout } from '../../../checkout-api.ts';
import type { CheckContext, CheckGroup } from '../check.ts';
import { decodeQrCode } from '../decode-qr-code.ts';
import { checkoutIn, expect, expectCheckout, NotRun, Violation } from '../expect.ts';
import { isJsonType, isProblemType, problemOf, type Exchange } from '../backend-client.ts';

// Rules for every response. These checks read all exchanges of the run, so they come last.

/** Returns the items. Throws `NotRun` with the reason when there are none. */
function requireItems<T>(items: readonly T[], reason: string): readonly T[] {
  if (items.length === 0) throw new NotRun(reason);
  return items;
}

/** The answers to the calls of the API to which a rule applies. Throws `NotRun` when there are none. */
function findApiExchanges(
  { run: { backend } }: CheckContext,
  isCovered: (exchange: Exchange) => boolean,
): readonly Exchange[] {
  const exchanges = backend.log.filter((exchange) => exchange.call !== undefined && isCovered(exchange));
  return requireItems(exchanges, 'there was no such response');
}

interface ExchangeWithCheckout {
  readonly exchange: Exchange;
  readonly checkout: Checkout;
}

function findExchangesWithCheckout({ run: { backend } }: CheckContext): readonly ExchangeWithCheckout[] {
  const exchanges = backend.log.flatMap((exchange) => {
    const checkout = exchange.status < 300 ? checkoutIn(exchange) : undefined;
    return checkout === undefined ? [] : [{ exchange, checkout }];
  });
  return requireItems(exchanges, 'there was no checkout in any response');
}

/** The content of a checkout that its ETag must cover: all but the clock fields and `service_status`. */
function textCoveredByETag({ invoice, ...checkout }: Checkout): string {
  const uncovered = { expires_in_ms: undefined, checked_at: undefined, service_status: undefined };
  const coveredInvoice = invoice && { ...invoice, ...uncovered };
  return JSON.stringify({ ...checkout, server_time: undefined, invoice: coveredInvoice });
}

const bodyAndHeaders = ({ text, headers }: Exchange): string => `${text}\n${[...headers].flat().join('\n')}`;

/** Matches text that only a stack trace, an SQL error or a file path contains. */
const internalText =
  /\bat .+:\d+:\d+\)?|Traceback \(most recent|SQLSTATE|syntax error at or near|stack ?trace|node_modules|\/vendor\/|\.php on line|panic: |goroutine \d+/i;

export const everyResponseChecks: CheckGroup = {
  title: 'Every response of this run',
  checkoutKind: 'none',
  checks: [
    {
      id: 'answers.known',
      clause: 'The answers of each call',
      rule: 'answers only with the HTTP statuses and codes that the API defines',
      fix: 'See the table of responses in docs/openapi/checkout.json; the widget takes any other as "try again" or "not known".',
      run(context) {
        for (const exchange of findApiExchanges(context, () => true)) {
          if (exchange.call === undefined) continue;
          const { answers: responses }: Call = calls[exchange.call];
          const code = problemOf(exchange)?.code;
          const isDefined = responses.some(
            ({ status, codes }) =>
              status === exchange.status && (codes.length === 0 || (code !== undefined && codes.includes(code))),
          );
          expect(isDefined, `one of HTTP ${responses.map(({ status }) => status).join(', ')} with its codes`, exchange);
        }
      },
    },
    {
      id: 'answers.problems',
      clause: 'Errors: RFC 9457 application/problem+json',
      rule: 'answers every error with a problem document that has the HTTP status and a code that the API defines',
      fix: 'Answer {"type":"about:blank","title","status","code"} as application/problem+json; `status` is the HTTP status.',
      run(context) {
        for (const exchange of findApiExchanges(context, ({ status }) => status >= 400)) {
          expect(isProblemType(exchange), 'Content-Type: application/problem+json', exchange);
          const problem = problemOf(exchange);
          expect(problem !== undefined, 'type, title, status and a code of the closed set', exchange);
          expect(problem.status === exchange.status, `\`status\` ${exchange.status}`, String(problem.status), exchange);
          expect(problem.type === 'about:blank', '`type` "about:blank"', problem.type, exchange);
          expect(exchange.status !== 500 || problem.trace_id !== undefined, 'a trace_id with 500', 'none', exchange);
        }
      },
    },
    {
      id: 'answers.checkouts',
      clause: 'GET and POST: the checkout',
      rule: 'answers every successful read or write with a complete checkout as application/json',
      fix: 'Build the responses to reads and writes with the same function.',
      run(context) {
        const isCovered = ({ call, status }: Exchange): boolean => call !== 'notify' && status >= 200 && status < 300;
        for (const exchange of findApiExchanges(context, isCovered)) {
          expectCheckout(exchange, exchange.status);
          expect(isJsonType(exchange), 'Content-Type: application/json', exchange);
        }
      },
    },
    {
      id: 'answers.no_store',
      clause: 'GET: Cache-Control: no-store',
      rule: 'sends Cache-Control: no-store with every checkout',
      fix: 'Send Cache-Control: no-store with 200 and with 304.',
      run(context) {
        const isCovered = ({ call, status }: Exchange): boolean =>
          call === 'readCheckout' && (status === 200 || status === 304);
        for (const exchange of findApiExchanges(context, isCovered)) {
          const headerValue = exchange.headers.get('cache-control') ?? 'none';
          const directives = headerValue.split(',').map((one) => one.trim().toLowerCase());
          expect(
            directives.includes('no-store'),
            'Cache-Control: no-store',
            `${headerValue} with HTTP ${exchange.status}`,
            exchange,
          );
        }
      },
    },
    {
      id: 'answers.etag',
      clause: 'Rules of HTTP: `poll_after_ms` changes while nothing else does, the ETag changes too',
      rule: 'never sends the same ETag with another poll_after_ms, or with other content that the payer sees',
      fix: 'Let the ETag cover everything but server_time, expires_in_ms, checked_at and service_status: a 304 has no body that could bring the new value.',
      run(context) {
        const firstTexts = new Map<string, string>();
        for (const { exchange, checkout } of findExchangesWithCheckout(context)) {
          const etag = exchange.headers.get('etag');
          if (exchange.call !== 'readCheckout' || etag === null) continue;
          const key = JSON.stringify([exchange.capability, exchange.request, etag]);
          const text = textCoveredByETag(checkout);
          const firstText = firstTexts.get(key) ?? text;
          firstTexts.set(key, firstText);
          expect(text === firstText, `another ETag than for ${firstText}`, text, exchange);
        }
        if (firstTexts.size === 0) throw new NotRun('there was no ETag in any response');
      },
    },
    {
      id: 'answers.retry_after',
      clause: 'POST: 202, 429 and 503 with Retry-After',
      rule: 'sends Retry-After with 202, 429 and 503',
      fix: 'Send Retry-After in whole seconds.',
      run(context) {
        for (const exchange of findApiExchanges(context, ({ status }) => [202, 429, 503].includes(status))) {
          const value = exchange.headers.get('retry-after') ?? '';
          const isValidRetryAfter = /^\d+$/.test(value) || !Number.isNaN(Date.parse(value));
          expect(
            isValidRetryAfter,
            `Retry-After with HTTP ${exchange.status}`,
            value === '' ? 'none' : value,
            exchange,
          );
        }
      },
    },
    {
      id: 'answers.terms',
      clause: 'The price, the currency, the description and the return URLs come from the order',
      rule: 'never changes the amount, currency, description, mode or return URLs of a checkout',
      fix: 'Read these values from the order for each response.',
      run(context) {
        const firstTexts = new Map<string, string>();
        for (const { exchange, checkout } of findExchangesWithCheckout(context)) {
          const { amount, amount_limits, currency, description, test, return_urls } = checkout;
          const text = JSON.stringify({ amount, amount_limits, currency, description, test, return_urls });
          const firstText = firstTexts.get(exchange.capability) ?? text;
          firstTexts.set(exchange.capability, firstText);
          expect(text === firstText, firstText, text, exchange);
        }
      },
    },
    {
      id: 'answers.amount',
      clause: 'The invoice: amount',
      rule: 'shows only invoices whose amount is that of the checkout',
      fix: 'Offer an invoice only when its amount equals the amount of the order as a decimal.',
      run(context) {
        for (const { exchange, checkout } of findExchangesWithCheckout(context)) {
          if (checkout.amount === null || checkout.invoice === null) continue;
          const hasOrderAmount = compareDecimals(checkout.amount, checkout.invoice.amount) === 0;
          expect(hasOrderAmount, `an invoice for ${checkout.amount}`, checkout.invoice.amount, exchange);
        }
      },
    },
    {
      id: 'answers.clock',
      clause: 'The invoice: expires_in_ms by the clock of the server when it answered',
      rule: 'has an expires_in_ms that agrees with expires_at and server_time',
      fix: 'expires_in_ms is expires_at less server_time, and 0 once the deadline has passed.',
      run(context) {
        const invoicesWithDeadline = findExchangesWithCheckout(context).flatMap(({ exchange, checkout }) =>
          checkout.invoice?.expires_at === undefined
            ? []
            : { exchange, checkout, invoice: checkout.invoice, expiresAt: checkout.invoice.expires_at },
        );
        for (const { exchange, checkout, invoice, expiresAt } of requireItems(
          invoicesWithDeadline,
          'there was no invoice with a deadline',
        )) {
          const expectedMs = Math.max(
            0,
            (parseTimestamp(expiresAt) ?? 0) - (parseTimestamp(checkout.server_time) ?? 0),
          );
          const differenceMs = Math.abs((invoice.expires_in_ms ?? Number.NaN) - expectedMs);
          expect(
            differenceMs <= 1000,
            `expires_in_ms ${expectedMs}`,
            String(invoice.expires_in_ms ?? 'none'),
            exchange,
          );
        }
      },
    },
    {
      id: 'answers.qr',
      clause: 'The invoice: qr',
      rule: 'sends only QR codes that contain nspk_url, where it sends any',
      fix: 'Draw nspk_url unchanged, one bit for each module, row by row without a quiet zone; or leave `qr` out.',
      run(context) {
        const sentCodes = findExchangesWithCheckout(context).flatMap(({ exchange, checkout: { invoice } }) =>
          invoice?.qr ? [{ exchange, qr: invoice.qr, link: invoice.nspk_url }] : [],
        );
        for (const { exchange, qr, link } of sentCodes)
          expect(decodeQrCode(qr) === link, 'the code of nspk_url', 'another text, or no code', exchange);
      },
    },
    {
      id: 'answers.paid_final',
      clause: 'GET: paid is final',
      rule: 'never answers with another status after "paid"',
      fix: 'Never overwrite "paid".',
      run(context) {
        const paidAt = new Map<string, number>();
        for (const { exchange, checkout } of findExchangesWithCheckout(context)) {
          const paidSince = paidAt.get(exchange.capability);
          if (checkout.status === 'paid')
            paidAt.set(exchange.capability, Math.min(paidSince ?? Infinity, exchange.respondedAt));
          else if (paidSince !== undefined && exchange.sentAt > paidSince)
            throw new Violation('"paid" as before', `"${checkout.status}"`, exchange);
        }
        if (paidAt.size === 0) throw new NotRun('no checkout was paid');
      },
    },
    {
      id: 'answers.token',
      clause: 'The widget never sees the token of the service',
      rule: 'never includes the access token of the invoice service in a response',
      fix: "Build the response from the schema's members alone; never pass on what the service gave.",
      run({ run: { backend, secrets } }) {
        const accessToken = secrets.token;
        if (accessToken === undefined) throw new NotRun('the token is not known: give it in INVOICE_ACCESS_TOKEN');
        const exposingExchange = backend.log.find((exchange) => bodyAndHeaders(exchange).includes(accessToken));
        expect(exposingExchange === undefined, 'no token', 'the token in a response', exposingExchange);
      },
    },
    {
      id: 'answers.hook_secret',
      clause: 'POST hook: the secret',
      rule: 'never includes the webhook URL, or a member that is named like a secret, in a response',
      fix: "Build the response from the schema's members alone; never pass on a row of the database.",
      run({ run: { backend, secrets } }) {
        const secretTexts = [...secrets.hooks].flatMap((hook) => [hook, hook.split('/').at(-1) ?? hook]);
        const exposingExchange = backend.log.find((exchange) => {
          const text = bodyAndHeaders(exchange);
          return (
            /bearer\s+[\w.~+/-]{8,}|hook_url|hook_secret|access_token/i.test(text) ||
            secretTexts.some((one) => text.includes(one))
          );
        });
        expect(exposingExchange === undefined, 'no secret', 'a secret in a response', exposingExchange);
      },
    },
    {
      id: 'answers.inner_text',
      clause: 'Errors: internal (500, with a trace_id and no inner text)',
      rule: 'never includes stack traces, queries or file paths in a response',
      fix: 'Catch everything at the edge, log it under a trace_id, and answer the bare code.',
      run(context) {
        const exposingExchange = context.run.backend.log.find((exchange) => internalText.test(exchange.text));
        expect(
          exposingExchange === undefined,
          'no stack, no query, no path',
          'inner text in a response',
          exposingExchange,
        );
      },
    },
  ],
};
