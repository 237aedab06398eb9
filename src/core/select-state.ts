import type { Checkout } from '../protocol.ts';
import { readAmount } from './amount.ts';
import { isUsable, preselect } from './method.ts';
import { sameQuery, type Model, type Query } from './model.ts';
import type { CheckoutState, ChoosingState } from './state.ts';

/** The amount to be paid: the checkout's own, or what the payer typed as far as it reads. */
function amountOf(model: Model, checkout: Checkout): Pick<ChoosingState, 'amount' | 'fault'> {
  if (checkout.amount !== null) return { amount: checkout.amount, fault: undefined };
  return model.typed?.trim()
    ? readAmount(model.typed, checkout.amount_limits)
    // Stryker disable next-line ObjectLiteral: Absent properties read as undefined.
    : { amount: undefined, fault: undefined };
}

function choosing(model: Model, checkout: Checkout): ChoosingState {
  const { amount, fault } = amountOf(model, checkout);
  const chosen = checkout.options.find(({ id }) => id === model.selected);
  const selected =
    chosen && isUsable(chosen, amount)
      ? chosen
      : chosen
        ? undefined
        : preselect(checkout.options, amount, model.preferred);
  return {
    status: 'choosing',
    checkout,
    connection: model.connection,
    selected: selected?.id,
    typed: checkout.amount === null ? model.typed : undefined,
    amount,
    fault,
    refreshing: !sameQuery(queryFor(model, checkout), model.answered.query),
    refusal: model.refusal ?? model.mismatch,
    activeInvoice: (checkout.status === 'pending' ? checkout.invoice : null) ?? undefined,
  };
}

/** What the methods on the screen have to be asked with: the typed amount, and options although an invoice is there. */
function queryFor(model: Model, checkout: Checkout): Query {
  const amount = checkout.amount === null ? amountOf(model, checkout).amount : undefined;
  return {
    ...(amount && { amount }),
    ...(checkout.status !== 'open' && { options: true }),
  };
}

/** What the next read has to ask for. */
export function queryOf(model: Model): Query {
  return model.checkout && selectState(model).status === 'choosing' ? queryFor(model, model.checkout) : {};
}

/** What others see of the model. Every rule about which screen is shown is here. */
export function selectState(model: Model): CheckoutState {
  const { checkout, connection, ask } = model;
  if (!checkout) return model.lost ? { status: 'lost' } : { status: 'loading', connection };

  const { status } = checkout;
  const invoice = checkout.invoice ?? undefined;
  const ended = { checkout, connection, invoice, refreshing: model.asking };
  if (status === 'paid') return { status, ...ended };
  if (ask) {
    const { request, unknown } = ask;
    return { status: 'creating', checkout, connection, methodId: request.payment_method_id, inDoubt: unknown };
  }
  switch (status) {
    case 'open':
      return choosing(model, checkout);
    case 'pending': {
      if (model.invoiceId === '')
        return { status: 'creating', checkout, connection, methodId: undefined, inDoubt: true };
      if (model.invoiceId === model.left || !invoice) return choosing(model, checkout);
      const { deadline, checking, long } = model;
      return { status: 'waiting', checkout, invoice, connection, deadline, verifyingExpiry: checking, slow: long };
    }
    case 'failed':
    case 'expired':
      return model.invoiceId === model.left ? choosing(model, checkout) : { status, ...ended };
  }
}
