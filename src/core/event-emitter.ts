import { diffEvents } from './diff-events.ts';
import type { Model } from './session-model.ts';
import { selectState } from './select-state.ts';
import type { CheckoutEvent, CheckoutSession, CheckoutState } from './checkout-state.ts';

/** Notifies subscribers in order, once per change; safe against re-entrancy. */
export interface Emitter extends Pick<CheckoutSession, 'getState' | 'subscribe' | 'onEvent'> {
  readonly notify: (model: Model) => void;
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

/** The first state is that of `model`; the events since `notified` are emitted with the next notification. */
export function createEmitter(notified: Model, model: Model): Emitter {
  const listeners = new Set<(state: CheckoutState, previous: CheckoutState) => void>();
  const eventListeners = new Set<(event: CheckoutEvent) => void>();
  const queue: (() => void)[] = [];
  let state = selectState(model);
  let busy = false;

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
    notify(next) {
      const previous = state;
      const nextState = selectState(next);
      if (!isSame(nextState, previous)) {
        state = nextState;
        queue.push(() => listeners.forEach((listener) => isolate(() => listener(nextState, previous))));
      }
      for (const event of diffEvents(notified, next))
        queue.push(() => eventListeners.forEach((listener) => isolate(() => listener(event))));
      notified = next;
      flush();
    },
  };
}
