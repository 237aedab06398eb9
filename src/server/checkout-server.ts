import { CheckoutOptionsError } from '../base/options-error.ts';
import { createServerContext } from './server-context.ts';
import type { CheckoutServerOptions } from './checkout-server-options.ts';
import { createInvoiceCaller } from './commands/call-service-and-save-invoice.ts';
import { createCreateInvoiceHandler, createReceiveWebhookHandler, createGetCheckoutHandler } from './http/handlers.ts';
import { createCheckPayment } from './commands/check-payment.ts';
import { createCreateInvoice } from './commands/create-invoice.ts';
import { createOutcomeFeed, feedKey, type OutcomePage, type OutcomesQuery } from './commands/read-outcomes.ts';
import { createPurge, type PurgeOptions } from './commands/purge-checkouts.ts';
import { createPaymentOptionsCache } from './between-requests/payment-options-cache.ts';
import {
  createMerchantCheckouts,
  isStorable,
  type CheckoutPage,
  type CreateCheckoutOptions,
  type ListCheckoutsQuery,
  type ResolveParams,
} from './commands/create-and-list-checkouts.ts';
import {
  CheckoutNotFoundError,
  type CreateCheckoutParams,
  type UpdateCheckoutParams,
} from './domain/checkout-params.ts';
import { ownInvoices } from './domain/checkout-status.ts';
import type { CheckoutWithOutcomes, CreatedCheckout, LinkedCheckout } from './domain/present-to-merchant.ts';
import { createProblemOf, createRouter } from './http/router.ts';
import {
  createLoadView,
  createPresentCheckout,
  createView,
  type CheckoutQuery,
  type PayerView,
} from './http/view-checkout.ts';
import { createKnownViews } from './between-requests/known-views.ts';
import { createLongPolls, createOutageBroadcast } from './between-requests/long-polls.ts';
import { createClockStepDetector } from './workers/clock-step-detector.ts';
import { createStatusPoller } from './workers/invoice-status-poller.ts';
import { createOutcomeDispatcher } from './workers/outcome-dispatcher.ts';
import { createViewers } from './workers/record-viewed-checkouts.ts';

/** After notifications were lost, all long polls are woken in groups within this time. */
const lostNotificationSpreadMs = 1000;

/** A framework may pass an object of its own as the second argument: all payers would then share a limit. */
function isClient(client: unknown): boolean {
  if (typeof client !== 'object' || client === null || !('address' in client)) return false;
  return typeof client.address === 'string' || client.address === undefined || client.address === null;
}

/** A framework on Node may pass its own request, whose `url` is a path and whose headers are a plain object. */
const isRequest = (request: unknown): boolean =>
  typeof request === 'object' && request !== null && 'url' in request && URL.canParse(String(request.url));

