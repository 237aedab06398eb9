import type { CreateInvoiceRequest, Mode } from '../contract.ts';
import type { CheckoutResponse, RequestHead, OnDisconnect } from './http/response.ts';
import { createCreateInvoiceHandler } from './http/create-invoice.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { createCreateRecovery } from './workers/create-recovery.ts';
import { createInvoiceCaller, type CreateInvoiceCaller } from './commands/call-create-invoice.ts';
import { createAdaptiveRateLimit } from './workers/adaptive-rate-limit.ts';
import { createRouter } from './http/router.ts';
import { createServiceHealth } from './live/service-health.ts';
import type { InvoiceService } from './ports/invoice-service.ts';
import type { ServerContext } from './context.ts';
import { createPollScheduler } from './workers/poll-scheduler.ts';
import { checkoutLogId, standardErrorLog, type Log } from './ports/log.ts';
import { createFetchBatch } from './workers/status-poller.ts';
import { createInstrumentation } from './telemetry/instrumentation.ts';
import type { Metrics } from './telemetry/metrics.ts';
import { createCheckoutId, createHookSecret } from './domain/ids.ts';
import { createCreateLimits } from './commands/create-limits.ts';
import { createPaymentOptionsCache } from './commands/payment-options-cache.ts';
import { createAddressLimit, createRateLimit } from './http/rate-limit.ts';
import { createOriginRules } from './http/cors.ts';
import { createOutcomeDispatcher } from './workers/outcome-dispatcher.ts';
import { createCheckoutPresenter } from './commands/checkout-presenter.ts';
import {
  defaultLimits,
  defaultStatuses,
  defaultTiming,
  type Limits,
  type StatusLists,
  type Timing,
} from './options.ts';
import { createNotModifiedCache, type NotModifiedCache } from './live/not-modified-cache.ts';
import { createRecordBatch } from './workers/status-poller.ts';
import { createGetCheckoutHandler } from './http/get-checkout.ts';
import type { CheckoutStore, CheckoutParams, Outcome } from './ports/checkout-store.ts';
import { createOutageBroadcast, spreadMs } from './workers/outage-broadcast.ts';
import { createReceiveWebhookHandler } from './http/receive-webhook.ts';
import { validateCheckoutParams } from './domain/checkout-params.ts';
import { createLongPolls, type LongPolls } from './live/long-polls.ts';
import { createActiveViewers, type ActiveViewers } from './workers/poll-scheduler.ts';
import { createStatusPoller, type StatusPoller } from './workers/status-poller.ts';

/** What the checkout server needs from outside. */
export interface CheckoutServerOptions {
  readonly service: InvoiceService;
  readonly store: CheckoutStore;
  /** Where the handler is mounted as the service reaches it, such as `https://shop.example/checkout`: hooks go there. */
  readonly endpoint: string;
  /** Sent with every CreateInvoice (invoice-service.md §4.1); TEST is marked for the payer to see. */
  readonly mode: Mode;
  /** Hears of every outcome at least once; a rejection means that it will be told again. */
  readonly onOutcome: (outcome: Outcome) => Promise<void>;
  /** Origins other than the endpoint's own whose pages may use the checkout. */
  readonly allowedOrigins?: readonly string[];
  /** The service's words for the ends of an invoice; any other word means that it is in progress. */
  readonly statuses?: StatusLists;
  /** What is asked about QR codes (invoice-service.md §4.1); null: nothing. */
  readonly qr?: NonNullable<CreateInvoiceRequest['qr']> | null;
  readonly timing?: Partial<Timing>;
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  /** From 0 up to, but not, 1. */
  readonly random?: () => number;
  /** Lines without personal data and secrets; warnings and errors go to standard error by default. */
  readonly log?: Log;
  /** Where the server counts what it does; one for each server. */
  readonly metrics?: Metrics;
}

/** The merchant's half of the checkout. */
export interface CheckoutServer {
  /** Serves the checkout API (docs/checkout-api.md); `address` is the client's, for rate limits. */
  handle(request: Request, client?: { readonly address?: string | undefined }): Promise<Response>;
  /**
   * Answers the reading of a checkout as `handle` does, with less for each: `path` is the request's, as far as it was not
   * cut off by a mount. At once where it is known that nothing has changed. Undefined: it asks for something else, which
   * `handle` answers.
   */
  read(
    path: string,
    head: RequestHead,
    whenGone: OnDisconnect,
  ): CheckoutResponse | Promise<CheckoutResponse> | undefined;
  /** Mints a checkout for an order and resolves with its capability once it is stored. */
  create(terms: CheckoutParams): Promise<string>;
  /** Starts the status watcher, the completer of unknown creates, and the delivery of outcomes. */
  start(): void;
  /** Ends waiting answers and background work; what is under way is finished first. */
  stop(): Promise<void>;
}

/**
 * Builds the merchant's half of the checkout; nothing runs before `start`.
 * @throws TypeError for an endpoint or an allowed origin that cannot be used.
 */
