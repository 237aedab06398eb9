import { randomUUID } from 'node:crypto';
import type { Checkout, ProblemCode } from '../../checkout-api.ts';
import type { BackendClient, CreateOverrides, Exchange } from './backend-client.ts';
import type { Ports } from './conformance-options.ts';
import {
  createBodyFor,
  expectCheckout,
  expectProblem,
  NotRun,
  summarize,
  Violation,
  type CreateBody,
} from './expect.ts';
import type { ActiveFault, Fault, SandboxClient } from './sandbox-client.ts';

/** Waiting times of the checks, in milliseconds. */
export const waits = {
  /** Time between two reads of a checkout that is expected to change. */
  pollMs: 300,
  /** How long to wait before a checkout is read that is expected not to change. */
  settleMs: 4000,
  /** How long to wait until the clock fields of a checkout have certainly changed. */
  tickMs: 1100,
  /** Tolerance for the network and a slow machine. */
  slackMs: 2500,
  /** The lifetime of sandbox invoices in the checks of expiry. */
  lifetimeMs: 3000,
} as const;

/** One rule of the checkout API (docs/checkout-api.md), and its test. */
export interface Check {
  readonly id: string;
  readonly rule: string;
  readonly fix: string;
  readonly run: (context: CheckContext) => unknown;
}

/**
 * Declares a check.
 * @param rule - in the present tense; the subject is the backend
 * @param fix - how to fix a violation
 * @param run - throws a `Violation` or `NotRun`
 */
export const check = (id: string, rule: string, fix: string, run: Check['run']): Check => ({ id, rule, fix, run });

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

/** A write: its body, and what replaces other parts of the request. */
type Write = readonly [body: object, overrides?: CreateOverrides];

/** The run of a check whose writes are all refused with the status and the code. */
export const refuses =
  (status: number, code: ProblemCode, writes: (context: CheckContext) => Promise<readonly Write[]>): Check['run'] =>
  async (context) => {
    for (const [body, overrides] of await writes(context)) await context.expectRefusal(body, status, code, overrides);
  };

