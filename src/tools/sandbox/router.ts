import { Hono } from 'hono';
import type { Operation } from '../../service-api.ts';
import { bankRoutes } from './bank/routes.ts';
import type { Clock } from '../../base/clock.ts';
import { systemRandom, type Random } from '../../base/random.ts';
import { controlApi } from './control/control-api.ts';
import type { Settings } from './control/sandbox-settings.ts';
import { type Reply, createWholeReply } from './faults/connection-faults.ts';
import type { Fault } from './faults/fault-kinds.ts';
import { ActiveFaults } from './faults/active-faults.ts';
import type { InvoiceStore } from './invoices/invoice-store.ts';
import { InvoiceLifecycle } from './invoices/invoice-lifecycle.ts';
import { WebhookSender, type SendWebhook } from './invoices/webhook-sender.ts';
import { withEnglishNames } from './service/english-bank-and-method-names.ts';
import { handleServiceRequest, type ServiceApiOptions } from './service/handle-service-request.ts';
import { createInvoice, fetchInvoices, fetchPaymentOptions } from './service/operation-handlers.ts';
import { ServiceError, errorResponse, toServiceError } from './service/service-error.ts';

/** The parts of a sandbox. `SandboxOptions` describes the optional members. */
export interface RequestHandlerOptions {
  readonly token: string;
  readonly store: InvoiceStore;
  readonly clock: Clock;
  /** The address at which browsers reach the sandbox, for links in responses. */
  readonly baseOf: (request: Request) => string;
  /** Aborted when the sandbox is closed. */
  readonly closing: AbortSignal;
  readonly invoiceLifetimeMs?: number | undefined;
  readonly qrGenerationMs?: number | undefined;
  readonly repeatedExternalId?: Settings['repeated_external_id'] | undefined;
  readonly faults?: readonly Fault[] | undefined;
  readonly random?: Random | undefined;
  readonly sendWebhook?: SendWebhook | undefined;
  readonly log?: ((line: string) => void) | undefined;
}

/** The sandbox without a server and without files, so that it also runs in a browser. */
export interface RequestHandler {
  /** Handles a request to the service, to the control API, or for a page of the bank. */
  handle(request: Request): Promise<Reply>;
  /** Sends the webhook calls that an earlier run of the sandbox stored and did not complete. */
  start(): void;
  /** Cancels the timers. */
  stop(): void;
}

/** Builds the sandbox from its parts. */
export function createRequestHandler({
  token,
  store,
  clock,
  baseOf,
  closing,
  ...options
}: RequestHandlerOptions): RequestHandler {
  const { log = () => undefined, random = systemRandom } = options;
  const webhooks = new WebhookSender(store, clock, options.sendWebhook ?? fetch, log, closing);
  const lifecycle = new InvoiceLifecycle(store, clock, webhooks, log);
  const faults = new ActiveFaults(random.number, options.faults);
  const initialSettings: Settings = {
    repeated_external_id: options.repeatedExternalId ?? 'new',
    qr_generation_ms: options.qrGenerationMs ?? 150,
    invoice_lifetime_ms: options.invoiceLifetimeMs ?? 15 * 60_000,
    language: 'ru',
  };
  const settings = { current: initialSettings };

  const perform: ServiceApiOptions['perform'] = async (operation, body, request, isDuplicate) => {
    const operations: Readonly<Record<Operation, () => object | Promise<object>>> = {
      CreateInvoice: () =>
        createInvoice({ store, lifecycle, settings, clock, random, isDuplicate }, body, baseOf(request), closing),
      FetchPaymentOptions: () => fetchPaymentOptions(body),
      FetchInvoices: () => fetchInvoices(lifecycle, body, baseOf(request)),
    };
    const response = await operations[operation]();
    return settings.current.language === 'en' ? withEnglishNames(response) : response;
  };

  const pages = new Hono();
  pages.route('/sandbox', controlApi({ store, lifecycle, faults, settings, baseOf }));
  pages.route('/', bankRoutes({ lifecycle, clock }));
  pages.get('/healthz', (c) => c.json({ status: 'ok' }));
  pages.notFound(() => errorResponse(new ServiceError('not_found', 'there is nothing here')));
  pages.onError((error) => errorResponse(toServiceError(error, 'A request', log)));

  return {
    handle: async (request) =>
      new URL(request.url).pathname.startsWith('/api/')
        ? handleServiceRequest({ token, faults, clock, perform, log }, request, closing)
        : createWholeReply(await pages.fetch(request)),
    start: () => webhooks.sendDue(),
    stop() {
      lifecycle.stop();
      webhooks.stop();
    },
  };
}
