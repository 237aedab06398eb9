import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Checkout } from '../../src/checkout-api.ts';
import { speed } from './fast-time.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { PayerAction, Method, PayerPlan } from './plan.ts';
import type { SandboxControl } from './sandbox-control.ts';
import { ResponseChecker } from './response-checker.ts';

/** The parts of a run that a payer uses. */
export interface PayerContext {
  readonly name: string;
  /** The addresses of the shop's processes. */
  readonly shops: readonly [string, ...string[]];
  readonly service: SandboxControl;
  /** Whether the shop may refuse a create for ever: the service refuses repeats, or its invoice cannot be paid. */
  readonly mayRefuse: boolean;
  readonly random: SeededRandom;
  /** Aborts when the run exceeds its maximum duration. */
  readonly timeout: AbortSignal;
  readonly log: (line: string) => void;
}

interface PayerResponse {
  readonly status: number;
  readonly checkout: Checkout | undefined;
  readonly retryMs: number;
}

const orderSchema = z.object({ order_id: z.string(), checkout: z.string() });
const requestTimeoutMs = 5000;

/** A simulated payer with one order. It behaves as a page that uses the checkout API. */
export class Payer {
  readonly checker: ResponseChecker;
  readonly plan: PayerPlan;
  readonly #checkoutId: string;
  readonly #context: PayerContext;
  #requests = 0;
  #keys = 0;
  #etag: string | null = null;
  #latest: Checkout | undefined;

  private constructor(context: PayerContext, plan: PayerPlan, order: z.output<typeof orderSchema>) {
    this.#context = context;
    this.plan = plan;
    this.#checkoutId = order.checkout;
    this.checker = new ResponseChecker(order.order_id, '1500.00', context.service, context.mayRefuse);
  }

  /** Places an order of 1500 roubles. */
  static async placeOrder(context: PayerContext, plan: PayerPlan): Promise<Payer> {
    for (;;) {
      context.timeout.throwIfAborted();
      try {
        const response = await fetch(`${context.shops[0]}/shop/orders`, {
          method: 'POST',
          signal: AbortSignal.timeout(requestTimeoutMs),
        });
        return new Payer(context, plan, orderSchema.parse(await response.json()));
      } catch {
        await delay(50); // The shop's process is being restarted.
      }
    }
  }

