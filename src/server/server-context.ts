import { formatDuration, type CreateInvoiceRequest } from '../service-api.ts';
import { createSteadyClock, type Clock } from '../base/clock.ts';
import type { InvoiceService } from './ports/invoice-service.ts';
import { createInstrumentation, safeLog, safeMetrics, type Instrumentation } from './telemetry/metrics.ts';
import { readOptions, type CheckoutServerOptions } from './checkout-server-options.ts';
import type { Limits, Timing } from './timing-and-limit-defaults.ts';
import type { StatusLists } from './ports/invoice-attempt.ts';
import { createGuardedStore } from './guarded-store/guarded-store.ts';
import type { CheckoutStore } from './ports/checkout-store.ts';

/**
 * The ports and settings that the parts of the server share: the options with their defaults. With metrics, the ports count their
 * calls, and each record is checked by the rules of `domain/checkout-record-rules.ts` after it is loaded and before it is saved.
 */
export interface ServerContext extends Required<Omit<CheckoutServerOptions, 'qr' | 'statuses' | 'timing' | 'limits'>> {
  readonly statuses: StatusLists;
  readonly timing: Timing;
  readonly limits: Limits;
  /** The clock for durations and timers. It does not step when the machine's clock is set. */
  readonly clock: Clock;
  /** The time for values that are stored, or compared with stored times. */
  readonly time: ServerTime;
  readonly instrumentation: Instrumentation;
  readonly health: ServiceHealth;
  /** The QR request of a CreateInvoice; undefined when no QR codes are requested. */
  readonly qr: CreateInvoiceRequest['qr'];
  /** The types of payment methods, in lower case, for which a QR code is requested. */
  readonly qrMethods: readonly string[];
}

/**
 * Creates the context from the options and their defaults.
 * @throws TypeError when an option cannot be used; the message begins with its path.
 */
export function createServerContext(options: CheckoutServerOptions): ServerContext {
  const settings = readOptions(options);
  const { service, store, qr, clock: machineClock } = settings;
  const metrics = safeMetrics(settings.metrics, safeLog(settings.log));
  const clock = createSteadyClock(machineClock);
  const time = createServerTime(machineClock, clock, store, service);
  const instrumentation = createInstrumentation(metrics, clock);
  const guarded = createGuardedStore(store, {
    log: instrumentation.log(settings.log),
    clock,
    time,
    metrics,
    countPaid: instrumentation.countPaid,
  });
  return {
    ...settings,
    metrics,
    ...guarded,
    service: instrumentation.service(service),
    clock,
    time,
    instrumentation,
    health: createServiceHealth(clock),
    qr: qr === null ? undefined : { generate: true, timeout: formatDuration(qr.timeoutMs) },
    qrMethods: qr === null ? [] : qr.methods.map((type) => type.toLowerCase()),
  };
}

/**
 * The time that stored times are compared with: the database's time if the database has its own clock, or the machine's time.
 * When that clock steps (is set forward or back), this time changes only with `adoptStep`.
 */
interface ServerTime {
  /** Whole milliseconds since 1970. */
  now(): number;
  /**
   * The time by which payers see an invoice's deadline, and by which its fetches are scheduled. The service set the deadline by
   * its own clock, so this is the service's time when it is known. Otherwise it is this server's time without forward steps, so
   * that no invoice expires early.
   */
  serviceNow(): number;
  /**
   * The time by which a deadline is judged: whether it is over, or impossible. It is `serviceNow`, or earlier when a clock seems
   * to have been set back: the deadline may have been set after that step.
   */
  deadlineNow(): number;
  /** The length of a lease that has to last `ms` milliseconds. It includes a forward step that is not adopted yet. */
  leaseMs(ms: number): number;
  /** Milliseconds since a stored time, without the forward steps of the clock since that time. */
  elapsedMs(since: number): number;
  /** From this call on, a step of the clock takes effect only with `adoptStep`. The caller has to check `stepMs` regularly. */
  holdSteps(): void;
  /**
   * How far the clock has stepped since the last `adoptStep`, in milliseconds; negative for a backward step. 0 for a small change,
   * which `adoptStep` adopts too.
   */
  stepMs(): number;
  adoptStep(): void;
}

