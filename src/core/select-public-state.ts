import type { Checkout, PaymentOption } from '../protocol.ts';
import { faultOf, readAmount } from './payer-typed-amount.ts';
import { haveSameQuery, type Model, type Query } from './session-model.ts';
import type { CheckoutState, ChoosingState } from './public-state.ts';

/** Whether a payment method can be used for an amount; without an amount, whether it is available. */
export function isUsable(option: PaymentOption, amount: string | undefined): boolean {
  return option.available && !(amount && faultOf(amount, option.limits));
}

/** The method that is selected before the payer chooses: the preferred method (by id or type), else the first usable method. */
function preselect(
  options: readonly PaymentOption[],
  amount: string | undefined,
  preferred: string | undefined,
): PaymentOption | undefined {
  const usableOptions = options.filter((option) => isUsable(option, amount));
  // An empty preference is no preference: it would match an option whose type is empty.
  const preferredName = preferred ? preferred.toLowerCase() : undefined;
  return (
    usableOptions.find(({ id, type }) => id.toLowerCase() === preferredName || type.toLowerCase() === preferredName) ??
    usableOptions[0]
  );
}

/** The amount to pay: the checkout's amount, or the typed amount if it is valid. */
function amountOf(typed: string | undefined, checkout: Checkout): Pick<ChoosingState, 'amount' | 'fault'> {
  const { amount, amount_limits: limits } = checkout;
  return amount === null && typed?.trim()
    ? readAmount(typed, limits)
    : { amount: amount ?? undefined, fault: undefined };
}

/** The query of the methods on the screen: the typed amount, and `options` where a backend may omit them. */
function optionsQuery(checkout: Checkout, amount: string | undefined): Query {
  return {
    ...(checkout.amount === null && amount && { amount }),
    ...(checkout.status !== 'open' && { options: true }),
  };
}

function choosingState({ connection, payment, selection }: Model, checkout: Checkout): ChoosingState {
  const { amount, fault } = amountOf(selection.typed, checkout);
  const chosenOption = checkout.options.find(({ id }) => id === selection.methodId);
  const selectedOption = chosenOption ?? preselect(checkout.options, amount, selection.preferred);
  return {
    status: 'choosing',
    checkout,
    connection: connection.health,
    selected: selectedOption && isUsable(selectedOption, amount) ? selectedOption.id : undefined,
    typed: checkout.amount === null ? selection.typed : undefined,
    amount,
    fault,
    refreshing: !haveSameQuery(optionsQuery(checkout, amount), connection.query),
    refusal: selection.refusal ?? payment.mismatch,
    activeInvoice: (checkout.status === 'pending' ? checkout.invoice : null) ?? undefined,
  };
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
  if (status === 'open') return choosingState(model, checkout);
  if (status !== 'pending')
    return isDismissed && status !== 'paid' && status !== 'closed'
      ? choosingState(model, checkout)
      : { status, checkout, connection, invoice, refreshing };
  if (!invoiceId) return { status: 'creating', checkout, connection, methodId: undefined, inDoubt: true };
  if (isDismissed || !invoice) return choosingState(model, checkout);
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
