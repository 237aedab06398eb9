import { backoff } from './backoff.ts';
import type { Model } from './model.ts';
import { selectState } from './select-state.ts';

/** What the next read depends on besides the model. Times in ms of the monotonic clock. */
export interface Moment {
  readonly now: number;
  /** Since the last read began. */
  readonly elapsed: number;
  readonly visible: boolean;
  /** From 0 up to 1. */
  readonly random: number;
}

/** When to read next, in ms from now, and whether the backend may hold that answer back. */
export interface Pace {
  readonly after: number;
  readonly hold: boolean;
}

const floorMs = 1000;
const slowMs = 15_000;
const hiddenMs = 20_000;
const longestMs = 60_000;
/** After zero the answer is asked for again and again, for this long. */
const lastCheckMs = 5000;

const between = (least: number, value: number, most: number): number => Math.max(least, Math.min(value, most));

/** The time from one read's start to the next, and whether that may be held; `undefined` when there is none to come. */
function rhythm(model: Model, { now, visible }: Moment): { interval: number; hold: boolean } | undefined {
  const state = selectState(model);
  if (state.status === 'loading') return { interval: floorMs, hold: false };
  if (state.status === 'lost' || state.status === 'paid') return undefined;

  const advised = between(floorMs, state.checkout.poll_after_ms, longestMs);
  const patience = now - model.since;
  const mayBePaid = state.checkout.status === 'pending' || state.status === 'creating';
  if (!mayBePaid) {
    // Enough to see what another tab did, or a payment that comes late.
    const slow = state.checkout.status === 'open' ? slowMs : between(slowMs, patience / 20, longestMs);
    return { interval: Math.max(advised, slow, visible ? 0 : hiddenMs), hold: !visible };
  }
  if (!visible) return { interval: Math.max(advised, hiddenMs), hold: true };
  if (model.deadline?.certain === false) return { interval: floorMs, hold: false };
  const over = model.checking && model.deadline ? now - model.deadline.at : Infinity;
  if (over < lastCheckMs) return { interval: between(floorMs, over, advised), hold: false };
  // Where nothing has happened for long, a backend that does not hold answers back is asked less often.
  return { interval: Math.max(advised, between(0, patience / 120, slowMs)), hold: true };
}

/** When and how to read next; `undefined`: there is nothing more to learn. */
export function paceOf(model: Model, moment: Moment): Pace | undefined {
  const beat = rhythm(model, moment);
  if (!beat) return undefined;
  const { failures, error } = model.connection;
  if (failures === 0) return { after: Math.max(0, beat.interval - moment.elapsed), hold: beat.hold };
  // Stryker disable next-line OptionalChaining: A failed poll always has an error. The check narrows the type.
  const after = backoff(failures, moment.random, error?.retryAfterMs);
  return { after: moment.visible ? after : Math.max(after, hiddenMs), hold: false };
}