/** A smaller difference from the service's clock is ignored, because `Date` headers have only whole seconds. */
const toleranceMs = 2000;

/** The size from which a change of the clock is a step. A smaller change is a routine correction. */
const minStepMs = 500;
/** After this time, responses have shown whether a backward step of this server's clock is one of the service's too. */
const sharedStepMs = 5000;
/** How many forward steps `elapsedMs` can subtract. */
const maxSteps = 20;

function createServerTime(clock: Clock, steadyClock: Clock, store: CheckoutStore, service: InvoiceService): ServerTime {
  const referenceNow = (): number => (store.clock ?? clock).now();
  /** How far the reference clock is ahead of the steady clock, in milliseconds. */
  const readOffset = (): number => referenceNow() - steadyClock.now();
  let heldOffset: number | undefined;
  let forwardSteps: readonly { readonly at: number; readonly ms: number }[] = [];
  let lowestOffset = readOffset();
  let lastOffset = lowestOffset;
  /** When the reference clock was last seen to have been set back, by the steady clock. */
  let setBackAt = -Infinity;
  const now = (): number => Math.round(heldOffset === undefined ? referenceNow() : steadyClock.now() + heldOffset);
  const stepMs = (): number => {
    const ms = heldOffset === undefined ? 0 : Math.round(readOffset() - heldOffset);
    return Math.abs(ms) < minStepMs ? 0 : ms;
  };
  const serviceTimeBy = (serviceTime: number | undefined): number => {
    lowestOffset = Math.min(lowestOffset, readOffset());
    const ownTime = now();
    if (serviceTime === undefined) return Math.min(ownTime, Math.round(steadyClock.now() + lowestOffset));
    return Math.abs(serviceTime - ownTime) < toleranceMs ? ownTime : Math.round(serviceTime);
  };
  return {
    now,
    stepMs,
    serviceNow: () => serviceTimeBy(service.time?.()),
    deadlineNow() {
      const offset = readOffset();
      if (offset < lastOffset - minStepMs) setBackAt = steadyClock.now();
      lastOffset = offset;
      const serviceTime = serviceTimeBy(service.earliestTime?.() ?? service.time?.());
      const isJustSetBack = steadyClock.now() - setBackAt < sharedStepMs;
      return isJustSetBack ? Math.min(serviceTime, Math.round(steadyClock.now() + offset)) : serviceTime;
    },
    leaseMs: (ms) => Math.max(0, stepMs()) + ms,
    holdSteps() {
      heldOffset ??= readOffset();
    },
    elapsedMs(since) {
      const steps = forwardSteps.filter(({ at }) => at > since);
      return now() - since - steps.reduce((totalMs, { ms }) => totalMs + ms, 0);
    },
    adoptStep() {
      const ms = stepMs();
      heldOffset = readOffset();
      if (ms > 0) forwardSteps = [...forwardSteps, { at: now(), ms }].slice(-maxSteps);
    },
  };
}

/** Checkouts are marked stale when the service has not answered for this long, in milliseconds. */
const staleMs = 5000;

/** Whether the invoice service answers. Derived from the results of this server's calls. */
function createServiceHealth(clock: Clock) {
  let failingSince: number | undefined;
  return {
    /** Call it when the service has answered a call. */
    noteResponse(): void {
      failingSince = undefined;
    },
    /** Call it when a call had no usable response. */
    noteFailure(): void {
      failingSince ??= clock.now();
    },
    /** Whether the service has not answered for `staleMs`. */
    isStale: (): boolean => failingSince !== undefined && clock.now() - failingSince >= staleMs,
  };
}

export type ServiceHealth = ReturnType<typeof createServiceHealth>;
