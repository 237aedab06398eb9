import { Hono } from 'hono';
import type { Operation } from '../../service-api.ts';
import { bankRoutes } from './bank/routes.ts';
import type { Clock } from '../../base/clock.ts';
import { systemRandom, type Random } from '../../base/random.ts';
import { controlApi } from './control/control-api.ts';
import type { Settings } from './control/sandbox-settings.ts';
import { createWholeReply, type HandleRequest } from './faults/connection-faults.ts';
import type { Fault } from './faults/fault-kinds.ts';
import { ActiveFaults } from './faults/active-faults.ts';
import type { InvoiceStore } from './invoices/invoice-store.ts';
import { InvoiceLifecycle } from './invoices/invoice-lifecycle.ts';
import { WebhookSender, type SendWebhook } from './invoices/webhook-sender.ts';
import { withEnglishNames } from './service/english-bank-and-method-names.ts';
import { handleServiceRequest, type ServiceApiOptions } from './service/handle-service-request.ts';
import { createInvoice, fetchInvoices, fetchPaymentOptions } from './service/operation-handlers.ts';
import { ServiceError, errorResponse, toServiceError } from './service/service-error.ts';

/** What can be chosen of every sandbox. */
export interface ServiceOptions {
  /** The access token that callers of the three operations must send. */
  readonly token: string;
  /** Time until an invoice expires, in milliseconds; 15 minutes when undefined. */
  readonly invoiceLifetimeMs?: number;
  /** Duration of the generation of a QR code, in milliseconds; 150 when undefined. */
  readonly qrGenerationMs?: number;
  /** The response to a repeated `external_id`; `new` when undefined. */
  readonly repeatedExternalId?: Settings['repeated_external_id'];
  /** Faults from the start on; none when undefined. */
  readonly faults?: readonly Fault[];
  /** Randomness of identifiers, and of the `probability` of faults without a seed; the machine's when undefined. */
  readonly random?: Random;
  /** Sends a webhook request to the merchant; `fetch` when undefined. */
  readonly sendWebhook?: SendWebhook;
  /** Called with log lines. They contain no requisites and no tokens. */
  readonly log?: (line: string) => void;
}

/** The parts of a sandbox. */
export interface RequestHandlerOptions extends ServiceOptions {
  readonly store: InvoiceStore;
  readonly clock: Clock;
  /** The address at which browsers reach the sandbox, for links in responses. */
  readonly baseOf: (request: Request) => string;
  /** Aborted when the sandbox is closed. */
  readonly closing: AbortSignal;
}

/**
 * Builds the sandbox from its parts, without a server and without files: the simulator does so too. It handles requests to the
 * service, to the control API, and for pages of the bank.
 */
export function createRequestHandler({
  token,
  store,
  clock: exactClock,
  baseOf,
  closing,
  ...options
}: RequestHandlerOptions): HandleRequest {
  const { log = () => undefined, random = systemRandom } = options;
  const clock = inWholeMilliseconds(exactClock);
  const webhooks = new WebhookSender(clock, options.sendWebhook ?? fetch, log, closing);
  const lifecycle = new InvoiceLifecycle(store, clock, webhooks);
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
  pages.route('/', bankRoutes(lifecycle, clock));
  pages.get('/healthz', (c) => c.json({ status: 'ok' }));
  pages.notFound(() => errorResponse(new ServiceError('not_found', 'there is nothing here')));
  pages.onError((error) => errorResponse(toServiceError(error, 'A request', log)));

  closing.addEventListener('abort', () => lifecycle.stop());
  return async (request) =>
    new URL(request.url).pathname.startsWith('/api/')
      ? handleServiceRequest({ token, faults, clock, perform, log }, request, closing)
      : createWholeReply(await pages.fetch(request));
}

/** Stored times are whole milliseconds, and some clocks have fractions. */
function inWholeMilliseconds(clock: Clock): Clock {
  return {
    now: () => Math.floor(clock.now()),
    schedule: (ms, task, background) => clock.schedule(ms, task, background),
  };
}
