import { isWithin } from '../base/decimal.ts';
import { issueText } from '../base/zod-issue.ts';
import { checkout as checkoutSchema, type Checkout, type PaymentOption, type ProblemCode } from '../protocol.ts';
import type { Backend } from './backend.ts';
import { expect, Finding, NotRun } from './check.ts';
import { describe, problemOf, type Exchange } from './exchange.ts';
import type { Ports } from './ports.ts';
import type { Sandbox } from './sandbox.ts';
import type { Tempo } from './timeouts.ts';

/** What the checks of one group work with. */
export interface Stage {
  readonly backend: Backend;
  /** The capability that the group is about. */
  readonly checkout: string;
  /** Every capability that the run has used so far. */
  readonly capabilities: ReadonlySet<string>;
  /** One more fresh checkout, or `NotRun`. */
  another(): Promise<string>;
  /** The sandbox, or `NotRun`. */
  readonly sandbox: () => Sandbox;
  readonly ports: Ports;
  readonly tempo: Tempo;
  readonly slow: boolean;
  /** Texts that no answer may hold: the access token, and hook secrets as they become known. */
  readonly secrets: { readonly token: string | undefined; readonly hooks: Set<string> };
}

/** The checkout in an answer with one of the statuses; a finding when there is none, or when it does not read. */
export function checkoutIn(exchange: Exchange, ...statuses: readonly number[]): Checkout {
  expect(statuses.includes(exchange.status), `HTTP ${statuses.join(' or ')} and the checkout`, describe(exchange));
  expect(exchange.json !== undefined, 'a checkout in JSON', describe(exchange));
  const { data, error } = checkoutSchema.safeParse(exchange.json);
  if (data !== undefined) return data;
  const issues = error.issues.slice(0, 4).map((issue) => issueText(issue, 'body'));
  throw new Finding('a checkout as its schema says', issues.join('; '));
}

/** A finding unless the answer is a problem of one of the codes, with one of the statuses. */
export function expectProblem(exchange: Exchange, statuses: readonly number[], codes: readonly ProblemCode[]): void {
  const code = problemOf(exchange)?.code;
  const isRight = statuses.includes(exchange.status) && code !== undefined && codes.includes(code);
  expect(isRight, `HTTP ${statuses.join(' or ')} ${codes.join(' or ')}`, describe(exchange));
}

/** The checkout as it stands now. */
export async function look(stage: Stage, checkout = stage.checkout): Promise<Checkout> {
  return checkoutIn(await stage.backend.read(checkout), 200);
}

/** The methods that the payer can choose. */
export function usable({ options, amount }: Checkout): readonly PaymentOption[] {
  return options.filter(({ available, limits }) => available && (amount === null || isWithin(amount, limits)));
}

/** The first method that the payer can choose, or `NotRun`. */
export function firstMethod(checkout: Checkout): PaymentOption {
  const [method] = usable(checkout);
  if (method === undefined) throw new NotRun('the checkout has no payment option that can be used');
  return method;
}

/** Looks until the checkout is as wanted; a finding when it is not in time. */
export async function until(
  stage: Stage,
  wanted: string,
  isSo: (checkout: Checkout) => boolean,
  checkout = stage.checkout,
): Promise<Checkout> {
  const { ports, tempo } = stage;
  const deadline = ports.now() + tempo.patienceMs;
  for (;;) {
    const seen = await look(stage, checkout);
    if (isSo(seen)) return seen;
    if (ports.now() > deadline)
      throw new Finding(`${wanted} within ${tempo.patienceMs / 1000} s`, `still ${summary(seen)}`);
    await ports.sleep(tempo.pollMs);
  }
}

/** Waits until the checkout has a status. */
export function untilStatus(stage: Stage, wanted: Checkout['status']): Promise<Checkout> {
  return until(stage, `"${wanted}"`, ({ status }) => status === wanted);
}

/** A checkout in a few words. */
export function summary({ status, invoice, stale }: Checkout): string {
  const word = invoice?.service_status === undefined ? '' : ` (the service says ${invoice.service_status})`;
  return `"${status}"${word}${invoice === null ? ', no invoice' : ''}${stale ? ', stale' : ''}`;
}

/** Asks for requisites, and again with the same key while the answer is not known yet. */
export async function createUntilKnown(
  stage: Stage,
  body: object,
  key: string,
  checkout = stage.checkout,
): Promise<Exchange> {
  const { backend, ports, tempo } = stage;
  const deadline = ports.now() + tempo.patienceMs;
  for (;;) {
    const answer = await backend.create(checkout, body, { key });
    const isOpen = answer.status === 202 || answer.status === 503;
    if (!isOpen || ports.now() > deadline) return answer;
    const asked = Number(answer.headers.get('retry-after') ?? 0) * 1000 || 0;
    await ports.sleep(Math.max(tempo.pollMs, Math.min(asked, tempo.settleMs)));
  }
}
