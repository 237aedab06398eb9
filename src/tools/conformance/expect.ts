import { isWithin } from '../../base/decimal.ts';
import { issueText } from '../../base/zod-issue-text.ts';
import { checkout as checkoutSchema, type Checkout, type ProblemCode } from '../../checkout-api.ts';
import { describeExchange, mediaTypeOf, problemOf, type Exchange } from './backend-client.ts';

/** A backend breaks a rule of the checkout API. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly expected: string;
  readonly got: string;
  /** The exchange that broke the rule; when undefined, it is the last exchange of the check. */
  readonly exchange: Exchange | undefined;

  /** `got` is a text, or the response itself. */
  constructor(expected: string, got: string | Exchange, exchange?: Exchange) {
    const text = typeof got === 'string' ? got : describeExchange(got);
    super(`expected ${expected}; got ${text}`);
    this.expected = expected;
    this.got = text;
    this.exchange = typeof got === 'string' ? exchange : got;
  }
}

/** A check could not run because something that it needs is missing. This is no statement about the backend. */
export class NotRun extends Error {
  override readonly name = 'NotRun';
}

/** Throws a `Violation` unless the condition holds. `exchange` is the exchange that breaks the rule, when `got` is a text. */
export function expect(
  condition: boolean,
  expected: string,
  got: string | Exchange,
  exchange?: Exchange,
): asserts condition {
  if (!condition) throw new Violation(expected, got, exchange);
}

/** Returns the checkout of a response. Throws a `Violation` unless the status is one of `statuses` and the body is a checkout. */
export function expectCheckout(exchange: Exchange, ...statuses: readonly number[]): Checkout {
  expect(statuses.includes(exchange.status), `HTTP ${statuses.join(' or ')} and the checkout`, exchange);
  expect(exchange.json !== undefined, 'a checkout in JSON', exchange);
  const { data, error } = checkoutSchema.safeParse(exchange.json);
  if (data !== undefined) return data;
  const issues = error.issues.slice(0, 4).map((issue) => issueText(issue, 'body'));
  throw new Violation('a checkout as its schema says', issues.join('; '), exchange);
}

/** The checkout of a response; undefined when there is none. */
export function checkoutIn({ json }: Exchange): Checkout | undefined {
  return checkoutSchema.safeParse(json).data;
}

/** Throws a `Violation` unless the response is a problem document with one of the statuses and one of the codes. */
export function expectProblem(exchange: Exchange, statuses: readonly number[], codes: readonly ProblemCode[]): void {
  const code = problemOf(exchange)?.code;
  const isExpectedProblem = statuses.includes(exchange.status) && code !== undefined && codes.includes(code);
  expect(isExpectedProblem, `HTTP ${statuses.join(' or ')} ${codes.join(' or ')}`, exchange);
}

/** Throws a `Violation` unless the body has the media type. */
export function expectMediaType(exchange: Exchange, mediaType: string): void {
  expect(mediaTypeOf(exchange) === mediaType, `Content-Type: ${mediaType}`, exchange);
}

/** Throws a `Violation` unless the response is 405 with an `Allow` that lists the method. */
export function expectMethodNotAllowed(exchange: Exchange, method: string): void {
  expectProblem(exchange, [405], ['invalid_request']);
  const allowHeader = exchange.headers.get('allow') ?? 'none';
  const methods = allowHeader.split(',').map((item) => item.trim());
  expect(methods.includes(method), `Allow with ${method}`, allowHeader, exchange);
}

/**
 * Throws a `Violation` unless the checkout has the status and, where `invoice` is given, an invoice or none.
 * @param when - words after the status in what was expected, such as "while the shop checks the amount"
 */
export function expectState(
  checkout: Checkout,
  expectedStatus: Checkout['status'],
  { invoice, when = '' }: { readonly invoice?: boolean; readonly when?: string } = {},
): void {
  const { status, invoice: shownInvoice } = checkout;
  const invoiceText = invoice === undefined ? '' : invoice ? ' with an invoice' : ', no invoice';
  const hasExpectedInvoice = invoice === undefined || (shownInvoice !== null) === invoice;
  expect(
    status === expectedStatus && hasExpectedInvoice,
    `"${expectedStatus}"${invoiceText}${when && ` ${when}`}`,
    summarize(checkout),
  );
}

/** The identifier of the checkout's invoice. Throws a `Violation` when it shows none. */
export function invoiceIdIn(checkout: Checkout): string {
  expect(checkout.invoice !== null, 'an invoice', summarize(checkout));
  return checkout.invoice.id;
}

/** Throws a `Violation` unless the checkout shows the invoice with the identifier. */
export function expectInvoice({ invoice }: Checkout, id: string, expected = 'the same invoice'): void {
  expect(invoice?.id === id, expected, invoice === null ? 'no invoice' : 'another invoice');
}

/** A short description of a checkout. */
export function summarize({ status, invoice, stale }: Checkout): string {
  const serviceStatus = invoice?.service_status === undefined ? '' : ` (the service says ${invoice.service_status})`;
  return `"${status}"${serviceStatus}${invoice === null ? ', no invoice' : ''}${stale ? ', stale' : ''}`;
}

/** Whether the invoice has requisites or a link. */
export function hasPaymentDetails({ invoice }: Checkout): boolean {
  const details = [invoice?.payment_url, invoice?.nspk_url, invoice?.sbp, invoice?.card, invoice?.bank_transfer];
  return details.some((detail) => detail !== undefined);
}

/** The body of a create request for a payment method. */
export interface CreateBody {
  readonly payment_method_id: string;
}

/** The body for the first usable payment option, or for the first one after `other`. Throws `NotRun` when there is none. */
export function createBodyFor({ options, amount }: Checkout, other?: CreateBody): CreateBody {
  const usable = options.filter(({ available, limits }) => available && (amount === null || isWithin(amount, limits)));
  const option = usable.find(({ id }) => id !== other?.payment_method_id);
  if (option === undefined)
    throw new NotRun(`the checkout has ${other ? 'only one' : 'no'} payment option that can be used`);
  return { payment_method_id: option.id };
}

/** Throws a `Violation` unless the response is 202 or 503 try_again with Retry-After, after which a client may repeat a write. */
export function expectRetryable(exchange: Exchange): void {
  const isTryAgain = exchange.status === 503 && problemOf(exchange)?.code === 'try_again';
  const isRetryable = (exchange.status === 202 || isTryAgain) && exchange.headers.has('retry-after');
  expect(isRetryable, 'HTTP 202 or 503 try_again, with Retry-After', exchange);
}
