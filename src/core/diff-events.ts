import type { CheckoutError } from './error.ts';
import type { CheckoutEvent } from './event.ts';
import type { Model } from './model.ts';

/** The status of a model, once it has become so: a new invoice that failed has failed anew. */
function outcomes(before: Model, after: Model): CheckoutEvent[] {
  const { checkout } = after;
  const previous = before.checkout?.status;
  if (!checkout) return [];
  const events: CheckoutEvent[] = [];
  const { status } = checkout;
  const serviceStatus = checkout.invoice?.service_status;
  if (status !== previous) events.push({ type: 'status', status, previous, serviceStatus });
  const anew = status !== previous || (status !== 'paid' && after.invoiceId !== before.invoiceId);
  if (anew && (status === 'paid' || status === 'failed' || status === 'expired'))
    events.push({ type: status, checkout });
  return events;
}

/** Errors that were not there before; one with the same code in the same place is the same error. */
function errors(before: Model, after: Model): CheckoutError[] {
  const errors = after.findings.slice(before.findings.length).map(({ error }) => error);
  const places = (model: Model): (CheckoutError | undefined)[] => [
    model.lost,
    model.connection.error,
    model.refusal,
    model.ask?.error,
  ];
  const known = places(before);
  places(after).forEach((error, place) => {
    if (error && error.code !== known[place]?.code) errors.push(error);
  });
  return errors;
}

/** What happened between a model and the next, each thing once. */
export function diffEvents(before: Model, after: Model): CheckoutEvent[] {
  const { checkout } = after;
  const events: CheckoutEvent[] = [];
  if (checkout && after.ready && !before.ready) events.push({ type: 'ready', checkout });
  const arrived = before.checkout && after.shown.length > before.shown.length;
  if (arrived && checkout?.invoice) events.push({ type: 'created', invoice: checkout.invoice });
  events.push(...outcomes(before, after));
  events.push(...errors(before, after).map((error): CheckoutEvent => ({ type: 'error', error })));
  return events;
}
