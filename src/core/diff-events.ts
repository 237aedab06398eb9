import type { CheckoutError } from './checkout-error.ts';
import type { Model } from './session-model.ts';
import type { CheckoutEvent } from './checkout-state.ts';

/** Events of a new status. Every failed or expired invoice emits its end, `paid` is emitted once. */
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

/** New errors; an error with the same code in the same place is not new. */
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
