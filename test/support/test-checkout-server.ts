import assert from 'node:assert/strict';
import { checkout, problem, type Checkout, type Problem } from '../../src/checkout-api.ts';
import {
  createCheckoutServer,
  createMemoryStore,
  type CheckoutServer,
  type CheckoutServerOptions,
  type CheckoutStore,
  type CreateCheckoutParams,
  type Outcome,
  type CheckoutParams,
} from '../../src/server.ts';
import { invoicesOf } from '../../src/server/domain/checkout-status.ts';
import { checkDocumented } from './documented-answers.ts';
import { FakeClock, settle } from './fake-clock.ts';
import { fixedRandom } from './fixed-random.ts';
import { FakeInvoiceService } from './fake-invoice-service.ts';
import { createKillableProcess, type KillableProcess } from './killable-process.ts';

export const endpoint = 'https://shop.example/checkout';

export const checkoutParams: CheckoutParams = {
  orderId: 'order-1',
  amount: '1500.00',
  amountLimits: null,
  currency: 'RUB',
  description: 'Order 1',
  successUrl: 'https://shop.example/thanks',
  failUrl: null,
  reference: null,
  expiresAt: null,
  metadata: null,
  methods: null,
};

/** A response of the checkout server, parsed with the schemas from which the widget's decoders are generated. */
export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly etag: string;
  readonly checkout: Checkout;
  readonly problem: Problem;
}

/** The service's time when the monotonic clock was 0. */
const serviceEpoch = new FakeClock().wall() - new FakeClock().now();

interface CreateInvoiceInit {
  readonly key?: string;
  readonly method?: string;
  readonly amount?: string;
  readonly replace?: boolean;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly address?: string;
}

/** The capabilities of the created checkouts, which several servers on one store may have. */
export const capabilities = new Map<string, string>();

/** A checkout server over a fake service, a fake clock and a store in memory; nothing takes real time. */
export class TestCheckoutServer {
  readonly fakeClock = new FakeClock();
  readonly clock = {
    now: () => this.fakeClock.wall(),
    monotonic: () => this.fakeClock.now(),
    schedule: this.fakeClock.schedule.bind(this.fakeClock),
  };
  /** The service has a clock of its own, which does not change when a test sets the shop's wall clock. */
  readonly service: FakeInvoiceService;
  readonly store: CheckoutStore;
  readonly outcomes: Outcome[] = [];
  readonly logEntries: { readonly level: string; readonly event: string; readonly facts: object }[] = [];
  readonly options: CheckoutServerOptions;
  /** The shop's handler of outcomes. */
  onOutcome: CheckoutServerOptions['onOutcome'] = () => Promise.resolve();
  server: CheckoutServer;
  /** The checkout that the requests name. */
  id = '';

  #process: KillableProcess = createKillableProcess();

  /** @param options - a test gives `clock` to run in real time; then the service has the system's time too */
  constructor(options: Partial<CheckoutServerOptions> = {}) {
    this.service = new FakeInvoiceService(() =>
      options.clock === undefined ? serviceEpoch + this.fakeClock.now() : Date.now(),
    );
    this.store = options.store ?? createMemoryStore();
    this.options = {
      service: this.service,
      store: this.store,
      endpoint,
      mode: 'TEST',
      statuses: { paid: ['PAID'] },
      onOutcome: async (outcome, context) => {
        const result = await this.onOutcome(outcome, context);
        this.outcomes.push(outcome);
        return result;
      },
      clock: this.clock,
      random: fixedRandom(0),
      log: (level, event, facts) => void this.logEntries.push({ level, event, facts }),
      ...options,
    };
    this.server = this.#spawn();
  }

  /** A server with one open checkout, whose workers run. */
  static async open(
    changes: Partial<CheckoutParams> = {},
    options: Partial<CheckoutServerOptions> = {},
  ): Promise<TestCheckoutServer> {
    const harness = new TestCheckoutServer(options);
    harness.id = await harness.createCheckout(changes);
    harness.server.start();
    return harness;
  }

  /** A server as `open` returns it, whose checkout has an invoice. */
  static async openWithInvoice(
    changes: Partial<CheckoutParams> = {},
    options: Partial<CheckoutServerOptions> = {},
  ): Promise<TestCheckoutServer> {
    const harness = await TestCheckoutServer.open(changes, options);
    await harness.createInvoice();
    return harness;
  }

  /** Another process on the same store, with the same service and clock. Its requests name the same checkout. */
  otherProcess(options: Partial<CheckoutServerOptions> = {}): TestCheckoutServer {
    const { store, service, clock = this.clock } = this.options;
    const other = new TestCheckoutServer({ store, service, clock, ...options });
    other.id = this.id;
    return other;
  }

  /** Creates a checkout of an order; resolves with its identifier. */
  async createCheckout(changes: Partial<CreateCheckoutParams> = {}): Promise<string> {
    const { id, capability } = await this.server.create({ ...checkoutParams, ...changes });
    capabilities.set(id, capability);
    return id;
  }

