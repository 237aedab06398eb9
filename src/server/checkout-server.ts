import type { CreateInvoiceRequest, Mode } from '../contract.ts';
import type { Answer, RequestHead, WhenGone } from './http/response.ts';
import { createAskInvoice } from './http/create-invoice.ts';
import { systemClock, type Clock } from './ports/clock.ts';
import { createCompleter } from './workers/create-recovery.ts';
import { createCaller, type Caller } from './commands/create-invoice-call.ts';
import { createFetchPace } from './workers/adaptive-rate-limit.ts';
import { createHandler } from './http/router.ts';
import { createHealth } from './live/service-health.ts';
import type { InvoiceService } from './ports/invoice-service.ts';
import type { Kit } from './context.ts';
import { createLanes } from './workers/poll-scheduler.ts';
import { nameOf, standardErrorLog, type Log } from './ports/log.ts';
import { createLookAt } from './workers/fetch-batch.ts';
import { createMeters } from './telemetry/instrumentation.ts';
import type { Metrics } from './telemetry/metrics.ts';
import { mintCheckoutId, mintHookSecret } from './domain/ids.ts';
import { createNewInvoice } from './commands/create-guard.ts';
import { createOptionsCache } from './commands/payment-options-cache.ts';
import { createOriginRules } from './http/cors.ts';
import { createOutbox } from './workers/outcome-dispatcher.ts';
import { createPictures } from './commands/checkout-presenter.ts';
import {
  defaultLimits,
  defaultStatuses,
  defaultTiming,
  type Limits,
  type StatusLists,
  type Timing,
} from './options.ts';
import { createRecents, type Recents } from './live/not-modified-cache.ts';
import { createSettleLook } from './workers/record-batch.ts';
import { createShowCheckout } from './http/get-checkout.ts';
import type { CheckoutStore, CheckoutTerms, Outcome } from './ports/checkout-store.ts';
import { createStaleNotice, spreadMs } from './live/outage-broadcast.ts';
import { createTakeHook } from './http/receive-webhook.ts';
import { checkTerms } from './domain/checkout-params.ts';
import { createWaiters, type Waiters } from './live/long-polls.ts';
import { createWatched, type Watched } from './workers/active-viewers.ts';
import { createWatcher, type Watcher } from './workers/status-poller.ts';

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
  read(path: string, head: RequestHead, whenGone: WhenGone): Answer | Promise<Answer> | undefined;
  /** Mints a checkout for an order and resolves with its capability once it is stored. */
  open(terms: CheckoutTerms): Promise<string>;
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
  const kit = kitOf(options);
  const { store, clock, log, limits, endpoint } = kit;
  const watched = createWatched(clock, kit.timing.watchedMs);
  const waiters = createWaiters(clock, limits);
  tellState(options.metrics, kit, watched, waiters);
  const caller = createCaller(kit);
  const watcher = assembleWatcher(kit, watched, caller);
  const recents = createRecents(clock);
  const { handle, read } = assembleHandler(kit, options.allowedOrigins ?? [], {
    watched,
    waiters,
    recents,
    caller,
    watcher,
  });
  const outbox = createOutbox({ ...kit, onOutcome: options.onOutcome });
  const staleNotice = createStaleNotice(kit, waiters);
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
    async open(terms) {
      const checked = checkTerms(terms, endpoint);
      const id = mintCheckoutId();
      await store.insert({
        id,
        hook_secret: mintHookSecret(),
        terms: checked,
        created_at: clock.now(),
        version: 1,
        paid_external_id: null,
        attempts: [],
      });
      log('info', 'checkout_opened', { checkout: nameOf(id), order_id: checked.order_id });
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

function kitOf(options: CheckoutServerOptions): Kit {
  const { service, store, endpoint, mode, qr = { generate: true, timeout: '4s' } } = options;
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw new TypeError('endpoint: must be an address such as "https://shop.example/checkout"');
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const timing = { ...defaultTiming, ...options.timing };
  const meters = createMeters(options.metrics, clock);
  return {
    service: meters.service(service),
    store: meters.store(store),
    clock,
    random,
    log: meters.log(options.log ?? standardErrorLog),
    meters,
    health: createHealth(clock, timing.staleMs),
    endpoint,
    mode,
    qr: qr ?? undefined,
    statuses: options.statuses ?? defaultStatuses,
    timing,
    limits: { ...defaultLimits, ...options.limits },
    phase: Math.floor(random() * timing.fastMs),
  };
}

function tellState(metrics: Metrics | undefined, { health }: Kit, watched: Watched, waiters: Waiters): void {
  metrics?.gauge(
    'pay_invoice_waiting_answers',
    'Answers that are held back until something changes.',
    () => waiters.size,
  );
  metrics?.gauge(
    'pay_invoice_watched_checkouts',
    'Checkouts that a payer looks at through this process.',
    () => [...watched.all()].length,
  );
  metrics?.gauge('pay_invoice_stale', '1 while the invoice service does not answer, else 0.', () =>
    Number(health.isStale()),
  );
}

function assembleWatcher(kit: Kit, watched: Watched, caller: Caller): Watcher {
  const pace = createFetchPace(kit.clock, kit.limits.fetchesPerSecond);
  const lanes = createLanes(kit, watched);
  const lookAt = createLookAt(kit, pace, lanes, createSettleLook(kit, lanes));
  return createWatcher(kit, pace, lanes, lookAt, createCompleter(kit, caller));
}

interface Shared {
  readonly watched: Watched;
  readonly waiters: Waiters;
  readonly recents: Recents;
  readonly caller: Caller;
  readonly watcher: Watcher;
}

function assembleHandler(kit: Kit, allowedOrigins: readonly string[], shared: Shared) {
  const { watched, waiters, recents, caller, watcher } = shared;
  const options = createOptionsCache(kit);
  const pictures = createPictures(kit, options);
  return createHandler({
    show: createShowCheckout(kit, { pictures, recents, waiters, watched }),
    ask: createAskInvoice(kit, { pictures, options, newInvoice: createNewInvoice(kit, options), caller, waiters }),
    takeHook: createTakeHook(kit, watcher),
    origins: createOriginRules(kit.endpoint, allowedOrigins),
    log: kit.log,
    answered: kit.meters.answered,
  });
}
