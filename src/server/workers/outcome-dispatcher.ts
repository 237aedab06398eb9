import { rejectOnAbort, type Clock } from '../../base/clock.ts';
import { stopTimeoutMs } from '../commands/call-service-and-save-invoice.ts';
import { errorFields, shopErrorFields } from '../ports/log.ts';
import { readMember, toError } from '../../base/thrown-value.ts';
import { createWorkerLoop, type WorkerLoop } from './worker-loop.ts';
import type { ServerContext } from '../server-context.ts';
import type { Delivery, Outcome } from '../ports/outcome-outbox.ts';

/** The timeout of one call of `onOutcome`, in milliseconds. */
const deliverTimeoutMs = 10_000;
/** The lease of a process on an outcome, which it renews during the call of `onOutcome`. */
const leaseMs = 4000;
/** The pause between two claims. New outcomes wake the loop earlier, also those of other processes. */
const sleepMs = 2000;
const firstPauseMs = 500;
/** The longest pause before the next delivery of an outcome: a twentieth of its age, within these limits. */
const slowestMs = { min: 60_000, max: 300_000 };
const maxTrackedFailures = 10_000;
/**
 * The minimum number of deliveries of an outcome before it is abandoned. Without it, an outcome that is already old at its
 * first delivery, as after a long stop of the program, would be abandoned too early.
 */
const minTries = 10;

interface OutcomeDispatcher extends WorkerLoop {
  /**
   * Delivers an outcome once more, after a delivery of it that is under way. Resolves with the `id` of its checkout, or undefined
   * when it does not exist.
   */
  redeliver(id: string): Promise<string | undefined>;
}

/**
 * Delivers stored outcomes at least once. Outcomes of one checkout are delivered in order: the store returns an outcome only
 * after the earlier outcomes of its checkout are delivered or abandoned. Each delivery is independent: a delivery that hangs or
 * fails delays no other checkout. A failed delivery is repeated with exponential backoff, for `timing.deliverForMs`. `wake`
 * claims outcomes now; `stop` waits up to `stopTimeoutMs` for calls under way.
 */
export function createOutcomeDispatcher(context: ServerContext): OutcomeDispatcher {
  const { store, clock, time, random, log, timing, instrumentation, onOutcome, metrics } = context;
  const failures = new Map<string, number>();
  /** The calls of the handler under way, by the outcome's `id`. */
  const calls = new Map<string, AbortController>();
  metrics.gauge('pay_invoice_outcomes_delivering', 'Calls of onOutcome under way in this process.', () => calls.size);
  /** The end of the lease of each claimed outcome, by `id`. The store needs it for each write. */
  const claimedUntil = new Map<string, number>();
  /** The outcomes that are delivered once more when the call under way has ended. */
  const requestedAgain = new Set<string>();
  let currentRenewal = Promise.resolve();
  let isStopped = false;

  /** Calls the handler, and waits until it has settled, or until `deliverTimeoutMs` or `stop` aborts it. */
  const callHandler = async (outcome: Outcome): Promise<DeliveryResult> => {
    const controller = new AbortController();
    const { signal } = controller;
    calls.set(outcome.id, controller);
    const cancel = clock.schedule(deliverTimeoutMs, () => controller.abort());
    const call = async (): Promise<unknown> => onOutcome(outcome, { signal });
    try {
      const result = await rejectOnAbort(call(), signal);
      return { kind: 'ok', error: undefined, status: statusOf(result), warning: readMember(result, 'warning') };
    } catch (thrown) {
      if (signal.aborted) return { kind: isStopped ? 'stopped' : 'timeout', error: undefined, status: null };
      const error = toError(thrown);
      return { kind: 'failed', error, status: statusOf(error) };
    } finally {
      cancel();
      calls.delete(outcome.id);
    }
  };

  /** Schedules the next delivery, or gives the delivery up. Resolves with the number of failures in this process. */
  const recordFailure = async (
    { id, occurredAt }: Outcome,
    delivery: Delivery,
  ): Promise<{ count: number; isAbandoned: boolean }> => {
    const count = (failures.get(id) ?? 0) + 1;
    if (count > 1 || failures.size < maxTrackedFailures) failures.set(id, count);
    await currentRenewal.catch(() => undefined); // it may change the end of the lease
    const lease = { id, claimedUntil: claimedUntil.get(id) ?? 0 };
    const now = time.now();
    const longestMs = Math.min(Math.max(slowestMs.min, (now - occurredAt) / 20), slowestMs.max);
    const backoffMs = Math.min(firstPauseMs * 2 ** Math.min(count, 20), longestMs);
    if (!isStopped && count >= minTries && now - occurredAt >= timing.deliverForMs) {
      await store.abandonOutcome(lease, now, delivery);
      failures.delete(id);
      return { count, isAbandoned: true };
    }
    const retryAt = Math.round(now + (isStopped ? 0 : backoffMs * (0.5 + random.number() / 2)));
    await store.retryOutcome(lease, retryAt, delivery);
    return { count, isAbandoned: false };
  };

  const deliver = async (outcome: Outcome): Promise<void> => {
    const { id, kind, orderId, sequence } = outcome;
    const fields = { kind, outcome: id, order_id: orderId, sequence, checkout: outcome.checkoutId };
    const result = await callHandler(outcome);
    instrumentation.countDelivery(kind, result.kind);
    const delivery = toDelivery(result, time.now());
    try {
      if (result.kind === 'ok') {
        failures.delete(id);
        await store.markOutcomeDelivered(id, time.now(), delivery);
        log('info', 'outcome_delivered', fields);
        if (delivery.error !== null) log('warn', 'outcome_delivery_doubtful', { ...fields, warning: delivery.error });
      } else {
        const { count, isAbandoned } = await recordFailure(outcome, delivery);
        log('error', 'outcome_not_delivered', {
          ...fields,
          result: result.kind,
          failures: count,
          ...(result.error === undefined ? { message: result.kind } : shopErrorFields(result.error)),
        });
        if (isAbandoned) log('error', 'outcome_abandoned', fields);
      }
      if (requestedAgain.has(id)) await store.redeliverOutcome(id, 0);
    } catch (error) {
      // The lease of the outcome ends, and the outcome is delivered again.
      log('error', 'delivery_not_recorded', { ...fields, result: result.kind, ...errorFields(error) });
    } finally {
      requestedAgain.delete(id);
      claimedUntil.delete(id);
    }
  };

  const slots = createDeliverySlots(clock, () => deliveryLoop.wake());

  const deliveryLoop = createWorkerLoop(context, 'outcome_dispatcher', async () => {
    const freeSlots = slots.freeCount();
    if (freeSlots === 0) return sleepMs; // a slot that becomes free wakes the loop
    const now = time.now();
    const leaseUntil = now + time.leaseMs(leaseMs);
    const outcomes = await store.claimOutcomes(now, leaseUntil, freeSlots);
    for (const outcome of outcomes) {
      claimedUntil.set(outcome.id, leaseUntil);
      slots.run(deliver(outcome));
    }
    return outcomes.length === freeSlots ? 0 : sleepMs;
  });

  const renewLeases = async (): Promise<void> => {
    const leases = [...calls.keys()].map((id) => ({ id, claimedUntil: claimedUntil.get(id) ?? 0 }));
    if (leases.length === 0) return;
    const leaseUntil = time.now() + time.leaseMs(leaseMs);
    await store.renewOutcomeLeases(leases, leaseUntil);
    for (const { id } of leases) if (claimedUntil.has(id)) claimedUntil.set(id, leaseUntil);
  };

  const renewalLoop = createWorkerLoop(context, 'outcome_lease_renewal', async () => {
    currentRenewal = renewLeases();
    await currentRenewal;
    return leaseMs / 4;
  });

  return {
    start() {
      deliveryLoop.start();
      renewalLoop.start();
    },
    wake: () => deliveryLoop.wake(),
    async redeliver(id) {
      if (claimedUntil.has(id)) requestedAgain.add(id);
      // The due time is 0, because the clock of the database may be behind this machine's clock.
      const checkoutId = await store.redeliverOutcome(id, 0, Math.ceil(time.now() + time.leaseMs(leaseMs)));
      deliveryLoop.wake();
      return checkoutId;
    },
    async stop() {
      await deliveryLoop.stop();
      const cancel = clock.schedule(stopTimeoutMs, () => {
        isStopped = true;
        for (const controller of calls.values()) controller.abort();
      });
      await slots.idle();
      cancel();
      await renewalLoop.stop();
    },
  };
}

