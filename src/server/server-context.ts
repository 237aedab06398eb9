import { loopbackHost } from '../base/loopback.ts';
import type { CreateInvoiceRequest, Mode } from '../contract.ts';
import { steady, systemClock, type Clock } from '../base/clock.ts';
import { createServerTime, type ServerTime } from './in-memory/server-time.ts';
import { createServiceHealth, type ServiceHealth } from './in-memory/service-health.ts';
import type { InvoiceService } from './ports/invoice-service.ts';
import { standardErrorLog, type Log } from './ports/log.ts';
import { createInstrumentation, type Instrumentation } from './telemetry/instrumentation.ts';
import { createOutageLog } from './telemetry/outage-log.ts';
import { defaultLimits, defaultTiming, type CheckoutServerOptions, type Limits, type Timing } from './options.ts';
import { readStatusLists, type StatusLists } from './domain/status-words.ts';
import type { CheckoutStore } from './ports/checkout-store.ts';

/** The ports and settings that the parts of the server share. The ports are instrumented. */
export interface ServerContext {
  readonly service: InvoiceService;
  readonly store: CheckoutStore;
  /** For durations and timers: it goes on evenly when the machine's clock is set. */
  readonly clock: Clock;
  /** For times that are stored, or compared with stored ones. */
  readonly time: ServerTime;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  readonly log: Log;
  readonly instrumentation: Instrumentation;
  readonly health: ServiceHealth;
  readonly endpoint: string;
  readonly mode: Mode;
  /** The currencies that an order may have; undefined: any. */
  readonly currencies: readonly string[] | undefined;
  readonly qr: CreateInvoiceRequest['qr'];
  /** Whether a QR code is requested for payment methods of a type. */
  readonly hasQr: (methodType: string) => boolean;
  readonly statuses: StatusLists;
  readonly timing: Timing;
  readonly limits: Limits;
  /** The offset of this process's poll ticks within `timing.fastMs`, so that processes do not poll at the same moment. */
  readonly phase: number;
}

/**
 * Builds the context from the options and their defaults.
 * @throws TypeError when the endpoint or a currency cannot be used.
 */
export function createServerContext(options: CheckoutServerOptions): ServerContext {
  const { service, store, endpoint, mode, qr = { generate: true, timeout: '4s' } } = options;
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw new TypeError('endpoint: must be an address such as "https://shop.example/checkout"');
  const { protocol, hostname } = new URL(endpoint);
  if (mode === 'LIVE' && protocol !== 'https:' && !loopbackHost.test(hostname))
    throw new TypeError('endpoint: must be https: with mode LIVE (http: only on loopback)');
  const machineClock = options.clock ?? systemClock;
  const clock = steady(machineClock);
  const time = createServerTime({
    clock: machineClock,
    storeNow: store.clock && ((): number => store.clock?.now() ?? machineClock.now()),
    serviceNow: service.time && ((): number | undefined => service.time?.()),
  });
  const random = options.random ?? Math.random;
  if (options.currencies?.every((code) => /^[A-Z]{3}$/.test(code)) === false)
    throw new TypeError('currencies: must be codes of ISO 4217 such as "RUB"');
  const qrTypes = new Set((options.qrMethodTypes ?? ['SBP']).map((type) => type.trim().toLowerCase()));
  const timing = { ...defaultTiming, ...options.timing };
  const instrumentation = createInstrumentation(options.metrics, clock, time);
  const outageLog = createOutageLog(instrumentation.log(options.log ?? standardErrorLog), store, clock);
  return {
    service: instrumentation.service(service),
    store: instrumentation.store(outageLog.store),
    clock,
    time,
    random,
    log: outageLog.log,
    instrumentation,
    health: createServiceHealth(clock, timing.staleMs),
    endpoint,
    mode,
    currencies: mode === 'LIVE' ? (options.currencies ?? ['RUB']) : undefined,
    qr: qr ?? undefined,
    hasQr: (methodType) => qrTypes.has(methodType.toLowerCase()),
    statuses: readStatusLists(options.statuses),
    timing,
    limits: { ...defaultLimits, ...options.limits },
    phase: Math.floor(random() * timing.fastMs),
  };
}
