import type { CheckoutSession } from './checkout-session.ts';
import type { CheckoutEvent } from './event.ts';
import { diffEvents } from './diff-events.ts';
import type { Model } from './model.ts';
import type { CheckoutState } from './state.ts';
import { selectState } from './select-state.ts';

/** Tells subscribers what changed: in order, each thing once, also when one of them changes something meanwhile. */
export interface Teller extends Pick<CheckoutSession, 'getState' | 'subscribe' | 'onEvent'> {
  /** Shows a first picture; its events are told with the next model. */
  prepare(model: Model): void;
  tell(model: Model): void;
}

/** Whether two states say the same, member by member. */
function isSame(a: CheckoutState, b: CheckoutState): boolean {
  const entries = Object.entries(a);
  const others = new Map<string, unknown>(Object.entries(b));
  return entries.length === others.size && entries.every(([key, value]) => others.get(key) === value);
}

/** Calls a subscriber; what it throws is reported as an unhandled rejection and harms nobody else. */
function isolate(callback: () => void): void {
  void new Promise<void>((resolve) => {
    callback();
    resolve();
  });
}

export function createEmitter(empty: Model): Teller {
  const listeners = new Set<(state: CheckoutState, previous: CheckoutState) => void>();
  const eventListeners = new Set<(event: CheckoutEvent) => void>();
  const queue: (() => void)[] = [];
  let told = empty;
  let state = selectState(empty);
  let busy = false;

  const show = (model: Model): CheckoutState => {
    const next = selectState(model);
    if (!isSame(next, state)) state = next;
    return state;
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
    // Each subscription is its own, also when the same function subscribes twice.
    subscribe: (listener) => add(listeners, (next, previous) => listener(next, previous)),
    onEvent: (listener) => add(eventListeners, (event) => listener(event)),
    prepare: (model) => void show(model),
    tell(model) {
      const previous = state;
      const next = show(model);
      const events = diffEvents(told, model);
      told = model;
      if (next !== previous) queue.push(() => listeners.forEach((listener) => isolate(() => listener(next, previous))));
      for (const event of events)
        queue.push(() => eventListeners.forEach((listener) => isolate(() => listener(event))));
      flush();
    },
  };
}
