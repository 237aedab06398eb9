import { createSteadyClock, type Clock } from '../../base/clock.ts';

/**
 * The time that stored times are compared with: the database's time if the database has its own clock, or the machine's time.
 * When that clock steps (is set forward or back), this time changes only with `adoptStep`.
 */
export interface ServerTime {
  /** Whole milliseconds since 1970. */
  now(): number;
  /**
   * The time to compare an invoice's deadline with. The service set the deadline by its own clock, so this is the service's
   * time when it is known. Otherwise it is this server's time without forward steps, so that no invoice expires early.
   */
  deadlineNow(): number;
  /** The length of a lease that has to last `ms` milliseconds. It includes a forward step that is not adopted yet. */
  leaseMs(ms: number): number;
  /** Milliseconds since a stored time, without the forward steps of the clock since that time. */
  elapsedMs(since: number): number;
  /** From this call on, a step of the clock takes effect only with `adoptStep`. The caller has to check `stepMs` regularly. */
  holdSteps(): void;
  /** How far the clock has stepped since the last `adoptStep`, in milliseconds; negative for a backward step. */
  stepMs(): number;
  adoptStep(): void;
}

/** A smaller difference from the service's clock is ignored, because `Date` headers have only whole seconds. */
const toleranceMs = 2000;

/** The size from which a change of the clock is a step. A smaller change is a routine correction. */
export const minStepMs = 500;
/** How many forward steps `elapsedMs` can subtract. */
const maxSteps = 20;

interface TimeSources {
  readonly clock: Clock;
  /** The database's time; absent when the database has no clock of its own. */
  readonly storeNow?: (() => number) | undefined;
  /** The service's time; it returns undefined while the time is not known. */
  readonly serviceNow?: (() => number | undefined) | undefined;
}

export function createServerTime({ clock, storeNow, serviceNow }: TimeSources): ServerTime {
  const steadyClock = createSteadyClock(clock);
  const referenceNow = storeNow ?? ((): number => clock.now());
  /** How far the reference clock is ahead of the steady clock, in milliseconds. */
  const readOffset = (): number => referenceNow() - steadyClock.now();
  let heldOffset: number | undefined;
  let forwardSteps: readonly { readonly at: number; readonly ms: number }[] = [];
  let lowestOffset = readOffset();
  const now = (): number => Math.round(heldOffset === undefined ? referenceNow() : steadyClock.now() + heldOffset);
  const stepMs = (): number => (heldOffset === undefined ? 0 : Math.round(readOffset() - heldOffset));
  return {
    now,
    stepMs,
    deadlineNow() {
      lowestOffset = Math.min(lowestOffset, readOffset());
      const ownTime = now();
      const serviceTime = serviceNow?.();
      if (serviceTime === undefined) return Math.min(ownTime, Math.round(steadyClock.now() + lowestOffset));
      return Math.abs(serviceTime - ownTime) < toleranceMs ? ownTime : Math.round(serviceTime);
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
      if (ms >= minStepMs) forwardSteps = [...forwardSteps, { at: now(), ms }].slice(-maxSteps);
    },
  };
}
