import type { CheckoutError } from './checkout-error.ts';
import type { Model } from './session-model.ts';
import type { CheckoutEvent } from './public-state.ts';

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