/** The HTTP status that a handler has returned, or has added to its error. */
function statusOf(result: unknown): number | null {
  const status = readMember(result, 'status');
  return typeof status === 'number' && Number.isSafeInteger(status) ? status : null;
}

const maxErrorLength = 300;

function toDelivery({ kind, error, status, warning }: DeliveryResult, at: number): Delivery {
  if (kind === 'ok') return { at, status, error: typeof warning === 'string' ? storableText(warning) : null };
  return { at, status, error: kind === 'failed' ? storableText(error?.message ?? '') : kind };
}

function storableText(text: string): string {
  // A database refuses half of a character, which the cut may leave.
  return text
    .replaceAll('\0', '')
    .slice(0, maxErrorLength)
    .replace(/\p{Cs}/gu, '\uFFFD');
}

interface DeliveryResult {
  /** `timeout`: the handler had not settled after `deliverTimeoutMs`. `stopped`: it had not settled when `stop` aborted it. */
  readonly kind: 'ok' | 'failed' | 'timeout' | 'stopped';
  readonly error: Error | undefined;
  readonly status: number | null;
  /** The member `warning` of what the handler has returned. */
  readonly warning?: unknown;
}

/** Maximum number of concurrent deliveries that are not slow. */
const maxPromptDeliveries = 20;
/** Maximum number of concurrent deliveries. */
const maxDeliveries = 100;
/** After this time a delivery is slow, and no longer counts for `maxPromptDeliveries`. */
const slowMs = 500;

/** Limits the number of concurrent deliveries. Deliveries that hang do not take the slots of the others. */
function createDeliverySlots(clock: Clock, onFree: () => void) {
  const runningDeliveries = new Set<Promise<void>>();
  let slowCount = 0;
  return {
    /** How many deliveries may be started. */
    freeCount: (): number =>
      Math.min(maxPromptDeliveries - (runningDeliveries.size - slowCount), maxDeliveries - runningDeliveries.size),
    run(delivery: Promise<void>): void {
      let isSlow = false;
      const cancel = clock.schedule(slowMs, () => {
        isSlow = true;
        slowCount += 1;
        onFree();
      });
      const runningDelivery = delivery.finally(() => {
        cancel();
        if (isSlow) slowCount -= 1;
        runningDeliveries.delete(runningDelivery);
        onFree(); // the slot is free, and the next outcome of the checkout may be delivered
      });
      runningDeliveries.add(runningDelivery);
    },
    /** Resolves when no delivery is under way. */
    async idle(): Promise<void> {
      await Promise.all(runningDeliveries);
    },
  };
}
