import { formatDuration, type CreateInvoiceRequest, type Mode } from '../service-api.ts';
import { createSteadyClock, type Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { createServerTime, type ServerTime } from './in-memory/server-time.ts';
import { createServiceHealth, type ServiceHealth } from './in-memory/service-health.ts';
import type { InvoiceService } from './ports/invoice-service.ts';
import type { Log } from './ports/log.ts';
import { createInstrumentation, type Instrumentation, type Metrics } from './telemetry/metrics.ts';
import { readOptions, type CheckoutServerOptions } from './checkout-server-options.ts';
import type { Limits, Timing } from './timing-and-limit-defaults.ts';
import type { StatusLists } from './domain/fetch-decisions.ts';
import { createGuardedStore, type GuardedStore } from './guarded-store.ts';

/** The ports and settings that the parts of the server share. With metrics, the ports count their calls. */
export interface ServerContext {
  readonly service: InvoiceService;
  /** Each record is checked by the rules of `domain/check-record.ts` after it is loaded and before it is saved. */
  readonly store: GuardedStore;
  /** The clock for durations and timers. It does not step when the machine's clock is set. */
  readonly clock: Clock;
  /** The time for values that are stored, or compared with stored times. */
  readonly time: ServerTime;
  readonly random: Random;
  readonly log: Log;
  readonly instrumentation: Instrumentation;
  readonly health: ServiceHealth;
  readonly endpoint: string;
  /** Origins other than the endpoint's own whose pages may use the checkout. */
  readonly allowedOrigins: readonly string[];
  readonly mode: Mode;
  /** The currencies that an order may have. */
  readonly currencies: readonly string[];
  /** The QR request of a CreateInvoice; undefined when no QR codes are requested. */
  readonly qr: CreateInvoiceRequest['qr'];
  /** Whether a QR code is requested for payment methods of a type. */
  readonly hasQr: (methodType: string) => boolean;
  readonly statuses: StatusLists;
  readonly timing: Timing;
  readonly limits: Limits;
  readonly onOutcome: CheckoutServerOptions['onOutcome'];
  readonly metrics: Metrics;
}

/**
 * Creates the context from the options and their defaults.
 * @throws TypeError when an option cannot be used; the message begins with its path.
 */
export function createServerContext(options: CheckoutServerOptions): ServerContext {
  const settings = readOptions(options);
  const { service, store, mode, qr, timing, clock: machineClock, random } = settings;
  const clock = createSteadyClock(machineClock);
  const time = createServerTime({
    clock: machineClock,
    storeNow: store.clock && ((): number => store.clock?.now() ?? machineClock.now()),
    serviceNow: service.time && ((): number | undefined => service.time?.()),
  });
  const qrMethods = new Set(qr?.methods.map((type) => type.toLowerCase()));
  const { metrics } = settings;
  const instrumentation = createInstrumentation(metrics, clock);
  const { countPaid } = instrumentation;
  const guarded = createGuardedStore(store, {
    log: instrumentation.log(settings.log),
    clock,
    time,
    metrics,
    countPaid,
  });
  return {
    service: instrumentation.service(service),
    store: guarded.store,
    clock,
    time,
    random,
    log: guarded.log,
    instrumentation,
    health: createServiceHealth(clock),
    endpoint: settings.endpoint,
    allowedOrigins: settings.allowedOrigins,
    mode,
    currencies: settings.currencies,
    qr: qr === null ? undefined : { generate: true, timeout: formatDuration(qr.timeoutMs) },
    hasQr: (methodType) => qrMethods.has(methodType.toLowerCase()),
    statuses: settings.statuses,
    timing,
    limits: settings.limits,
    onOutcome: settings.onOutcome,
    metrics,
  };
}
