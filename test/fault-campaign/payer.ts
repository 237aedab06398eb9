import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Checkout } from '../../src/protocol.ts';
import { speed } from './fast-time.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { PayerAction, Method, PayerPlan } from './plan.ts';
import type { Service } from './service.ts';
import { ResponseChecker } from './response-checker.ts';

/** What a payer needs of the run. */
export interface PayerContext {
  readonly name: string;
  /** Where the shop's processes are reached. */
  readonly shops: readonly [string, ...string[]];
  readonly service: Service;
  readonly random: SeededRandom;
  /** Ends what the payer waits for: the run's patience is over. */
  readonly over: AbortSignal;
  readonly log: (line: string) => void;
}

interface Answer {
  readonly status: number;
  readonly checkout: Checkout | undefined;
  readonly retryMs: number;
}

const placed = z.object({ order_id: z.string(), checkout: z.string() });
const patienceMs = 5000;

/** A person with an order, whose page speaks the checkout API honestly. */
export class Payer {
  readonly witness: ResponseChecker;
  readonly plan: PayerPlan;
  readonly #checkoutId: string;
  readonly #context: PayerContext;
  #requests = 0;
  #keys = 0;
  #etag: string | null = null;
  #latest: Checkout | undefined;

  private constructor(context: PayerContext, plan: PayerPlan, order: z.output<typeof placed>) {
    this.#context = context;
    this.plan = plan;
    this.#checkoutId = order.checkout;
    this.witness = new ResponseChecker(order.order_id, '1500.00', context.service);
  }

  /** Places an order of 1500 roubles. */
  static async order(context: PayerContext, plan: PayerPlan): Promise<Payer> {
    for (;;) {
      context.over.throwIfAborted();
      try {
        const response = await fetch(`${context.shops[0]}/shop/orders`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ items: [{ sku: 'cup', quantity: 1 }] }),
          signal: AbortSignal.timeout(patienceMs),
        });
        return new Payer(context, plan, placed.parse(await response.json()));
      } catch {
        await delay(50); // the shop is dead for a moment
      }
    }
  }

  /** Lives through the time when all goes wrong. */
  async live(): Promise<void> {
    const { startMs, tabs, method, actions: acts } = this.plan;
    await delay(startMs);
    if (acts[0] === 'leave') return this.#leave();
    await Promise.all(Array.from({ length: tabs }, () => this.#ask(method)));
    for (const act of acts) await this.#act(act);
  }

  /** Goes on, now that nothing goes wrong any more, until there is an invoice, or the order is paid. */
  async finish(): Promise<void> {
    for (;;) {
      const { status } = await this.#get();
      const isAnswered = status === 200 || status === 304;
      if (isAnswered && (this.#latest?.invoice ?? null) !== null) return;
      await (isAnswered ? this.#ask(this.plan.method) : this.#pause(500));
    }
  }

  /** Looks once more at each process of the shop. */
  async lookAround(): Promise<readonly (Checkout | undefined)[]> {
    const seen: (Checkout | undefined)[] = [];
    for (const shop of this.#context.shops) seen.push((await this.#get(shop)).checkout);
    return seen;
  }

  async #act(act: PayerAction): Promise<void> {
    const shown = this.#latest?.invoice?.id;
    switch (act) {
      case 'read':
        await this.#get();
        return;
      case 'create again':
        return this.#ask(this.#latest?.invoice?.payment_method_id ?? this.plan.method);
      case 'replace':
        return this.#ask(otherThan(this.#latest?.invoice?.payment_method_id), true);
      case 'pay':
        if (shown !== undefined) await this.#simulate(shown, 'pay');
        return;
      case 'pay the first': {
        const [first] = this.witness.shown;
        if (first !== undefined) await this.#simulate(first, 'pay');
        return;
      }
      case 'fail':
        if (shown === undefined) return;
        await this.#simulate(shown, 'fail');
        while (this.#latest?.status === 'pending') await this.#get();
        return;
      case 'wait until paid':
        while (this.#latest?.status !== 'paid') await this.#get();
        return;
      case 'leave':
        return this.#leave();
    }
  }

  /** Pays or ends an invoice at the bank. */
  async #simulate(invoiceId: string, what: 'pay' | 'fail' | 'expire'): Promise<void> {
    this.#context.log(`${what}s ${invoiceId}`);
    await this.#context.service.simulate(invoiceId, what);
  }

  /** Asks, and is gone before the answer. */
  async #leave(): Promise<void> {
    const body = { payment_method_id: this.plan.method };
    await this.#send('leaves', 'invoice', { method: 'POST', body: JSON.stringify(body) }, this.#newKey(), 40);
  }

  /** Asks for requisites with one key until it is known what has come of it. */
  async #ask(method: string, replace = false): Promise<void> {
    const key = this.#newKey();
    const body = JSON.stringify({ payment_method_id: method, ...(replace ? { replace } : {}) });
    if (replace) this.witness.replaces += 1;
    for (;;) {
      const answer = await this.#send(`${key} ${body}`, 'invoice', { method: 'POST', body }, key);
      if (answer.status === 409) await this.#get();
      if (answer.status === 409 || answer.status === 200 || answer.status === 201) return;
      await this.#pause(answer.retryMs);
    }
  }

  async #get(shop?: string): Promise<Answer> {
    const headers = this.#etag === null ? {} : { 'if-none-match': this.#etag, prefer: 'wait=4' };
    return this.#send('GET', '', shop === undefined ? { headers } : {}, undefined, patienceMs, shop);
  }

  #newKey(): string {
    this.#keys += 1;
    return `${this.#context.name}-${this.#keys}`;
  }

  async #pause(ms: number): Promise<void> {
    await delay(Math.min(ms, 3000) / speed + this.#context.random.int(0, 40));
  }

  /** One request; status 0: no answer came. */
  async #send(
    what: string,
    path: string,
    init: { method?: string; body?: string; headers?: Record<string, string> },
    key?: string,
    withinMs = patienceMs,
    shop = this.#nextShop(),
  ): Promise<Answer> {
    const { over, log } = this.#context;
    over.throwIfAborted();
    const sentAt = performance.now();
    const headers = { ...init.headers, 'content-type': 'application/json', ...(key && { 'idempotency-key': key }) };
    const url = `${shop}/checkout/${this.#checkoutId}${path === '' ? '' : `/${path}`}`;
    const response = await answerOf(url, { ...init, headers, signal: AbortSignal.timeout(withinMs) });
    if (response === undefined) {
      log(`${what} → no answer`);
      return { status: 0, checkout: undefined, retryMs: 500 };
    }
    const { status, body } = response;
    const checkout = await this.witness.see({ what, sentAt, status, body });
    log(`${what} → ${status} ${brief(checkout, body)}`);
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

/** The whole answer, or undefined when none came, or only a part of it. */
async function answerOf(url: string, init: RequestInit) {
  try {
    const response = await fetch(url, init);
    const text = await response.text();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, headers: response.headers, body };
  } catch {
    return undefined;
  }
}

function otherThan(method: string | undefined): Method {
  return method === 'pm_card' ? 'pm_sbp' : 'pm_card';
}

function brief(checkout: Checkout | undefined, body: unknown): string {
  if (checkout !== undefined) return `${checkout.status} ${checkout.invoice?.id ?? 'no invoice'}`;
  return body === undefined ? '' : JSON.stringify(body).slice(0, 120);
}