export function createCheckoutServer(options: CheckoutServerOptions): CheckoutServer {
  const context = createContext(options);
  const { store, clock, log, limits, endpoint } = context;
  const watched = createActiveViewers(clock, context.timing.watchedMs);
  const waiters = createLongPolls(clock, limits);
  registerGauges(options.metrics, context, watched, waiters);
  const caller = createInvoiceCaller(context);
  const watcher = createPoller(context, watched, caller);
  const recents = createNotModifiedCache(clock);
  const { handle, read } = createHandler(context, options.allowedOrigins ?? [], {
    watched,
    waiters,
    recents,
    caller,
    watcher,
  });
  const outbox = createOutcomeDispatcher({ ...context, onOutcome: options.onOutcome });
  const staleNotice = createOutageBroadcast(context, waiters);
  const unsubscribe = store.subscribe(
    (checkoutId) => {
      recents.forget(checkoutId);
      waiters.wake(checkoutId);
    },
    () => {
      recents.forgetAll();
      waiters.wakeAll(spreadMs);
    },
  );

  return {
    handle: async (request, client) => handle(request, client?.address),
    read,
    async create(terms) {
      const checked = validateCheckoutParams(terms, endpoint);
      const id = createCheckoutId();
      await store.insert({
        id,
        hook_secret: createHookSecret(),
        params: checked,
        created_at: clock.now(),
        version: 1,
        paid_external_id: null,
        attempts: [],
      });
      log('info', 'checkout_created', { checkout: checkoutLogId(id), order_id: checked.order_id });
      return id;
    },
    start() {
      watcher.start();
      outbox.start();
      staleNotice.start();
    },
    async stop() {
      waiters.stop();
      await Promise.all([staleNotice.stop(), watcher.stop(), caller.stop()]);
      await outbox.stop();
      unsubscribe();
    },
  };
}

function createContext(options: CheckoutServerOptions): ServerContext {
  const { service, store, endpoint, mode, qr = { generate: true, timeout: '4s' } } = options;
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw new TypeError('endpoint: must be an address such as "https://shop.example/checkout"');
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const timing = { ...defaultTiming, ...options.timing };
  const meters = createInstrumentation(options.metrics, clock);
  return {
    service: meters.service(service),
    store: meters.store(store),
    clock,
    random,
    log: meters.log(options.log ?? standardErrorLog),
    instrumentation: meters,
    health: createServiceHealth(clock, timing.staleMs),
    endpoint,
    mode,
    qr: qr ?? undefined,
    statuses: options.statuses ?? defaultStatuses,
    timing,
    limits: { ...defaultLimits, ...options.limits },
    phase: Math.floor(random() * timing.fastMs),
  };
}

function registerGauges(
  metrics: Metrics | undefined,
  { health }: ServerContext,
  watched: ActiveViewers,
  waiters: LongPolls,
): void {
  metrics?.gauge('pay_invoice_long_polls', 'Requests that wait for a checkout to change.', () => waiters.size);
  metrics?.gauge(
    'pay_invoice_active_viewers',
    'Checkouts that a payer is viewing through this process.',
    () => [...watched.all()].length,
  );
  metrics?.gauge('pay_invoice_stale', '1 while the invoice service does not answer, else 0.', () =>
    Number(health.isStale()),
  );
}

function createPoller(context: ServerContext, watched: ActiveViewers, caller: CreateInvoiceCaller): StatusPoller {
  const pace = createAdaptiveRateLimit(context.clock, context.limits.fetchesPerSecond);
  const lanes = createPollScheduler(context, watched);
  const lookAt = createFetchBatch(context, pace, lanes, createRecordBatch(context, lanes));
  return createStatusPoller(context, pace, lanes, lookAt, createCreateRecovery(context, caller));
}

interface Shared {
  readonly watched: ActiveViewers;
  readonly waiters: LongPolls;
  readonly recents: NotModifiedCache;
  readonly caller: CreateInvoiceCaller;
  readonly watcher: StatusPoller;
}

function createHandler(context: ServerContext, allowedOrigins: readonly string[], shared: Shared) {
  const { watched, waiters, recents, caller, watcher } = shared;
  const options = createPaymentOptionsCache(context);
  const pictures = createCheckoutPresenter(context, options);
  return createRouter({
    show: createGetCheckoutHandler(context, { pictures, recents, waiters, watched }),
    ask: createCreateInvoiceHandler(context, {
      pictures,
      options,
      newInvoice: createCreateLimits(context, options, {
        byCheckout: createRateLimit(context.clock, context.limits.createsOfCheckout),
        byAddress: createAddressLimit(context.limits.createsOfAddress, context.clock),
      }),
      caller,
      waiters,
    }),
    takeHook: createReceiveWebhookHandler(context, watcher),
    origins: createOriginRules(context.endpoint, allowedOrigins),
    log: context.log,
    answered: context.instrumentation.countResponse,
  });
}
