import assert from 'node:assert/strict';
import { checkout, problem, type Checkout, type Problem } from '../../src/protocol.ts';
import {
  createCheckoutServer,
  createMemoryStore,
  type CheckoutServer,
  type CheckoutServerOptions,
  type CheckoutStore,
  type CheckoutParams,
  type Outcome,
} from '../../src/server.ts';
import { FakeClock, settle } from './fake-clock.ts';
import { FakeService } from './fake-service.ts';
import { createMortal, type Mortal } from './mortal.ts';

export const endpoint = 'https://shop.example/checkout';

export const terms: CheckoutParams = {
  order_id: 'order-1',
  amount: '1500.00',
  amount_limits: null,
  currency: 'RUB',
  description: 'Order 1',
  success_url: 'https://shop.example/thanks',
  fail_url: null,
};

/** An answer of the checkout server, read by the schemas that the widget's reader is generated from. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly etag: string;
  readonly checkout: Checkout;
  readonly problem: Problem;
}

interface Asked {
  readonly key?: string;
  readonly method?: string;
  readonly amount?: string;
  readonly replace?: boolean;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly address?: string;
}

/** A checkout server over a fake service, a fake clock and a store in memory; nothing takes real time. */
export class World {
  readonly fake = new FakeClock();
  readonly clock = { now: () => this.fake.wall(), schedule: this.fake.schedule.bind(this.fake) };
  readonly service = new FakeService(() => this.fake.wall());
  readonly store: CheckoutStore;
  readonly outcomes: Outcome[] = [];
  readonly lines: { readonly level: string; readonly event: string; readonly facts: object }[] = [];
  readonly options: CheckoutServerOptions;
  /** What the shop does when it hears of an outcome. */
  shop: (outcome: Outcome) => Promise<void> = () => Promise.resolve();
  server: CheckoutServer;
  id = '';
  #process: Mortal = createMortal();

  constructor(options: Partial<CheckoutServerOptions> = {}) {
    this.store = options.store ?? createMemoryStore();
    this.options = {
      service: this.service,
      store: this.store,
      endpoint,
      mode: 'TEST',
      onOutcome: async (outcome) => {
        await this.shop(outcome);
        this.outcomes.push(outcome);
      },
      clock: this.clock,
      random: () => 0,
      log: (level, event, facts) => void this.lines.push({ level, event, facts }),
      ...options,
    };
    this.server = this.#spawn();
  }

  /** A world with one open checkout, whose watcher runs. */
  static async open(
    changes: Partial<CheckoutParams> = {},
    options: Partial<CheckoutServerOptions> = {},
  ): Promise<World> {
    const world = new World(options);
    world.id = await world.server.create({ ...terms, ...changes });
    world.server.start();
    return world;
  }

  /** The process dies without a word, wherever it is, and another one starts on the same store. */
  crash(): void {
    this.#process.kill();
    this.#process = createMortal();
    this.server = this.#spawn();
    this.server.start();
  }

  #spawn(): CheckoutServer {
    const { bind } = this.#process;
    const { service, store, clock = this.clock } = this.options;
    const shop = bind({ tell: async (outcome: Outcome) => this.options.onOutcome(outcome) });
    return createCheckoutServer({
      ...this.options,
      service: bind(service),
      store: bind(store),
      clock: bind(clock),
      onOutcome: async (outcome) => shop.tell(outcome),
    });
  }

  async read(response: Promise<Response>): Promise<Answer> {
    const { status, headers } = await response;
    const text = await (await response).text();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const isProblem = headers.get('content-type') === 'application/problem+json';
    assert.equal(headers.get('cache-control'), 'no-store');
    const read = {
      checkout: body !== undefined && !isProblem ? checkout.parse(body) : undefined,
      problem: isProblem ? problem.parse(body) : undefined,
    };
    assert.deepEqual(read.checkout ?? read.problem, body, 'the answer holds what its schema holds, and no more');
    if (read.problem !== undefined) assert.equal(read.problem.status, status);
    return {
      status,
      headers,
      etag: headers.get('etag') ?? '',
      get checkout() {
        return read.checkout ?? assert.fail(`${status} is answered with ${text}`);
      },
      get problem() {
        return read.problem ?? assert.fail(`${status} is answered with ${text}`);
      },
    };
  }

  request(path: string, init: RequestInit = {}, address?: string): Promise<Response> {
    return this.server.handle(new Request(`${endpoint}${path}`, init), { address });
  }

  get(headers: Record<string, string> = {}, query = ''): Promise<Answer> {
    return this.read(this.request(`/${this.id}${query}`, { headers }));
  }

  ask({ key = 'key-1', method = 'pm_card', headers, body, address, ...rest }: Asked = {}): Promise<Answer> {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key, ...headers },
      body: body ?? JSON.stringify({ payment_method_id: method, ...rest }),
    };
    return this.read(this.request(`/${this.id}/invoice`, init, address));
  }

  async hook(secret?: string, body = '{}'): Promise<number> {
    const known = (await this.store.load(this.id))?.hook_secret;
    const response = await this.request(`/${this.id}/hook/${secret ?? known ?? ''}`, { method: 'POST', body });
    return response.status;
  }

  async record() {
    const record = await this.store.load(this.id);
    assert.ok(record !== undefined);
    return record;
  }

  async attempts() {
    return (await this.record()).attempts;
  }

  /** Lets time pass until a promise settles. */
  async until<T>(promise: Promise<T>): Promise<T> {
    const state = { isOver: false };
    const over = (): void => void (state.isOver = true);
    void promise.then(over, over);
    for (let second = 0; second < 120 && !state.isOver; second += 1) await this.pass(second === 0 ? 0 : 1000);
    assert.ok(state.isOver, 'is over within two minutes');
    return promise;
  }

  /** Lets time pass; everything that becomes due on the way happens. */
  async pass(ms: number): Promise<void> {
    await this.fake.advance(ms);
    await settle();
  }

  events(): readonly string[] {
    return this.lines.map(({ event }) => event);
  }
}

/** A promise that a test settles when it likes. */
export function gate(): { readonly promise: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
}
