import { untilAborted, type Clock } from '../../base/clock.ts';
import { errorFields, checkoutLogId } from '../ports/log.ts';
import { createWorkerLoop, type WorkerLoop } from './worker-loop.ts';
import type { ServerContext } from '../server-context.ts';
import type { Outcome } from '../ports/outcome-outbox.ts';

type Parts = Pick<
  ServerContext,
  'store' | 'clock' | 'time' | 'random' | 'log' | 'timing' | 'instrumentation' | 'onOutcome'
>;

/** Delivers stored outcomes to the shop. `wake` claims outcomes now; `stop` waits up to `timing.stopMs` for calls. */
export interface OutcomeDispatcher extends WorkerLoop {
  /** How many calls of `onOutcome` are under way. */
  readonly running: number;
}

/** The pause between claims of outcomes that another process has left, or that are due again. */
const sleepMs = 1000;
const firstPauseMs = 500;
const maxTrackedFailures = 10_000;
/**
 * How often an outcome is tried at least before it is abandoned. It may be old because the program did not run, or because an
 * earlier outcome of its checkout was repeated.
 */
const minTries = 10;

/**
 * Delivers stored outcomes at least once. Those of one checkout are delivered in order: the store returns none before the
 * earlier ones are delivered or abandoned. Each delivery is independent, so that one that hangs or fails delays no other
 * checkout. A failed delivery is repeated with exponential backoff, for `timing.deliverForMs`.
 */
export function createOutcomeDispatcher(parts: Parts): OutcomeDispatcher {
  const { store, clock, time, random, log, timing, instrumentation, onOutcome } = parts;
  const failures = new Map<string, number>();
  /** The calls of the handler under way, by the outcome's `id`. */
  const calls = new Map<string, AbortController>();
  /** The end of the lease of each claimed outcome, by `id`. A write with another one changes nothing. */
  const claimedUntil = new Map<string, number>();
  let renewing = Promise.resolve();
  let isStopped = false;

  /** Calls the handler, and waits until it has settled or is aborted: after `timing.deliverMs`, or by `stop`. */
  const callHandler = async (outcome: Outcome): Promise<DeliveryResult> => {
    const controller = new AbortController();
    const { signal } = controller;
    calls.set(outcome.id, controller);
    const cancel = clock.schedule(timing.deliverMs, () => controller.abort());
    const call = async (): Promise<void> => onOutcome(outcome, { signal });
    try {
      await untilAborted(call(), signal);
      return { kind: 'ok', error: undefined };
    } catch (error) {
      return { kind: !signal.aborted ? 'failed' : isStopped ? 'stopped' : 'timeout', error };
    } finally {
      cancel();
      calls.delete(outcome.id);
    }
  };

  /** Resolves with the number of failures in this process, and whether the delivery was given up. */
  const recordFailure = async ({ id, occurredAt }: Outcome): Promise<{ count: number; isAbandoned: boolean }> => {
    const count = (failures.get(id) ?? 0) + 1;
    if (count > 1 || failures.size < maxTrackedFailures) failures.set(id, count);
    const backoffMs = Math.min(firstPauseMs * 2 ** Math.min(count, 20), timing.deliverSlowestMs);
    await renewing.catch(() => undefined); // so that the end of the lease is known
    const lease = { id, claimedUntil: claimedUntil.get(id) ?? 0 };
    const now = time.now();
    if (!isStopped && count >= minTries && now - occurredAt >= timing.deliverForMs) {
      await store.abandonOutcome(lease, now);
      failures.delete(id);
      return { count, isAbandoned: true };
    }
    await store.retryOutcome(lease, Math.round(now + (isStopped ? 0 : backoffMs * (0.5 + random() / 2))));
    return { count, isAbandoned: false };
  };

  const deliver = async (outcome: Outcome): Promise<void> => {
    const { id, kind, orderId, sequence } = outcome;
    const fields = { kind, order_id: orderId, sequence, checkout: checkoutLogId(outcome.checkoutId) };
    const result = await callHandler(outcome);
    instrumentation.countDelivery(kind, result.kind);
    try {
      if (result.kind === 'ok') {
        failures.delete(id);
        await store.markOutcomeDelivered(id, time.now());
        log('info', 'outcome_delivered', fields);
      } else {
        const { count, isAbandoned } = await recordFailure(outcome);
        log('error', 'outcome_not_delivered', {
          ...fields,
          result: result.kind,
          failures: count,
          ...errorFields(result.error),
        });
        if (isAbandoned) log('error', 'outcome_abandoned', { ...fields, outcome: id });
      }
    } catch (error) {
      // Its lease ends, and it is delivered again.
      log('error', 'delivery_not_recorded', { ...fields, result: result.kind, ...errorFields(error) });
    } finally {
      claimedUntil.delete(id);
    }
  };

  const slots = createDeliverySlots(clock, () => loop.wake());

  const loop = createWorkerLoop(clock, log, 'outcome_dispatcher', async () => {
    const free = slots.free();
    if (free === 0) return sleepMs; // a slot that becomes free wakes the loop
    const now = time.now();
    const leaseUntil = now + time.leaseMs(timing.deliverLeaseMs);
    const outcomes = await store.claimOutcomes(now, leaseUntil, free);
    for (const outcome of outcomes) {
      claimedUntil.set(outcome.id, leaseUntil);
      slots.run(deliver(outcome));
    }
    return outcomes.length === free ? 0 : sleepMs;
  });

  const renew = async (): Promise<void> => {
    const leases = [...calls.keys()].map((id) => ({ id, claimedUntil: claimedUntil.get(id) ?? 0 }));
    if (leases.length === 0) return;
    const leaseUntil = time.now() + time.leaseMs(timing.deliverLeaseMs);
    await store.renewOutcomeLeases(leases, leaseUntil);
    for (const { id } of leases) if (claimedUntil.has(id)) claimedUntil.set(id, leaseUntil);
  };

  const renewal = createWorkerLoop(clock, log, 'outcome_lease_renewal', async () => {
    renewing = renew();
    await renewing;
    return timing.deliverLeaseMs / 4;
  });

  return {
    get running() {
      return calls.size;
    },
    start() {
      loop.start();
      renewal.start();
    },
    wake: () => loop.wake(),
    async stop() {
      await loop.stop();
      const cancel = clock.schedule(timing.stopMs, () => {
        isStopped = true;
        for (const controller of calls.values()) controller.abort();
      });
      await slots.idle();
      cancel();
      await renewal.stop();
    },
  };
}

