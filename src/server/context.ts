import type { CreateInvoiceRequest, Mode } from '../contract.ts';
import type { Clock } from '../base/clock.ts';
import type { ServiceHealth } from './live/service-health.ts';
import type { InvoiceService } from './ports/invoice-service.ts';
import type { Log } from './ports/log.ts';
import type { Instrumentation } from './telemetry/instrumentation.ts';
import type { Limits, StatusLists, Timing } from './options.ts';
import type { CheckoutStore } from './ports/checkout-store.ts';

/** The ports and settings that the parts of the server share. */
export interface ServerContext {
  readonly service: InvoiceService;
  readonly store: CheckoutStore;
  readonly clock: Clock;
  /** From 0 up to, but not, 1. */
  readonly random: () => number;
  readonly log: Log;
  readonly instrumentation: Instrumentation;
  readonly health: ServiceHealth;
  readonly endpoint: string;
  readonly mode: Mode;
  readonly qr: CreateInvoiceRequest['qr'];
  readonly statuses: StatusLists;
  readonly timing: Timing;
  readonly limits: Limits;
  /** Where this process' ticks lie within `timing.fastMs`. */
  readonly phase: number;
}
