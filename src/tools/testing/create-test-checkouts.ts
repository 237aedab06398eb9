import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import { decodeCheckout } from '../../checkout-api.ts';
import {
  createCheckoutServer,
  createInvoiceServiceClient,
  createMemoryStore,
  type CheckoutServer,
  type CheckoutServerOptions,
  type Clock,
  type Log,
} from '../../server.ts';
import { createSandbox } from '../../sandbox.ts';
import { checkOptions, strictObject } from '../../server/domain/strict-object.ts';

export type TestCheckoutsOptions = Pick<CheckoutServerOptions, 'onOutcome'> & Partial<CheckoutServerOptions>;

/** A checkout server, a sandbox and a store within a test. Time passes only in `advance` and in the payer's calls. */
export interface TestCheckouts {
  readonly checkouts: CheckoutServer;
  /** The virtual time, in milliseconds since 1970. */
  now(): number;
  /** Lets time pass: deadlines end, invoices are fetched, and outcomes that were refused are delivered again. */
  advance(ms: number): Promise<void>;
  /**
   * Does what a payer and his bank do: requests an invoice of a payment method, by default SBP, unless one can be paid already,
   * and pays it, lets it fail, or lets it expire. Resolves with the invoice's identifier when the server has fetched it and
   * `onOutcome` has been called.
   * @param choice - `amount` is a decimal string, for a checkout whose amount the payer types
   * @throws Error when the checkout refuses the invoice, CheckoutOptionsError for a wrong choice
   */
  pay(capability: string, choice?: PayerChoice): Promise<string>;
  fail(capability: string, choice?: PayerChoice): Promise<string>;
  expire(capability: string, choice?: PayerChoice): Promise<string>;
  /** Calls the sandbox's control API, such as `PUT`, `faults`, with a fault. Resolves with its JSON. @throws Error when it refuses */
  control(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Ends the server and the sandbox. */
  close(): Promise<void>;
}

export interface PayerChoice {
  readonly method?: string;
  readonly amount?: string;
}

const payerChoice = strictObject({
  method: z.string().default('pm_sbp'),
  amount: z.string().optional(),
} satisfies Record<keyof PayerChoice, z.ZodType>);

const token = 'sandbox-token';
const sandboxUrl = 'https://sandbox.invalid';
const endpoint = 'https://shop.invalid/checkout';
/** Longer than two fetches of an invoice that a payer watches, and the delivery of its outcome. */
const followMs = 15_000;

/**
 * Starts a checkout server over a sandbox in this process, on a virtual clock. `onOutcome` is the shop's, as in production.
 * @example
 * ```ts
 * import { createTestCheckouts } from 'pay-invoice/testing';
 *
 * const delivered: string[] = [];
 * const shop = await createTestCheckouts({
 *   onOutcome: async ({ kind, orderId }) => {
 *     if (kind === 'paid') delivered.push(orderId);
 *   },
 * });
 * const { capability } = await shop.checkouts.create({ orderId: '1001', amount: '1500.00', currency: 'RUB' });
 * await shop.pay(capability); // delivered is now ['1001']
 * await shop.close();
 * ```
 */
export async function createTestCheckouts(options: TestCheckoutsOptions): Promise<TestCheckouts> {
  const clock = createVirtualClock();
  const log: Log = () => undefined;
  const sandbox = createSandbox({
    token,
    clock,
    qrGenerationMs: 0,
    sendWebhook: (request) => checkouts.handle(request, { address: undefined }),
  });
  const fetchSandbox: typeof fetch = (input, init) => sandbox.fetch(new Request(input, init));
  const service = createInvoiceServiceClient({ baseUrl: sandboxUrl, token, fetch: fetchSandbox, clock, log });
  const checkouts = createCheckoutServer({
    service,
    store: createMemoryStore(),
    endpoint,
    mode: 'TEST',
    clock,
    log,
    ...options,
  });
  checkouts.start();
  await clock.advance(0);

  const readJson = async (promise: Promise<Response>): Promise<unknown> => {
    const response = await clock.complete(promise);
    const text = await response.text();
    if (!response.ok) throw new Error(`HTTP ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const send = async (request: Request) =>
    decodeCheckout(await readJson(checkouts.handle(request, { address: undefined })), 'checkout');
  const control = (method: string, path: string, body?: unknown): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return readJson(sandbox.fetch(new Request(`${sandboxUrl}/sandbox/${path}`, init)));
  };
  const act = async (action: string, capability: string, choice: PayerChoice = {}) => {
    const { method, amount } = checkOptions(payerChoice, choice);
    const address = `${endpoint}/${capability}`;
    const body = JSON.stringify({ payment_method_id: method, ...(amount !== undefined && { amount }) });
    const headers = { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() };
    const { invoice } = await send(new Request(`${address}/invoice`, { method: 'POST', headers, body }));
    if (invoice === null)
      throw new Error('it is not known whether the service created the invoice: advance, and try again');
    await control('POST', `invoices/${invoice.id}/${action}`);
    await send(new Request(`${address}?check=1`));
    await clock.advance(followMs);
    return invoice.id;
  };
  return {
    checkouts,
    now: () => clock.now(),
    advance: (ms) => clock.advance(ms),
    pay: (...call) => act('pay', ...call),
    fail: (...call) => act('fail', ...call),
    expire: (...call) => act('expire', ...call),
    control,
    async close() {
      await clock.complete(checkouts.stop());
      await sandbox.close();
    },
  };
}

interface Timer {
  readonly at: number;
  readonly task: () => void;
}

/** A clock whose timers fire only while it is advanced. */
function createVirtualClock() {
  let now = Date.UTC(2030, 0, 1);
  const timers = new Set<Timer>();
  /** Requests and responses in this process need several turns of the event loop. */
  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 6; turns += 1) await turn();
  };
  const fireNext = (until: number): boolean => {
    const next = [...timers].reduce<Timer | undefined>(
      (first, timer) => (first && first.at <= timer.at ? first : timer),
      undefined,
    );
    if (next === undefined || next.at > until) return false;
    timers.delete(next);
    now = Math.max(now, next.at);
    next.task();
    return true;
  };
  const clock: Clock = {
    now: () => now,
    schedule(ms, task) {
      const timer = { at: now + Math.max(0, ms), task };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
  return {
    ...clock,
    async advance(ms: number): Promise<void> {
      const end = now + ms;
      await settle();
      while (fireNext(end)) await settle();
      now = end;
    },
    /** Lets as much time pass as the promise needs. */
    async complete<T>(promise: Promise<T>): Promise<T> {
      const isSettled = promise.then(
        () => true,
        () => true,
      );
      while (!(await Promise.race([isSettled, settle().then(() => false)]))) fireNext(Infinity);
      return promise;
    },
  };
}
