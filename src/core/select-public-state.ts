import type { Checkout } from '../checkout-api.ts';
import { choosingState, optionsQuery } from './choosing-state.ts';
import type { Model, Query } from './session-model.ts';
import type { CheckoutState, ChoosingState } from './public-state.ts';

function stateOfOptions({ connection, payment, selection }: Model, checkout: Checkout): ChoosingState {
  const refusal = selection.refusal ?? payment.mismatch;
  return choosingState(checkout, connection.health, { ...selection, refusal }, connection.query);
}

function computeState(model: Model): CheckoutState {
  const { payment, selection } = model;
  const { health: connection, lost, refreshing } = model.connection;
  const { checkout, invoiceId, pendingCreate, deadline, verifyingExpiry, slow } = payment;
  if (!checkout) return lost ? { status: 'lost' } : { status: 'loading', connection };

  const { status } = checkout;
  const invoice = checkout.invoice ?? undefined;
  const isDismissed = invoiceId === selection.dismissedInvoiceId;
  if (pendingCreate && status !== 'paid') {
    const { request, inDoubt } = pendingCreate;
    return { status: 'creating', checkout, connection, methodId: request.payment_method_id, inDoubt };
  }
  if (status === 'open') return stateOfOptions(model, checkout);
  if (status !== 'pending')
    return isDismissed && status !== 'paid' && status !== 'closed'
      ? stateOfOptions(model, checkout)
      : { status, checkout, connection, invoice, refreshing };
  if (!invoiceId) return { status: 'creating', checkout, connection, methodId: undefined, inDoubt: true };
  if (isDismissed || !invoice) return stateOfOptions(model, checkout);
  const { nspk_url, payment_url, sbp, card, bank_transfer } = invoice;
  const verifyingAmount = verifyingExpiry && !(nspk_url ?? payment_url ?? sbp ?? card ?? bank_transfer);
  return { status: 'waiting', checkout, invoice, connection, deadline, verifyingExpiry, verifyingAmount, slow };
}

const states = new WeakMap<Model, CheckoutState>();

/** The public state of a model, computed once for each model. Every rule about which screen is shown is here. */
export function selectState(model: Model): CheckoutState {
  const state = states.get(model) ?? computeState(model);
  states.set(model, state);
  return state;
}

/** The query of the next read. */
export function selectQuery(model: Model): Query {
  const state = selectState(model);
  return state.status === 'choosing' ? optionsQuery(state.checkout, state.amount) : {};
}
