import { isWithin } from '../../base/decimal.ts';
import { issueText } from '../../base/zod-issue-text.ts';
import { checkout as checkoutSchema, type Checkout, type PaymentOption, type ProblemCode } from '../../checkout-api.ts';
import { problemOf, type BackendClient, type Exchange } from './backend-client.ts';
import type { Ports, Timeouts } from './conformance-options.ts';
import type { SandboxClient } from './sandbox-client.ts';
import { expect, NotRun, Violation } from './expect.ts';

/** One rule of the checkout API, and its test. */
export interface Check {
  readonly id: string;
  /** The part of docs/checkout-api.md that the check tests. */
  readonly clause: string;
  /** The rule in the present tense; the subject is the backend. */
  readonly rule: string;
  /** How to fix a violation. */
  readonly fix: string;
  /** Throws a `Violation` or `NotRun`. */
  run(context: CheckContext): Promise<void> | void;
}

/** The checkout that a group uses: none, the run's first one, a fresh one with a price, or a fresh one with a typed amount. */
export type CheckoutKind = 'none' | 'first' | 'fresh' | 'typed';

/** Checks that run in order on one checkout. */
export interface CheckGroup {
  readonly title: string;
  readonly checkoutKind: CheckoutKind;
  /** Whether the group needs the sandbox's control API. */
  readonly sandbox?: boolean;
  readonly checks: readonly Check[];
}

/**
 * Creates a step that several checks of a group need. The step runs once per context; later calls return its result. When the
 * step finds a violation, only the first check reports it; for the other checks the step throws `NotRun`.
 */
export function sharedStep<T>(
  stepName: string,
  run: (context: CheckContext) => Promise<T>,
): (context: CheckContext) => Promise<T> {
  const stepResults = new WeakMap<CheckContext, Promise<T>>();
  return (context) => {
    const earlierResult = stepResults.get(context);
    if (earlierResult === undefined) {
      const firstResult = run(context);
      stepResults.set(context, firstResult);
      return firstResult;
    }
    return earlierResult.catch((error: unknown) => {
      throw error instanceof Violation ? new NotRun(`it needs ${stepName}: see the violation above`) : error;
    });
  };
}

/** The data and clients that the checks of one group use. */
export interface CheckContext {
  readonly backend: BackendClient;
  /** The capability of the group's checkout; '' when the group has none. */
  readonly capability: string;
  /** Every capability that the run has used so far. */
  readonly usedCapabilities: ReadonlySet<string>;
  /** Opens one more fresh checkout and resolves with its capability; throws `NotRun` when it cannot. */
  openAnotherCheckout(): Promise<string>;
  /** Closes a checkout as the merchant does; throws `NotRun` when it cannot. */
  closeCheckout(capability: string): Promise<void>;
  /** An origin that the backend allows; undefined when the run has no such option. */
  readonly allowedOrigin: string | undefined;
  /** Returns the sandbox; throws `NotRun` when the run has none. */
  readonly sandbox: () => SandboxClient;
  readonly ports: Ports;
  readonly timeouts: Timeouts;
  readonly includeSlow: boolean;
  /** Texts that no response may contain: the access token, and the webhook URLs that the run has found so far. */
  readonly secrets: { readonly token: string | undefined; readonly hooks: Set<string> };
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

/** Throws a `Violation` unless the response is a problem document with one of the statuses and one of the codes. */
export function expectProblem(exchange: Exchange, statuses: readonly number[], codes: readonly ProblemCode[]): void {
  const code = problemOf(exchange)?.code;
  const isExpectedProblem = statuses.includes(exchange.status) && code !== undefined && codes.includes(code);
  expect(isExpectedProblem, `HTTP ${statuses.join(' or ')} ${codes.join(' or ')}`, exchange);
}

/** Throws a `Violation` unless the response is 405 with an `Allow` that lists the method. */
export function expectMethodNotAllowed(exchange: Exchange, method: string): void {
  expectProblem(exchange, [405], ['invalid_request']);
  const allowHeader = exchange.headers.get('allow') ?? 'none';
  const methods = allowHeader.split(',').map((item) => item.trim());
  expect(methods.includes(method), `Allow with ${method}`, allowHeader, exchange);
}

/** Reads the current checkout. */
export async function readCheckout(context: CheckContext, capability = context.capability): Promise<Checkout> {
  return expectCheckout(await context.backend.read(capability), 200);
}

/** The payment options that the payer can choose. */
export function listUsableOptions({ options, amount }: Checkout): readonly PaymentOption[] {
  return options.filter(({ available, limits }) => available && (amount === null || isWithin(amount, limits)));
}

/** The first payment option that the payer can choose; throws `NotRun` when there is none. */
export function firstUsableOption(checkout: Checkout): PaymentOption {
  const [option] = listUsableOptions(checkout);
  if (option === undefined) throw new NotRun('the checkout has no payment option that can be used');
  return option;
}

/** Reads the checkout until the condition holds. Throws a `Violation` with `expected` after `patienceMs`. */
export async function waitUntil(
  context: CheckContext,
  expected: string,
  isReached: (checkout: Checkout) => boolean,
  capability = context.capability,
): Promise<Checkout> {
  const { ports, timeouts } = context;
  const deadline = ports.now() + timeouts.patienceMs;
  for (;;) {
    const checkout = await readCheckout(context, capability);
    if (isReached(checkout)) return checkout;
    if (ports.now() > deadline)
      throw new Violation(`${expected} within ${timeouts.patienceMs / 1000} s`, `still ${summarize(checkout)}`);
    await ports.sleep(timeouts.pollMs);
  }
}

/** Reads the checkout until it has the status. Throws a `Violation` after `patienceMs`. */
export function waitForStatus(context: CheckContext, expectedStatus: Checkout['status']): Promise<Checkout> {
  return waitUntil(context, `"${expectedStatus}"`, ({ status }) => status === expectedStatus);
}

/** A short description of a checkout. */
export function summarize({ status, invoice, stale }: Checkout): string {
  const serviceStatus = invoice?.service_status === undefined ? '' : ` (the service says ${invoice.service_status})`;
  return `"${status}"${serviceStatus}${invoice === null ? ', no invoice' : ''}${stale ? ', stale' : ''}`;
}

/** Whether a client may repeat a write with the same key after this response: 202 or 503 try_again, with Retry-After. */
export function isRetryable(exchange: Exchange): boolean {
  const isTryAgain = exchange.status === 503 && problemOf(exchange)?.code === 'try_again';
  return (exchange.status === 202 || isTryAgain) && exchange.headers.has('retry-after');
}

/** Creates an invoice. Repeats the request with the same key while the response is 202 or 503, for at most `patienceMs`. */
export async function createInvoiceWithRetries(
  context: CheckContext,
  body: object,
  key: string,
  capability = context.capability,
): Promise<Exchange> {
  const { backend, ports, timeouts } = context;
  const deadline = ports.now() + timeouts.patienceMs;
  for (;;) {
    const response = await backend.create(capability, body, { key });
    const isInDoubt = response.status === 202 || response.status === 503;
    if (!isInDoubt || ports.now() > deadline) return response;
    const retryAfterMs = Number(response.headers.get('retry-after') ?? 0) * 1000 || 0;
    await ports.sleep(Math.max(timeouts.pollMs, Math.min(retryAfterMs, timeouts.settleMs)));
  }
}