/** Groups of checks by their titles, each with its own fresh checkout. A single check is a group of its own. */
export function freshGroups(
  groups: Readonly<Record<string, Check | readonly Check[]>>,
  needs: Pick<CheckGroup, 'sandbox'> = {},
): readonly CheckGroup[] {
  return Object.entries(groups).map(([title, checks]) => ({
    title,
    checkoutKind: 'fresh',
    checks: [checks].flat(),
    ...needs,
  }));
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

export const noSandboxReason = 'it needs the sandbox: give --sandbox';

/** What all groups of a run share. */
export interface RunContext {
  readonly backend: BackendClient;
  readonly sandbox: SandboxClient | undefined;
  /** Every capability that the run has used so far. */
  readonly usedCapabilities: ReadonlySet<string>;
  /** Opens one more fresh checkout and resolves with its capability; throws `NotRun` when it cannot. */
  openCheckout(): Promise<string>;
  /** Closes a checkout as the merchant does; throws `NotRun` when it cannot. */
  closeCheckout(capability: string): Promise<void>;
  /** An origin that the backend allows; undefined when the run has no such option. */
  readonly allowedOrigin: string | undefined;
  readonly ports: Ports;
  /** How long a change may take from the service to the payer, in milliseconds. */
  readonly patienceMs: number;
  readonly includeSlow: boolean;
  /** Texts that no response may contain: the access token, and the webhook URLs that the run has found so far. */
  readonly secrets: { readonly token: string | undefined; readonly hooks: Set<string> };
}

/** One checkout of the run, and what checks do with it. */
export class CheckContext {
  readonly run: RunContext;
  /** The capability of the checkout; '' when the group has none. */
  readonly capability: string;

  constructor(run: RunContext, capability: string) {
    this.run = run;
    this.capability = capability;
  }

  /** Opens another fresh checkout. */
  async openAnother(): Promise<CheckContext> {
    return new CheckContext(this.run, await this.run.openCheckout());
  }

  /** Closes the checkout as the merchant does. */
  close(): Promise<void> {
    return this.run.closeCheckout(this.capability);
  }

  read(headers?: Readonly<Record<string, string>>, query?: string): Promise<Exchange> {
    return this.run.backend.read(this.capability, headers, query);
  }

  /** Reads the current checkout; with `query`, such as `?options=1`, the checkout for this query. */
  async readCheckout(query?: string): Promise<Checkout> {
    return expectCheckout(await this.read({}, query), 200);
  }

  /** Sends a write once. */
  create(body: object, overrides?: CreateOverrides): Promise<Exchange> {
    return this.run.backend.create(this.capability, body, overrides);
  }

  /** Throws a `Violation` unless a write with this body is refused with the status and the code. */
  async expectRefusal(body: object, status: number, code: ProblemCode, overrides?: CreateOverrides): Promise<void> {
    expectProblem(await this.create(body, overrides), [status], [code]);
  }

  /** Sends a write. Repeats it with the same key while the response is 202 or 503, for at most `patienceMs`. */
  async createWithRetries(body: object, key: string = randomUUID()): Promise<Exchange> {
    const { ports, patienceMs } = this.run;
    const deadline = ports.now() + patienceMs;
    for (;;) {
      const response = await this.create(body, { key });
      const isInDoubt = response.status === 202 || response.status === 503;
      if (!isInDoubt || ports.now() > deadline) return response;
      const retryAfterMs = Number(response.headers.get('retry-after') ?? 0) * 1000 || 0;
      await ports.sleep(Math.max(waits.pollMs, Math.min(retryAfterMs, waits.settleMs)));
    }
  }

  /** Sends a write until it creates or returns an invoice. Without a body, the first usable payment option is chosen. */
  async createInvoice(body?: object, key?: string): Promise<Checkout> {
    return expectCheckout(await this.createWithRetries(body ?? (await this.createBody()), key), 201, 200);
  }

  /**
   * Repeats a write whose response from the service was lost. A service that refuses the repeated external_id does not return its
   * invoice. Then only a new key leads to an invoice.
   */
  async repeatCreate(body: object, key: string): Promise<Checkout> {
    const exchange = await this.createWithRetries(body, key);
    if (exchange.status !== 422) return expectCheckout(exchange, 201, 200);
    expectProblem(exchange, [422], ['method_unavailable']);
    return this.createInvoice(body);
  }

  /** The body of a create request for the first usable payment option. */
  async createBody(): Promise<CreateBody> {
    return createBodyFor(await this.readCheckout());
  }

  /** Sends a notification as the service would. */
  notify(secret: string, body: string): Promise<Exchange> {
    return this.run.backend.notify(this.capability, secret, body);
  }

  sleep(ms: number): Promise<void> {
    return this.run.ports.sleep(ms);
  }

  /** Reads the checkout after the time in which a change would certainly have been seen. */
  async readSettledCheckout(): Promise<Checkout> {
    await this.sleep(waits.settleMs);
    return this.readCheckout();
  }

  /** Reads the checkout until the condition holds. Throws a `Violation` with `expected` after `patienceMs`. */
  async waitUntil(expected: string, isReached: (checkout: Checkout) => boolean): Promise<Checkout> {
    const { ports, patienceMs } = this.run;
    const deadline = ports.now() + patienceMs;
    for (;;) {
      const checkout = await this.readCheckout();
      if (isReached(checkout)) return checkout;
      if (ports.now() > deadline)
        throw new Violation(`${expected} within ${patienceMs / 1000} s`, `still ${summarize(checkout)}`);
      await ports.sleep(waits.pollMs);
    }
  }

  /** Reads the checkout until it has the status. Throws a `Violation` after `patienceMs`. */
  waitForStatus(expectedStatus: Checkout['status']): Promise<Checkout> {
    return this.waitUntil(`"${expectedStatus}"`, ({ status }) => status === expectedStatus);
  }

  /** Reads the checkout until it is stale, or until it is not. */
  waitForStale(isStale: boolean): Promise<Checkout> {
    return this.waitUntil(`\`stale\` ${isStale}`, ({ stale }) => stale === isStale);
  }

  /** The sandbox; throws `NotRun` when the run has none. */
  get sandbox(): SandboxClient {
    if (this.run.sandbox === undefined) throw new NotRun(noSandboxReason);
    return this.run.sandbox;
  }

  /** Sets a fault in the sandbox. The run removes it after the group. */
  setFault(fault: Fault): Promise<ActiveFault> {
    return this.sandbox.setFault(fault);
  }
}