/** The checkout server in the merchant's backend. */
export interface CheckoutServer {
  /**
   * What the payer may see: the same as a GET of `handle` shows, without HTTP, for pages that a server renders. `options` includes the
   * payment options although an invoice is pending; `check` asks the service first; `amount` is what the payer has typed.
   */
  view(capability: string, query?: CheckoutQuery): Promise<PayerView>;
  /**
   * Serves the checkout API (docs/checkout-api.md). `address` is the client's IP address, for rate limits; clients without one
   * share a limit.
   * @throws CheckoutOptionsError without `address` in the second argument
   */
  handle(request: Request, client: { readonly address: string | undefined }): Promise<Response>;
  /**
   * Creates the checkout of an order, and resolves when the checkout is stored; with `transaction`, when it is written in that
   * transaction. An order has one checkout: a further call returns it, with `isNew` false. Money decides: another amount, other
   * limits or another currency are refused, and the other parameters take the new values. A closed checkout stays closed, which
   * the `status` of the answer says; `reopen` opens it. An expired capability is replaced. Call it when the order is made, and
   * not each time that a page shows the order.
   * @throws CheckoutParamsError for parameters that are missing, invalid or unknown
   * @throws CheckoutConflictError `order_conflict` when the order has a checkout for other money
   */
  create(params: CreateCheckoutParams, options?: CreateCheckoutOptions): Promise<CreatedCheckout>;
  /** The checkout with this `id` and its outcomes, however old it is; undefined when there is none. */
  get(id: string): Promise<CheckoutWithOutcomes | undefined>;
  /** The checkout of an order, or undefined. */
  getByOrder(orderId: string): Promise<CheckoutWithOutcomes | undefined>;
  /** A page of checkouts, newest first. */
  list(query?: ListCheckoutsQuery): Promise<CheckoutPage>;
  /**
   * Changes an open checkout. The payer's open pages follow, and no invoice for the old amount is created once it has resolved.
   * @throws CheckoutNotFoundError
   * @throws CheckoutConflictError `invoice_pending` while an invoice of it can still be paid
   */
  update(id: string, changes: UpdateCheckoutParams): Promise<CheckoutWithOutcomes>;
  /**
   * Fetches the invoices of a checkout at the service now, also those that are paid or no longer polled. `paid` stays final, and
   * `serviceStatus`, `statusHistory` and `checkedAt` show what the service says now. Resolves with the checkout when it has
   * answered, or after ten seconds; `answer` of the last of `actions` says which (`CheckAnswer`). The workers must run.
   * @throws CheckoutNotFoundError
   */
  check(id: string): Promise<CheckoutWithOutcomes>;
  /**
   * Closes a checkout: no new invoice is created for it. An invoice that exists stays payable and is polled, and its outcomes
   * are delivered. Resolves with the checkout. A checkout that was closed or paid before does not change.
   * @throws CheckoutNotFoundError
   */
  close(id: string): Promise<CheckoutWithOutcomes>;
  /**
   * Opens a checkout that was closed, or whose `expiresAt` has passed, which is then removed. Resolves with the checkout. One
   * that is open or paid does not change.
   * @throws CheckoutNotFoundError
   */
  reopen(id: string): Promise<CheckoutWithOutcomes>;
  /**
   * Hands out the capability of a checkout again, such as for a payer who has lost the link. It stays the same, so links that were
   * sent before still open the checkout; one that has expired is replaced. The call is in `actions`, and the capability in no log.
   * @throws CheckoutNotFoundError
   * @throws CheckoutConflictError `checkout_closed`
   */
  link(id: string): Promise<LinkedCheckout>;
  /**
   * A person's decision where the server cannot judge the money: an invoice that was paid with another amount, a create that was
   * given up, an invoice that never ended, or one with a status word in no list (`needsDecision`). The shop gets an outcome
   * `resolved` and, for `paid`, after it `paid`, or `duplicate_payment` where the order is paid. The payer's open page follows.
   * @throws CheckoutNotFoundError
   * @throws CheckoutParamsError for wrong parameters, and when several invoices need a decision and none is named
   * @throws CheckoutConflictError `nothing_to_resolve` when nothing needs a decision
   */
  resolve(id: string, params: ResolveParams): Promise<CheckoutWithOutcomes>;
  /**
   * The feed, for shops that fetch instead of being called: the outcomes of all checkouts in one order without gaps. An outcome
   * that is committed later never appears before one that was read.
   */
  outcomes(query?: OutcomesQuery): Promise<OutcomePage>;
  /**
   * Delivers an outcome once more, also one that was given up.
   * @throws CheckoutNotFoundError
   */
  redeliver(outcomeId: string): Promise<void>;
  /** Starts the status poller, the recovery of creates in doubt, and the outcome dispatcher. */
  start(): void;
  /**
   * Deletes settled checkouts that were created before `olderThan`, with their attempts and outcomes, in batches. Resolves
   * with the number of deleted checkouts. A checkout is settled when none of its invoices is polled any more, each of its
   * outcomes is delivered, no payment of another amount waits for a decision, and it is paid or its capability has expired
   * (`timing.lifetimeMs`). After the purge, `create` for the same order makes a new checkout.
   * @throws CheckoutParamsError when `olderThan` is not a time since 2000
   */
  purge(options: PurgeOptions): Promise<number>;
  /**
   * Whether the status poller was started, or has completed a round, in the last 10 s. Use it in health checks of processes
   * that have called `start`.
   */
  isPolling(): boolean;
  /** Ends long polls and background work. Resolves when calls in progress have finished. */
  stop(): Promise<void>;
}

/**
 * Creates a checkout server. No background work runs before `start`.
 * @throws CheckoutOptionsError for invalid or unknown options. The message has the path of each and the rule, such as
 * `timing.slowMs: must not be shorter than timing.fastMs`
 * @example
 * ```ts
 * import { createCheckoutServer } from 'pay-invoice/server';
 *
 * const server = createCheckoutServer({
 *   service,
 *   store,
 *   endpoint: 'https://shop.example/checkout',
 *   mode: 'TEST',
 *   onOutcome: async (outcome) => {
 *     if (outcome.kind === 'paid') await orders.apply(outcome); // deliver: it may come twice, with the same id
 *   },
 * });
 * server.start();
 * const { capability } = await server.create({ orderId: '1001', amount: '1500.00', currency: 'RUB' });
 * console.log(`<pay-invoice checkout="${capability}"></pay-invoice>`);
 * await server.stop();
 * ```
 */
