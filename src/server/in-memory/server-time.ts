import { steady, type Clock } from '../../base/clock.ts';

/**
 * The time that stored times are compared with: the database's where it has a clock of its own, else the machine's. A clock
 * that steps does not move it until `adoptStep`.
 */
export interface ServerTime {
  /** Whole milliseconds since 1970. */
  now(): number;
  /**
   * The time to compare an invoice's deadline with, which the service set by its own clock: the service's time where it is
   * known. Where it is not, a step forward of the own clock is not believed, so that no invoice expires early.
   */
  deadlineNow(): number;
  /** How long a lease of `ms` is: while a step forward is not adopted, long enough for the time after it too. */
  leaseMs(ms: number): number;
  /** How long ago a stored time was, also when the clock has stepped forward since. */
  elapsedMs(since: number): number;
  /** From now on, a step of the clock takes effect only by `adoptStep`. The caller has to check `stepMs` regularly. */
  watch(): void;
  /** How far the clock has stepped since the last `adoptStep`. */
  stepMs(): number;
  adoptStep(): void;
}

/** A service's clock that differs by less than this is taken for the same: `Date` headers have whole seconds. */
const toleranceMs = 2000;

/** A smaller difference is how clocks are corrected all the time, and not a step. */
export const minStepMs = 500;
/** Steps that `elapsedMs` remembers. */
const maxSteps = 20;

interface TimeSources {
  readonly clock: Clock;
  /** The database's time, where it has a clock of its own. */
  readonly storeNow?: (() => number) | undefined;
  /** The service's time, where it is known. */
  readonly serviceNow?: (() => number | undefined) | undefined;
}

export function createServerTime({ clock, storeNow, serviceNow }: TimeSources): ServerTime {
  const interval = steady(clock);
  const reference = storeNow ?? ((): number => clock.now());
  /** How far the reference is ahead of the steady clock. */
  const readOffset = (): number => reference() - interval.now();
  let heldOffset: number | undefined;
  let forwardSteps: readonly { readonly at: number; readonly ms: number }[] = [];
  let lowestOffset = readOffset();
  const now = (): number => Math.round(heldOffset === undefined ? reference() : interval.now() + heldOffset);
  const stepMs = (): number => (heldOffset === undefined ? 0 : Math.round(readOffset() - heldOffset));
  return {
    now,
    stepMs,
    deadlineNow() {
      lowestOffset = Math.min(lowestOffset, readOffset());
      const own = now();
      const service = serviceNow?.();
      if (service === undefined) return Math.min(own, Math.round(interval.now() + lowestOffset));
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
