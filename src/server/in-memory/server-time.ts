import { steady, type Clock } from '../../base/clock.ts';

/**
 * The time that stored times are compared with: the database's where it has a clock of its own, else the machine's. A clock
 * that steps does not move it until `adoptStep`.
 */
export interface ServerTime {
  /** Whole milliseconds since 1970. */
  now(): number;
  /**
   * The time to compare an invoice's deadline with. The service set the deadline by its own clock, so this is the service's
   * time when it is known. Otherwise steps forward of our own clock are left out, so that no invoice expires early.
   */
  deadlineNow(): number;
  /** The length of a lease that has to last `ms`: a step forward that is not adopted yet is added to it. */
  leaseMs(ms: number): number;
  /** Milliseconds since a stored time, without the steps forward of the clock since then. */
  elapsedMs(since: number): number;
  /** From now on, a step of the clock takes effect only by `adoptStep`. The caller has to check `stepMs` regularly. */
  watch(): void;
  /** How far the clock has stepped since the last `adoptStep`, in milliseconds; negative for a step back. */
  stepMs(): number;
  adoptStep(): void;
}

/** A smaller difference to the service's clock is ignored, because `Date` headers have whole seconds. */
const toleranceMs = 2000;

/** A smaller difference is a routine correction of the clock, and not a step. */
export const minStepMs = 500;
/** How many steps forward `elapsedMs` can leave out. */
const maxSteps = 20;

interface TimeSources {
  readonly clock: Clock;
  /** The database's time, where it has a clock of its own. */
  readonly storeNow?: (() => number) | undefined;
  /** The service's time, where it is known. */
  readonly serviceNow?: (() => number | undefined) | undefined;
}

export function createServerTime({ clock, storeNow, serviceNow }: TimeSources): ServerTime {
  const steadyClock = steady(clock);
  const reference = storeNow ?? ((): number => clock.now());
  /** How far the reference is ahead of the steady clock. */
  const readOffset = (): number => reference() - steadyClock.now();
  let heldOffset: number | undefined;
  let forwardSteps: readonly { readonly at: number; readonly ms: number }[] = [];
  let lowestOffset = readOffset();
  const now = (): number => Math.round(heldOffset === undefined ? reference() : steadyClock.now() + heldOffset);
  const stepMs = (): number => (heldOffset === undefined ? 0 : Math.round(readOffset() - heldOffset));
  return {
    now,
    stepMs,
    deadlineNow() {
      lowestOffset = Math.min(lowestOffset, readOffset());
      const own = now();
      const service = serviceNow?.();
      if (service === undefined) return Math.min(own, Math.round(steadyClock.now() + lowestOffset));
      return Math.abs(service - own) < toleranceMs ? own : Math.round(service);
    },
    leaseMs: (ms) => Math.max(0, stepMs()) + ms,
    watch() {
      heldOffset ??= readOffset();
    },
    elapsedMs(since) {
      const steps = forwardSteps.filter(({ at }) => at > since);
      return now() - steps.reduce((at, { ms }) => at + ms, since);
    },
    adoptStep() {
      const ms = stepMs();
      heldOffset = readOffset();
      if (ms >= minStepMs) forwardSteps = [...forwardSteps, { at: now(), ms }].slice(-maxSteps);
    },
  };
}