  /** Performs the plan's actions, while faults are injected. */
  async performActions(): Promise<void> {
    const { startMs, tabs, method, actions } = this.plan;
    await delay(startMs);
    if (actions[0] === 'leave') return this.#leave();
    await Promise.all(Array.from({ length: tabs }, () => this.#createInvoice(method)));
    for (const action of actions) await this.#perform(action);
  }

  /** Continues after the faults until the checkout has an invoice. */
  async finish(): Promise<void> {
    for (;;) {
      const { status } = await this.#readCheckout();
      const hasResponse = status === 200 || status === 304;
      if (hasResponse && (this.#latest?.invoice ?? null) !== null) return;
      await (hasResponse ? this.#createInvoice(this.plan.method) : this.#pause(500));
    }
  }

  /** Reads the checkout once from each process of the shop. */
  async readFromEachProcess(): Promise<readonly (Checkout | undefined)[]> {
    const checkouts: (Checkout | undefined)[] = [];
    for (const shop of this.#context.shops) checkouts.push((await this.#readCheckout(shop)).checkout);
    return checkouts;
  }

  async #perform(action: PayerAction): Promise<void> {
    const shownInvoiceId = this.#latest?.invoice?.id;
    switch (action) {
      case 'read':
        await this.#readCheckout();
        return;
      case 'create again':
        return this.#createInvoice(this.#latest?.invoice?.payment_method_id ?? this.plan.method);
      case 'replace':
        return this.#createInvoice(otherMethodThan(this.#latest?.invoice?.payment_method_id), true);
      case 'pay':
        if (shownInvoiceId !== undefined) await this.#simulate(shownInvoiceId, 'pay');
        return;
      case 'pay the first': {
        const [firstInvoiceId] = this.checker.shownInvoiceIds;
        if (firstInvoiceId !== undefined) await this.#simulate(firstInvoiceId, 'pay');
        return;
      }
      case 'fail':
        if (shownInvoiceId === undefined) return;
        await this.#simulate(shownInvoiceId, 'fail');
        while (this.#latest?.status === 'pending') await this.#readCheckout();
        return;
      case 'wait until paid':
        while (this.#latest?.status !== 'paid') await this.#readCheckout();
        return;
      case 'leave':
        return this.#leave();
    }
  }

  /** Pays an invoice at the bank, or lets it fail or expire. */
  async #simulate(invoiceId: string, event: 'pay' | 'fail' | 'expire'): Promise<void> {
    this.#context.log(`${event}s ${invoiceId}`);
    await this.#context.service.simulate(invoiceId, event);
  }

  /** Sends a create request, and aborts it before the response. */
  async #leave(): Promise<void> {
    const body = { payment_method_id: this.plan.method };
    await this.#send('leaves', 'invoice', { method: 'POST', body: JSON.stringify(body) }, this.#newKey(), 40);
  }

  /** Sends a create request, and repeats it with the same key until its result is known; after a refusal with another key. */
  async #createInvoice(method: string, replace = false): Promise<void> {
    let key = this.#newKey();
    const body = JSON.stringify({ payment_method_id: method, ...(replace ? { replace } : {}) });
    if (replace) this.checker.replaceRequests += 1;
    for (;;) {
      const response = await this.#send(`${key} ${body}`, 'invoice', { method: 'POST', body }, key);
      if (response.status === 409) await this.#readCheckout();
      if (response.status === 409 || response.status === 200 || response.status === 201) return;
      if (response.status === 422) key = this.#newKey();
      await this.#pause(response.retryMs);
    }
  }

  async #readCheckout(shop?: string): Promise<PayerResponse> {
    const headers = this.#etag === null ? {} : { 'if-none-match': this.#etag, prefer: 'wait=4' };
    return this.#send('GET', '', shop === undefined ? { headers } : {}, undefined, requestTimeoutMs, shop);
  }

  #newKey(): string {
    this.#keys += 1;
    return `${this.#context.name}-${this.#keys}`;
  }

  async #pause(ms: number): Promise<void> {
    await delay(Math.min(ms, 3000) / speed + this.#context.random.int(0, 40));
  }

  /** Sends one request. The status is 0 when no response came. */
  async #send(
    description: string,
    path: string,
    init: { method?: string; body?: string; headers?: Record<string, string> },
    key?: string,
    withinMs = requestTimeoutMs,
    shop = this.#nextShop(),
  ): Promise<PayerResponse> {
    const { timeout, log } = this.#context;
    timeout.throwIfAborted();
    const sentAt = performance.now();
    const headers = { ...init.headers, 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) };
    const url = `${shop}/checkout/${this.#checkoutId}${path === '' ? '' : `/${path}`}`;
    const response = await fetchCompletely(url, { ...init, headers, signal: AbortSignal.timeout(withinMs) });
    if (response === undefined) {
      log(`${description} → no response`);
      return { status: 0, checkout: undefined, retryMs: 500 };
    }
    const { status, body } = response;
    const checkout = await this.checker.check({ description, sentAt, status, body });
    log(`${description} → ${status} ${describeResponse(checkout, body)}`);
    if (checkout !== undefined) this.#latest = checkout;
    if (status === 200) this.#etag = response.headers.get('etag') ?? this.#etag;
    return { status, checkout, retryMs: Number(response.headers.get('retry-after') ?? 0.5) * 1000 };
  }

  #nextShop(): string {
    const { shops } = this.#context;
    this.#requests += 1;
    return shops[this.#requests % shops.length] ?? shops[0];
  }
}

/** Returns the complete response, or undefined when no response or only a part of one came. */
async function fetchCompletely(url: string, init: RequestInit) {
  try {
    const response = await fetch(url, init);
    const text = await response.text();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, headers: response.headers, body };
  } catch {
    return undefined;
  }
}

function otherMethodThan(method: string | undefined): Method {
  return method === 'pm_card' ? 'pm_sbp' : 'pm_card';
}

function describeResponse(checkout: Checkout | undefined, body: unknown): string {
  if (checkout !== undefined) return `${checkout.status} ${checkout.invoice?.id ?? 'no invoice'}`;
  return body === undefined ? '' : JSON.stringify(body).slice(0, 120);
}
