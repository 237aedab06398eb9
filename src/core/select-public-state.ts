import type { Checkout } from '../checkout-api.ts';
import { isAmountChecked } from './validate-checkout.ts';
import { choosingState, optionsQuery } from './choosing-state.ts';
import type { Model, Query } from './session-model.ts';
import type { CheckoutState, ChoosingState } from './public-state.ts';

function stateOfOptions({ connection, payment, selection }: Model, checkout: Checkout): ChoosingState {
  const refusal = selection.refusal ?? payment.hiddenBecause;
  return choosingState(checkout, connection.health, { ...selection, refusal }, connection.query);
}

/** Whether an invoice's time is up. Only the server decides whether it has expired. */
export const isTimeUp = ({ deadline }: Model['payment'], now: number): boolean => !!deadline && now >= deadline.at;

/** When the payer has waited this long, in ms, the bank may be checking the transfer. */
const slowMs = 120_000;
/** When a create request has been in doubt this long, in ms, the payer may go back to the methods. */
const stuckMs = 60_000;

function computeState(model: Model): CheckoutState {
  const { payment, selection } = model;
  const { health: connection, lost, refreshing } = model.connection;
  const { checkout, invoiceId, pendingCreate, deadline } = payment;
  if (!checkout) return lost ? { status: 'lost' } : { status: 'loading', connection };

  const { status } = checkout;
  const invoice = checkout.invoice ?? undefined;
  const isDismissed = invoiceId === selection.dismissedInvoiceId;
  if (pendingCreate && status !== 'paid') {
    const { request, inDoubt } = pendingCreate;
    return { status: 'creating', checkout, connection, methodId: request.payment_method_id, inDoubt, stuck: false };
  }
  if (status === 'open') return stateOfOptions(model, checkout);
  if (status !== 'pending')
    return isDismissed && status !== 'paid' && status !== 'closed'
      ? stateOfOptions(model, checkout)
      : { status, checkout, connection, invoice, refreshing };
  if (!invoiceId && !isDismissed)
    return { status: 'creating', checkout, connection, methodId: undefined, inDoubt: true, stuck: false };
  if (isDismissed || !invoice) return stateOfOptions(model, checkout);
  return {
    status: 'waiting',
    checkout,
    invoice,
    connection,
    deadline,
    verifyingExpiry: false,
    verifyingAmount: isAmountChecked(invoice),
    slow: false,
  };
}

const states = new WeakMap<Model, CheckoutState>();

/**
 * The public state of a model at a time of the monotonic clock. Every rule about which screen is shown is here. Only a wait for
 * a payment or an invoice has members that follow from the time; without a time, no time has passed.
 */
export function selectState(model: Model, now = -Infinity): CheckoutState {
  const state = states.get(model) ?? computeState(model);
  states.set(model, state);
  const { payment } = model;
  if (state.status === 'creating') {
    const since = payment.pendingCreate?.since ?? payment.since;
    return { ...state, stuck: state.inDoubt && now - since >= stuckMs };
  }
  if (state.status !== 'waiting') return state;
  return { ...state, verifyingExpiry: isTimeUp(payment, now), slow: now - payment.since >= slowMs };
}

/** The query of the next read. */
export function selectQuery(model: Model): Query {
  const state = selectState(model);
  return state.status === 'choosing' ? optionsQuery(state.checkout, state.amount) : {};
}