  /** The capability of the checkout that the requests name. */
  get capability(): string {
    return this.capabilityOf(this.id);
  }

  /** The capability of a checkout that `createCheckout` has created. */
  capabilityOf(id: string): string {
    return capabilities.get(id) ?? assert.fail(`there is no checkout ${id}`);
  }

  /** Kills the process in the middle of its work, and starts another process on the same store. */
  crash(): void {
    this.#process.kill();
    this.#process = createKillableProcess();
    this.server = this.#spawn();
    this.server.start();
  }

  #spawn(): CheckoutServer {
    const { bind } = this.#process;
    const { service, store, clock = this.clock } = this.options;
    const shop = bind({ deliver: this.options.onOutcome });
    return createCheckoutServer({
      ...this.options,
      service: bind(service),
      store: bind(store),
      clock: bind(clock),
      onOutcome: async (outcome, context) => shop.deliver(outcome, context),
    });
  }

  async parseResponse(response: Promise<Response>): Promise<TestResponse> {
    const { status, headers } = await response;
    const text = await (await response).text();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    const isProblem = headers.get('content-type') === 'application/problem+json';
    assert.equal(headers.get('cache-control'), 'no-store');
    const parsed = {
      checkout: body !== undefined && !isProblem ? checkout.parse(body) : undefined,
      problem: isProblem ? problem.parse(body) : undefined,
    };
    assert.deepEqual(
      parsed.checkout ?? parsed.problem,
      body,
      'the response has a member that its schema does not have',
    );
    if (parsed.problem !== undefined) assert.equal(parsed.problem.status, status);
    return {
      status,
      headers,
      etag: headers.get('etag') ?? '',
      get checkout() {
        return parsed.checkout ?? assert.fail(`the response has the status ${status} and the body ${text}`);
      },
      get problem() {
        return parsed.problem ?? assert.fail(`the response has the status ${status} and the body ${text}`);
      },
    };
  }

  /** Sends a request to a path below the endpoint. The response must be one that the OpenAPI document has. */
  async request(path: string, init: RequestInit = {}, address = '192.0.2.200'): Promise<Response> {
    const response = await this.server.handle(new Request(`${endpoint}${path}`, init), { address });
    checkDocumented(init.method ?? 'GET', path.replace(/\?.*/, ''), response);
    return response;
  }

  getCheckout(headers: Record<string, string> = {}, query = ''): Promise<TestResponse> {
    return this.parseResponse(this.request(`/${this.capability}${query}`, { headers }));
  }

  /** Sends a read that the server holds for `seconds` while the checkout has this ETag. */
  longPoll(etag = '*', seconds = 30): Promise<TestResponse> {
    return this.getCheckout({ 'if-none-match': etag, prefer: `wait=${seconds}` });
  }

  createInvoice({
    key = 'key-1',
    method = 'pm_card',
    headers,
    body,
    address,
    ...bodyMembers
  }: CreateInvoiceInit = {}): Promise<TestResponse> {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key, ...headers },
      body: body ?? JSON.stringify({ payment_method_id: method, ...bodyMembers }),
    };
    return this.parseResponse(this.request(`/${this.capability}/invoice`, init, address));
  }

  async sendWebhook(secret?: string, body = '{}'): Promise<number> {
    const storedSecret = (await this.store.load(this.id))?.hookSecret;
    const response = await this.request(`/${this.capability}/hook/${secret ?? storedSecret ?? ''}`, {
      method: 'POST',
      body,
    });
    return response.status;
  }

  async loadRecord() {
    const record = await this.store.load(this.id);
    assert.ok(record !== undefined);
    return record;
  }

  /** The attempts that have an invoice, oldest first. */
  async loadInvoices() {
    return invoicesOf(await this.loadRecord());
  }

  async loadAttempts() {
    return (await this.loadRecord()).attempts;
  }

  /** Lets time pass until a promise settles. */
  async until<T>(promise: Promise<T>): Promise<T> {
    const state = { isSettled: false };
    const markSettled = (): void => void (state.isSettled = true);
    void promise.then(markSettled, markSettled);
    for (let second = 0; second < 120 && !state.isSettled; second += 1) await this.advance(second === 0 ? 0 : 1000);
    assert.ok(state.isSettled, 'the promise settles within two minutes');
    return promise;
  }

  /** Lets time pass and calls the timers that become due meanwhile. */
  async advance(ms: number): Promise<void> {
    await this.fakeClock.advance(ms);
    await settle();
  }

  /** The kinds of the outcomes that the shop has received, in their order. */
  outcomeKinds(): readonly Outcome['kind'][] {
    return this.outcomes.map(({ kind }) => kind);
  }

  loggedEvents(): readonly string[] {
    return this.logEntries.map(({ event }) => event);
  }
}

/** A promise that a test resolves by `open`. */
export function createGate(): { readonly promise: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
}
