import { Hono } from 'hono';
import type { Operation } from '../contract.ts';
import { bankPages } from './bank-pages.ts';
import type { Clock } from './clock.ts';
import { controlApi } from './control-api.ts';
import { createInvoice } from './create-invoice.ts';
import { whole, type Answer } from './delivery.ts';
import { Failure, failureResponse } from './failure.ts';
import { FaultList } from './fault-list.ts';
import { fetchInvoices } from './fetch-invoices.ts';
import { fetchPaymentOptions } from './fetch-payment-options.ts';
import { HookSender, type SendHook } from './hook-sender.ts';
import type { InvoiceMemory } from './invoice-store.ts';
import { Lifecycle } from './lifecycle.ts';
import { answerService } from './service.ts';
import { SettingsBox, type Settings } from './settings.ts';

/** What the sandbox is made of. What may be left out is explained in `SandboxOptions`. */
export interface SandboxParts {
  readonly token: string;
  readonly store: InvoiceMemory;
  readonly clock: Clock;
  /** Where browsers reach the sandbox, for the links of an answer. */
  readonly baseOf: (request: Request) => string;
  /** Aborted when the sandbox ends. */
  readonly closing: AbortSignal;
  readonly invoiceLifetimeMs?: number | undefined;
  readonly qrGenerationMs?: number | undefined;
  readonly repeatedExternalId?: Settings['repeated_external_id'] | undefined;
  readonly random?: (() => number) | undefined;
  readonly sendHook?: SendHook | undefined;
  readonly log?: ((line: string) => void) | undefined;
}

/** The sandbox without a place to listen at: nothing in it needs more than a browser has. */
export interface AssembledSandbox {
  /** Answers any request: of the service, of the control API, or for a page of the bank. */
  answer(request: Request): Promise<Answer>;
  /** Takes up what a former run left. */
  start(): void;
  /** Ends the timers. */
  stop(): void;
}

/** Puts the sandbox together. */
export function assembleSandbox({ token, store, clock, baseOf, closing, ...options }: SandboxParts): AssembledSandbox {
  const { log = () => undefined } = options;
  const hooks = new HookSender(store, clock, options.sendHook ?? fetch, log, closing);
  const lifecycle = new Lifecycle(store, clock, hooks);
  const faults = new FaultList(options.random ?? Math.random);
  const settings = new SettingsBox({
    repeated_external_id: options.repeatedExternalId ?? 'new',
    qr_generation_ms: options.qrGenerationMs ?? 150,
    invoice_lifetime_ms: options.invoiceLifetimeMs ?? 15 * 60_000,
  });

  const perform = async (operation: Operation, body: unknown, request: Request): Promise<object> => {
    switch (operation) {
      case 'CreateInvoice':
        return createInvoice({ store, lifecycle, settings, clock }, body, baseOf(request), closing);
      case 'FetchPaymentOptions':
        return fetchPaymentOptions(body);
      case 'FetchInvoices':
        return fetchInvoices(lifecycle, body, baseOf(request));
    }
  };

  const pages = new Hono();
  pages.route('/sandbox', controlApi({ store, lifecycle, faults, settings, baseOf }));
  pages.route('/', bankPages({ lifecycle, clock }));
  pages.get('/healthz', (c) => c.json({ status: 'ok' }));
  pages.notFound(() => failureResponse(new Failure('not_found', 'there is nothing here')));
  pages.onError((error) => {
    if (error instanceof Failure) return failureResponse(error);
    log(`A request failed: ${error.message}`);
    return failureResponse(new Failure('internal', 'the sandbox could not do that'));
  });

  return {
    answer: async (request) =>
      new URL(request.url).pathname.startsWith('/api/')
        ? answerService({ token, faults, clock, perform, log }, request, closing)
        : whole(await pages.fetch(request)),
    start: () => hooks.wake(),
    stop() {
      lifecycle.stop();
      hooks.stop();
    },
  };
}