export function createCheckoutServer(options: CheckoutServerOptions): CheckoutServer {
  const context = createServerContext(options);
  const { store, clock, limits, log, health, metrics } = context;
  const longPolls = createLongPolls(clock, limits);
  const knownViews = createKnownViews(clock);
  /** The calls of the shop, and of payers who say that they have paid, which wait for fetches and outcomes. */
  const fetches = createLongPolls(clock, limits);
  const invoiceCaller = createInvoiceCaller(context);
  const viewers = createViewers(context);
  const statusPoller = createStatusPoller(context, invoiceCaller, (checkoutId) => fetches.wake(checkoutId));
  const outcomeDispatcher = createOutcomeDispatcher(context);
  const clockStepDetector = createClockStepDetector(context);
  const outageBroadcast = createOutageBroadcast(context, longPolls);
  const purge = createPurge(context);
  const checkPayment = createCheckPayment(context, fetches, (record, asked) => statusPoller.expediteNow(record, asked));
  const optionsCache = createPaymentOptionsCache(context);
  const present = createPresentCheckout(context, optionsCache);
  const createInvoice = createCreateInvoice(context, { checkPayment, optionsCache, invoiceCaller, longPolls });
  const loadView = createLoadView(context, { checkPayment, present, viewers });
  const problemOf = createProblemOf(context);
  const handlers = {
    getCheckout: createGetCheckoutHandler(context, { loadView, longPolls, viewers, knownViews }),
    createInvoice: createCreateInvoiceHandler(context, createInvoice, present),
    receiveWebhook: createReceiveWebhookHandler(context, statusPoller),
  };
  const view = createView(loadView, problemOf);
  const handle = createRouter(context, handlers, problemOf);
  metrics.gauge('pay_invoice_long_polls', 'Requests that wait for a checkout to change.', () => longPolls.size);
  metrics.gauge(
    'pay_invoice_active_viewers',
    'Checkouts that a payer is viewing through this process.',
    () => viewers.size,
  );
  metrics.gauge('pay_invoice_stale', '1 while the invoice service does not answer, else 0.', () =>
    Number(health.isStale()),
  );

  let unsubscribe: (() => void) | undefined;
  /** Long polls need the notifications, also in a process without workers. */
  const subscribe = (): void => {
    unsubscribe ??= store.subscribe(
      (checkoutId, hasOutcomes) => {
        knownViews.forget(checkoutId);
        longPolls.wake(checkoutId);
        fetches.wake(checkoutId);
        if (!hasOutcomes) return;
        outcomeDispatcher.wake();
        fetches.wake(feedKey);
      },
      () => {
        outcomeDispatcher.wake();
        knownViews.forgetAll();
        longPolls.wakeAll(lostNotificationSpreadMs);
      },
    );
  };

  const { addAction, loadKnown, ...merchantCheckouts } = createMerchantCheckouts(context);
  return {
    ...merchantCheckouts,
    async check(id) {
      const { answer } = await checkPayment(await loadKnown(id), undefined, ownInvoices);
      log('info', 'checkout_checked', { checkout: id, answer });
      return addAction(id, { action: 'check', target: null, answer });
    },
    outcomes: createOutcomeFeed(context, fetches),
    async redeliver(outcomeId) {
      const checkoutId = isStorable('outcomeId', outcomeId) ? await outcomeDispatcher.redeliver(outcomeId) : undefined;
      if (checkoutId === undefined) throw new CheckoutNotFoundError('outcomeId', outcomeId);
      log('info', 'outcome_redelivered', { outcome: outcomeId, checkout: checkoutId });
      await addAction(checkoutId, { action: 'redeliver', target: outcomeId });
    },
    async view(capability, query) {
      subscribe();
      return view(capability, query);
    },
    async handle(request, client) {
      if (!isRequest(request))
        throw new CheckoutOptionsError({
          path: 'request',
          message: 'request: must be a Request, as fetch has it; for requests of Node use toNodeListener(checkouts)',
        });
      if (!isClient(client))
        throw new CheckoutOptionsError({
          path: 'client',
          message: 'client: must be an object with the IP address of the payer: handle(request, { address })',
        });
      subscribe();
      return handle(request, client.address ?? undefined); // without types it may be null
    },
    start() {
      subscribe();
      longPolls.start();
      fetches.start();
      statusPoller.start();
      outcomeDispatcher.start();
      clockStepDetector.start();
      outageBroadcast.start();
    },
    purge: (purgeOptions) => purge.run(purgeOptions),
    isPolling: () => statusPoller.isPolling(),
    async stop() {
      purge.stop();
      viewers.stop();
      outageBroadcast.stop();
      const parts = [longPolls, fetches, clockStepDetector, statusPoller, invoiceCaller];
      await Promise.all(parts.map((part) => part.stop()));
      await outcomeDispatcher.stop();
      unsubscribe?.();
      unsubscribe = undefined;
      knownViews.forgetAll();
    },
  };
}