interface DeliveryResult {
  /** `timeout`: the handler had not settled after `timing.deliverMs`. `stopped`: it had not settled when `stop` aborted it. */
  readonly kind: 'ok' | 'failed' | 'timeout' | 'stopped';
  readonly error: unknown;
}

/** Maximum number of concurrent calls that are not slow. */
const maxPrompt = 20;
/** Maximum number of concurrent calls. */
const maxRunning = 100;
/** After this time a call is slow, and no longer counts against `maxPrompt`. */
const slowMs = 500;

interface DeliverySlots {
  /** How many deliveries may be started. */
  free(): number;
  run(delivery: Promise<void>): void;
  /** Resolves when no delivery is under way. */
  idle(): Promise<void>;
}

/** Limits how many deliveries are under way, so that those that hang do not take the slots of the others. */
function createDeliverySlots(clock: Clock, onFree: () => void): DeliverySlots {
  const running = new Set<Promise<void>>();
  let slow = 0;
  return {
    free: () => Math.min(maxPrompt - (running.size - slow), maxRunning - running.size),
    run(delivery) {
      let isSlow = false;
      const cancel = clock.schedule(slowMs, () => {
        isSlow = true;
        slow += 1;
        onFree();
      });
      const tracked = delivery.finally(() => {
        cancel();
        if (isSlow) slow -= 1;
        running.delete(tracked);
        onFree(); // also because the next outcome of the checkout may be delivered now
      });
      running.add(tracked);
    },
    async idle() {
      await Promise.all(running);
    },
  };
}
