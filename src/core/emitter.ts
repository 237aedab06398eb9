import { diffEvents } from './diff-events.ts';
import type { Model } from './model.ts';
import { selectState } from './select-state.ts';
import type { CheckoutEvent, CheckoutSession, CheckoutState } from './state.ts';

/** Notifies subscribers in order, once per change; safe against re-entrancy. */
export interface Emitter extends Pick<CheckoutSession, 'getState' | 'subscribe' | 'onEvent'> {
  /** Sets the first state; its events are emitted with the next notification. */
  prepare(model: Model): void;
  notify(model: Model): void;
}

/** Whether two states have the same members. */
function isSame(a: CheckoutState, b: CheckoutState): boolean {
  const entries = Object.entries(a);
  const others = new Map<string, unknown>(Object.entries(b));
  return entries.length === others.size && entries.every(([key, value]) => others.get(key) === value);
}

/** Calls a subscriber. An exception becomes an unhandled rejection and does not reach other subscribers. */
function isolate(callback: () => void): void {
  void new Promise<void>((resolve) => {
    callback();
    resolve();
  });
}

export function createEmitter(initial: Model): Emitter {
  const listeners = new Set<(state: CheckoutState, previous: CheckoutState) => void>();
  const eventListeners = new Set<(event: CheckoutEvent) => void>();
  const queue: (() => void)[] = [];
  let notified = initial;
  let state = selectState(initial);
  let busy = false;

  const prepare = (model: Model): void => {
    const next = selectState(model);
    if (!isSame(next, state)) state = next;
  };

  const flush = (): void => {
    if (busy) return;
    busy = true;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) next();
    busy = false;
  };

  const add = <T>(set: Set<T>, listener: T): (() => void) => {
    set.add(listener);
    return () => set.delete(listener);
  };

  return {
    getState: () => state,
    // Each subscription is separate, also when the same function subscribes twice.
    subscribe: (listener) => add(listeners, (next, previous) => listener(next, previous)),
    onEvent: (listener) => add(eventListeners, (event) => listener(event)),
    prepare,
    notify(model) {
      const previous = state;
      prepare(model);
      const next = state;
      const events = diffEvents(notified, model);
      notified = model;
      if (next !== previous) queue.push(() => listeners.forEach((listener) => isolate(() => listener(next, previous))));
      for (const event of events)
        queue.push(() => eventListeners.forEach((listener) => isolate(() => listener(event))));
      flush();
    },
  };
}
