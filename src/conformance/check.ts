import { isWithin } from '../base/decimal.ts';
import { issueText } from '../base/zod-issue-text.ts';
import { checkout as checkoutSchema, type Checkout, type PaymentOption, type ProblemCode } from '../protocol.ts';
import { problemOf, type BackendClient, type Exchange } from './backend-client.ts';
import type { Ports, Timeouts } from './options.ts';
import type { SandboxClient } from './sandbox-client.ts';
import { expect, NotRun, Violation } from './violation.ts';

/** One rule of the checkout API, and its test. */
export interface Check {
  readonly id: string;
  /** The part of docs/checkout-api.md that it proves. */
  readonly clause: string;
  /** The rule in the present tense; the subject is the backend. */
  readonly rule: string;
  /** How to fix a violation. */
  readonly fix: string;
  /** Throws a `Violation` or `NotRun`. */
  run(context: CheckContext): Promise<void> | void;
}

/** The checkout that a group's checks use: none, the first one of the run, a fresh one, or one whose amount the payer types. */
export type CheckoutKind = 'none' | 'first' | 'fresh' | 'typed';

/** Checks that run in order on one checkout. */
export interface Group {
  readonly title: string;
  readonly checkout: CheckoutKind;
  /** Whether it needs the sandbox's control API. */
  readonly sandbox?: boolean;
  readonly checks: readonly Check[];
}

/**
 * A step that several checks of a group need. It runs once for each context. When it finds a violation, the first check
 * reports the violation, and the others are not run.
 */
export function sharedStep<T>(
  what: string,
  make: (context: CheckContext) => Promise<T>,
): (context: CheckContext) => Promise<T> {
  const made = new WeakMap<CheckContext, Promise<T>>();
  return (context) => {
    const before = made.get(context);
    if (before === undefined) {
      const promise = make(context);
      made.set(context, promise);
      return promise;
    }
    return before.catch((error: unknown) => {
      throw error instanceof Violation ? new NotRun(`it builds on ${what}: see the violation above`) : error;
    });
  };
}

/** The data and clients that the checks of one group use. */
export interface CheckContext {
  readonly backend: BackendClient;
  /** The capability that the group is about. */
  readonly checkout: string;
  /** Every capability that the run has used so far. */
  readonly capabilities: ReadonlySet<string>;
  /** Opens one more fresh checkout; throws `NotRun` when it cannot. */
  openAnother(): Promise<string>;
  /** Closes a checkout as the merchant does; throws `NotRun` when it cannot. */
  close(checkout: string): Promise<void>;
  /** An origin that the backend allows, where one was named. */
  readonly allowedOrigin: string | undefined;
  /** The sandbox; throws `NotRun` when there is none. */
  readonly sandbox: () => SandboxClient;
  readonly ports: Ports;
  readonly timeouts: Timeouts;
  readonly includeSlow: boolean;
  /** Texts that no answer may contain: the access token, and the hook secrets found so far. */
  readonly secrets: { readonly token: string | undefined; readonly hooks: Set<string> };
}

/** The checkout in an answer with one of the statuses. Throws a `Violation` when there is none or it is malformed. */
export function checkoutIn(exchange: Exchange, ...statuses: readonly number[]): Checkout {
  expect(statuses.includes(exchange.status), `HTTP ${statuses.join(' or ')} and the checkout`, exchange);
  expect(exchange.json !== undefined, 'a checkout in JSON', exchange);
  const { data, error } = checkoutSchema.safeParse(exchange.json);
  if (data !== undefined) return data;
  const issues = error.issues.slice(0, 4).map((issue) => issueText(issue, 'body'));
  throw new Violation('a checkout as its schema says', issues.join('; '), exchange);
}

/** Throws a `Violation` unless the answer is a problem of one of the codes, with one of the statuses. */
export function expectProblem(exchange: Exchange, statuses: readonly number[], codes: readonly ProblemCode[]): void {
  const code = problemOf(exchange)?.code;
  const isRight = statuses.includes(exchange.status) && code !== undefined && codes.includes(code);
  expect(isRight, `HTTP ${statuses.join(' or ')} ${codes.join(' or ')}`, exchange);
}

/** Throws a `Violation` unless the answer is 405 with an `Allow` that lists the method. */
export function expectNotAllowed(exchange: Exchange, method: string): void {
  expectProblem(exchange, [405], ['invalid_request']);
  const allow = exchange.headers.get('allow') ?? 'none';
  const methods = allow.split(',').map((one) => one.trim());
  expect(methods.includes(method), `Allow with ${method}`, allow, exchange);
}

/** Reads the current checkout. */
export async function readCheckout(context: CheckContext, checkout = context.checkout): Promise<Checkout> {
  return checkoutIn(await context.backend.read(checkout), 200);
}

/** The payment options that the payer can choose. */
export function usableOptions({ options, amount }: Checkout): readonly PaymentOption[] {
  return options.filter(({ available, limits }) => available && (amount === null || isWithin(amount, limits)));
}

/** The first payment option that the payer can choose; throws `NotRun` when there is none. */
export function firstUsableOption(checkout: Checkout): PaymentOption {
  const [method] = usableOptions(checkout);
  if (method === undefined) throw new NotRun('the checkout has no payment option that can be used');
  return method;
}

/** Reads the checkout until the condition holds. Throws a `Violation` after `patienceMs`. */
export async function waitUntil(
  context: CheckContext,
  wanted: string,
  isReached: (checkout: Checkout) => boolean,
  checkout = context.checkout,
): Promise<Checkout> {
  const { ports, timeouts } = context;
  const deadline = ports.now() + timeouts.patienceMs;
  for (;;) {
    const seen = await readCheckout(context, checkout);
    if (isReached(seen)) return seen;
    if (ports.now() > deadline)
      throw new Violation(`${wanted} within ${timeouts.patienceMs / 1000} s`, `still ${summarize(seen)}`);
    await ports.sleep(timeouts.pollMs);
  }
}

/** Reads the checkout until it has a status. */
export function waitForStatus(context: CheckContext, wanted: Checkout['status']): Promise<Checkout> {
  return waitUntil(context, `"${wanted}"`, ({ status }) => status === wanted);
}

/** A short description of a checkout. */
export function summarize({ status, invoice, stale }: Checkout): string {
  const word = invoice?.service_status === undefined ? '' : ` (the service says ${invoice.service_status})`;
  return `"${status}"${word}${invoice === null ? ', no invoice' : ''}${stale ? ', stale' : ''}`;
}

/** Whether a client may repeat a write with the same key after this answer: 202 or 503 try_again, with Retry-After. */
export function isRetryable(exchange: Exchange): boolean {
  const isTryAgain = exchange.status === 503 && problemOf(exchange)?.code === 'try_again';
  return (exchange.status === 202 || isTryAgain) && exchange.headers.has('retry-after');
}

/** Creates an invoice. Repeats the request with the same key while the answer is 202 or 503, for at most `patienceMs`. */
export async function createUntilKnown(
  context: CheckContext,
  body: object,
  key: string,
  checkout = context.checkout,
): Promise<Exchange> {
  const { backend, ports, timeouts } = context;
  const deadline = ports.now() + timeouts.patienceMs;
  for (;;) {
    const answer = await backend.create(checkout, body, { key });
    const isInDoubt = answer.status === 202 || answer.status === 503;
    if (!isInDoubt || ports.now() > deadline) return answer;
    const retryAfterMs = Number(answer.headers.get('retry-after') ?? 0) * 1000 || 0;
    await ports.sleep(Math.max(timeouts.pollMs, Math.min(retryAfterMs, timeouts.settleMs)));
  }
}
