import type { BankOption, Checkout, PaymentOption } from '../checkout-api.ts';
import type { CheckoutError } from './checkout-error.ts';
import { faultOf, readAmount } from './payer-typed-amount.ts';
import type { Query, SelectionModel } from './session-model.ts';
import type { ChoosingState, Connection } from './public-state.ts';

// The state in which the payer chooses how to pay. The widget's first file needs this state before there is a session.

const accepts = ({ available, limits }: BankOption | PaymentOption, amount: string | undefined): boolean =>
  available && !(amount && faultOf(amount, limits));

/**
 * Whether a payment method, and at least one of its banks if it has any, can be used for an amount; without an amount, whether
 * it is available.
 */
export function isUsable(option: PaymentOption, amount: string | undefined): boolean {
  const { banks } = option;
  return accepts(option, amount) && (!banks.length || banks.some((bank) => accepts(bank, amount)));
}

/** Whether the page prefers a method, by its id or type. An empty preference, or one that is no text, is none. */
export const isPreferred = ({ id, type }: PaymentOption, preferred: unknown): boolean =>
  typeof preferred === 'string' &&
  !!preferred &&
  [id, type].some((name) => name.toLowerCase() === preferred.toLowerCase());

/** The method that is selected before the payer chooses: the preferred method, else the first usable method. */
function preselect(
  options: readonly PaymentOption[],
  amount: string | undefined,
  preferred: string | undefined,
): PaymentOption | undefined {
  const usableOptions = options.filter((option) => isUsable(option, amount));
  return usableOptions.find((option) => isPreferred(option, preferred)) ?? usableOptions[0];
}

/** The amount to pay: the checkout's amount, or the typed amount if it is valid. */
function amountOf(typed: string | undefined, checkout: Checkout): Pick<ChoosingState, 'amount' | 'fault'> {
  const { amount, amount_limits: limits } = checkout;
  return amount === null && typed?.trim()
    ? readAmount(typed, limits)
    : { amount: amount ?? undefined, fault: undefined };
}

/** The query of the methods on the screen: the typed amount, and `options` where a backend may omit them. */
export function optionsQuery(checkout: Checkout, amount: string | undefined): Query {
  return {
    ...(checkout.amount === null && amount && { amount }),
    ...(checkout.status !== 'open' && { options: true }),
  };
}

export const haveSameQuery = (one: Query, other: Query): boolean =>
  one.amount === other.amount && one.options === other.options;

/** Whether a create request was refused because of the method: the payer has to choose again. */
export const isMethodRefused = (refusal: CheckoutError | undefined): boolean =>
  refusal?.code === 'method_unavailable' || refusal?.code === 'amount_out_of_limits';

/** The state of a checkout whose methods are shown. `query` is the query of the read that `checkout` came with. */
export function choosingState(
  checkout: Checkout,
  connection: Connection,
  { methodId, preferred, typed, refusal }: SelectionModel,
  query: Query,
): ChoosingState {
  const { amount, fault } = amountOf(typed, checkout);
  const chosenOption = checkout.options.find(({ id }) => id === methodId);
  const selectedOption =
    chosenOption ?? (isMethodRefused(refusal) ? undefined : preselect(checkout.options, amount, preferred));
  return {
    status: 'choosing',
    checkout,
    connection,
    selected: selectedOption && isUsable(selectedOption, amount) ? selectedOption.id : undefined,
    typed: checkout.amount === null ? typed : undefined,
    amount,
    fault,
    refreshing: !haveSameQuery(optionsQuery(checkout, amount), query),
    refusal,
    activeInvoice: (checkout.status === 'pending' ? checkout.invoice : null) ?? undefined,
  };
}
