import type { CheckoutError } from './checkout-error.ts';
import type { Model } from './session-model.ts';
import { selectState } from './select-public-state.ts';
import type { CheckoutEvent, CheckoutSession, CheckoutState } from './public-state.ts';

/** Events of a new status. `failed` and `expired` are emitted for every invoice, `paid` once. */
function statusEvents(before: Model, after: Model): CheckoutEvent[] {
  const { checkout, invoiceId } = after.payment;
  const previousStatus = before.payment.checkout?.status;
  if (!checkout) return [];
  const events: CheckoutEvent[] = [];
  const { status } = checkout;
  const serviceStatus = checkout.invoice?.service_status;
  if (status !== previousStatus) events.push({ type: 'status', status, previous: previousStatus, serviceStatus });
  const isNewOutcome = status !== previousStatus || (status !== 'paid' && invoiceId !== before.payment.invoiceId);
  if (isNewOutcome && (status === 'paid' || status === 'failed' || status === 'expired'))
    events.push({ type: status, checkout });
  return events;
}

/** The errors of `after` that are not in `before`. An error with the same code in the same field of the model is not new. */
function newErrors(before: Model, after: Model): CheckoutError[] {
  const errors = after.emitted.issues.slice(before.emitted.issues.length).map(({ error }) => error);
  const errorsOf = ({ connection, selection, payment }: Model): (CheckoutError | undefined)[] => [
    connection.lost,
    connection.health.error,
    selection.refusal,
    payment.pendingCreate?.error,
  ];
  const errorsBefore = errorsOf(before);
  errorsOf(after).forEach((error, index) => {
    if (error && error.code !== errorsBefore[index]?.code) errors.push(error);
  });
  return errors;
}

/** The events that the change from one model to the next causes. */
export function diffEvents(before: Model, after: Model): CheckoutEvent[] {
  const { checkout } = after.payment;
  const events: CheckoutEvent[] = [];
  if (checkout && after.emitted.ready && !before.emitted.ready) events.push({ type: 'ready', checkout });
  const hasNewInvoice = before.payment.checkout && after.emitted.invoiceIds.length > before.emitted.invoiceIds.length;
  if (hasNewInvoice && checkout?.invoice) events.push({ type: 'created', invoice: checkout.invoice });
  events.push(...statusEvents(before, after));
  events.push(...newErrors(before, after).map((error): CheckoutEvent => ({ type: 'error', error })));
  return events;
}

/** Notifies subscribers in order, once per change; safe against re-entrancy. */
export interface Emitter extends Pick<CheckoutSession, 'getState' | 'subscribe' | 'onEvent'> {
  readonly notify: (model: Model) => void;
}

/** Whether two states have the same members. */
function haveSameMembers(one: CheckoutState, other: CheckoutState): boolean {
  const entries = Object.entries(one);
  const otherEntries = new Map<string, unknown>(Object.entries(other));
  return entries.length === otherEntries.size && entries.every(([key, value]) => otherEntries.get(key) === value);
}

/** Calls a subscriber. Its exception becomes an unhandled rejection, and does not prevent the calls of other subscribers. */
function callIsolated(callback: () => void): void {
  void new Promise<void>((resolve) => {
    callback();
    resolve();
  });
}

/**
 * `getState` returns the state of `model` until the first `notify`, which emits the events since `lastNotified`. What follows
 * from the time is that of `now`, also between two notifications.
 */
export function createEmitter(lastNotified: Model, model: Model, now: () => number): Emitter {
  const listeners = new Set<(state: CheckoutState, previousState: CheckoutState) => void>();
  const eventListeners = new Set<(event: CheckoutEvent) => void>();
  const queue: (() => void)[] = [];
  let current = model;
  let state = selectState(model, now());
  let notifiedState = state;
  let isFlushing = false;

  const getState = (): CheckoutState => {
    const nextState = selectState(current, now());
    if (!haveSameMembers(nextState, state)) state = nextState;
    return state;
  };

  const flushQueue = (): void => {
    if (isFlushing) return;
    isFlushing = true;
    for (let notifyNext = queue.shift(); notifyNext !== undefined; notifyNext = queue.shift()) notifyNext();
    isFlushing = false;
  };

  const addListener = <T>(set: Set<T>, listener: T): (() => void) => {
    set.add(listener);
    return () => set.delete(listener);
  };

  return {
    getState,
    // The wrapper keeps subscriptions separate when the same function subscribes twice.
    subscribe: (listener) => addListener(listeners, (next, previousState) => listener(next, previousState)),
    onEvent: (listener) => addListener(eventListeners, (event) => listener(event)),
    notify(next) {
      current = next;
      const previousState = notifiedState;
      const nextState = getState();
      if (nextState !== previousState) {
        notifiedState = nextState;
        queue.push(() => listeners.forEach((listener) => callIsolated(() => listener(nextState, previousState))));
      }
      for (const event of diffEvents(lastNotified, next))
        queue.push(() => eventListeners.forEach((listener) => callIsolated(() => listener(event))));
      lastNotified = next;
      flushQueue();
    },
  };
}
