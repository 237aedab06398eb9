import type { CheckoutError } from './checkout-error.ts';
import type { Model } from './session-model.ts';
import { selectState } from './select-state.ts';
import type { CheckoutEvent, CheckoutSession, CheckoutState } from './checkout-state.ts';

/** Events of a new status. `failed` and `expired` are emitted for every invoice, `paid` once. */
function statusEvents(before: Model, after: Model): CheckoutEvent[] {
  const { checkout, invoiceId } = after.payment;
  const previous = before.payment.checkout?.status;
  if (!checkout) return [];
  const events: CheckoutEvent[] = [];
  const { status } = checkout;
  const serviceStatus = checkout.invoice?.service_status;
  if (status !== previous) events.push({ type: 'status', status, previous, serviceStatus });
  const isNew = status !== previous || (status !== 'paid' && invoiceId !== before.payment.invoiceId);
  if (isNew && (status === 'paid' || status === 'failed' || status === 'expired'))
    events.push({ type: status, checkout });
  return events;
}

/** The errors that `after` has and `before` has not. An error with the same code in the same place is not new. */
function newErrors(before: Model, after: Model): CheckoutError[] {
  const errors = after.emitted.issues.slice(before.emitted.issues.length).map(({ error }) => error);
  const places = ({ connection, selection, payment }: Model): (CheckoutError | undefined)[] => [
    connection.lost,
    connection.health.error,
    selection.refusal,
    payment.pendingCreate?.error,
  ];
  const known = places(before);
  places(after).forEach((error, place) => {
    if (error && error.code !== known[place]?.code) errors.push(error);
  });
  return errors;
}

/** The events between two models, each once. */
export function diffEvents(before: Model, after: Model): CheckoutEvent[] {
  const { checkout } = after.payment;
  const events: CheckoutEvent[] = [];
  if (checkout && after.emitted.ready && !before.emitted.ready) events.push({ type: 'ready', checkout });
  const created = before.payment.checkout && after.emitted.invoiceIds.length > before.emitted.invoiceIds.length;
  if (created && checkout?.invoice) events.push({ type: 'created', invoice: checkout.invoice });
  events.push(...statusEvents(before, after));
  events.push(...newErrors(before, after).map((error): CheckoutEvent => ({ type: 'error', error })));
  return events;
}

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

/** Calls a subscriber. An exception becomes an unhandled rejection, and the other subscribers are called all the same. */
function isolate(callback: () => void): void {
  void new Promise<void>((resolve) => {
    callback();
    resolve();
  });
}

/** `getState` first returns the state of `model`. The first `notify` emits the events since `notified`. */
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
