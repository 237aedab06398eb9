import { fractionDigitsOf, hasMoreDigits } from '../base/currency-digits.ts';
import { fractionOf, tryCompareDecimals } from '../base/decimal.ts';
import type { AmountLimits, BankOption, Checkout, PaymentOption } from '../checkout-api.ts';
import type { CheckoutError } from './checkout-error.ts';
import type { AmountFault, CheckoutState, ChoosingState } from './public-state.ts';
import type { Model, Query } from './session-model.ts';
import { isAmountChecked } from './validate-checkout.ts';

/** The exact amount to pay, or why the typed amount is not valid. */
type AmountToPay = Pick<ChoosingState, 'amount' | 'fault'>;

/** Why an amount is outside the limits; undefined if it is not. The limits are inclusive; an absent limit allows everything. */
export function faultOf(amount: string, limits: AmountLimits | null): AmountFault | undefined {
  const { min_amount: min, max_amount: max } = limits ?? {};
  if (min && tryCompareDecimals(amount, min) === -1) return 'too_small';
  return max && tryCompareDecimals(amount, max) === 1 ? 'too_large' : undefined;
}

/**
 * Reads what a payer typed: a positive decimal within the limits, with a point or a comma, and with spaces, currency signs and
 * invisible characters anywhere. It may have the digits of its currency; without a currency two, or as many as the limits have.
 * Zeros after those are dropped. "1,500.00", "1,500" and "1.500" may mean thousands, and are malformed. In a currency of three
 * digits "1,500" is a decimal where the language has a decimal comma, and "1.500" where it does not separate thousands by a point.
 *
 * @param sample - 10000.5 as the payer's language writes it
 */
export function readAmount(
  typed: string,
  limits: AmountLimits | null,
  currency: string | null,
  sample = '10,000.5',
): AmountToPay {
  const match = /^0*(\d{1,18})(?:([.,])(\d*))?$/.exec(typed.replace(/[\s\p{DI}\p{Sc}]/gu, ''));
  const [, whole = '', separator, fraction = ''] = match ?? [];
  const { min_amount: min = '', max_amount: max = '' } = limits ?? {};
  const digits = currency ? fractionDigitsOf(currency) : Math.max(2, fractionOf(min).length, fractionOf(max).length);
  const mayBeThousands =
    /^[1-9]\d{0,2}$/.test(whole) &&
    fraction.length === 3 &&
    (digits < 3 || (separator === ',' ? !sample.endsWith(',5') : sample[2] === '.'));
  if (!match || mayBeThousands) return { amount: undefined, fault: 'malformed' };
  const kept = fraction.slice(0, digits);
  const amount = kept ? `${whole}.${kept}` : whole;
  const fault = hasMoreDigits(`.${fraction}`, digits)
    ? 'too_precise'
    : tryCompareDecimals(amount, '0') === 1
      ? faultOf(amount, limits)
      : 'too_small';
  return { amount: fault ? undefined : amount, fault };
}

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
function amountOf({ typed, sample }: Model['selection'], checkout: Checkout): AmountToPay {
  const { amount, amount_limits: limits, currency } = checkout;
  return amount === null && typed?.trim()
    ? readAmount(typed, limits, currency, sample)
    : { amount: amount ?? undefined, fault: undefined };
}

/** The query of the methods on the screen: the typed amount, and `options` where a backend may omit them. */
function optionsQuery(checkout: Checkout, amount: string | undefined): Query {
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

/** The state of a checkout whose methods are shown. */
function choosingState({ connection, payment, selection }: Model, checkout: Checkout): ChoosingState {
  const { methodId, preferred, typed } = selection;
  const refusal = selection.refusal ?? payment.hiddenBecause;
  const { amount, fault } = amountOf(selection, checkout);
  const chosenOption = checkout.options.find(({ id }) => id === methodId);
  const selectedOption =
    chosenOption ?? (isMethodRefused(refusal) ? undefined : preselect(checkout.options, amount, preferred));
  return {
    status: 'choosing',
    checkout,
    connection: connection.health,
    selected: selectedOption && isUsable(selectedOption, amount) ? selectedOption.id : undefined,
    typed: checkout.amount === null ? typed : undefined,
    amount,
    fault,
    refreshing: !haveSameQuery(optionsQuery(checkout, amount), connection.query),
    refusal,
    activeInvoice: (checkout.status === 'pending' ? checkout.invoice : null) ?? undefined,
  };
}

/** Whether an invoice's time is up. Only the server decides whether it has expired. */
export const isTimeUp = ({ deadline }: Model['payment'], now: number): boolean => !!deadline && now >= deadline.at;

/** When the payer has waited this long, in ms, the bank may be checking the transfer. */
const slowMs = 120_000;
/** When a create request has been in doubt this long, in ms, the payer may go back to the methods. */
const stuckMs = 60_000;

function computeState(model: Model): CheckoutState {
  const { payment, selection } = model;
  const { health: connection, lost } = model.connection;
  const { checkout, invoiceId, pendingCreate, deadline } = payment;
  if (!checkout)
    return lost ? { status: 'lost', lastCheckout: payment.lastCheckout } : { status: 'loading', connection };

  const { status } = checkout;
  const invoice = checkout.invoice ?? undefined;
  const isDismissed = invoiceId === selection.dismissedInvoiceId;
  if (pendingCreate && status !== 'paid') {
    const { request, inDoubt } = pendingCreate;
    return { status: 'creating', checkout, connection, methodId: request.payment_method_id, inDoubt, stuck: false };
  }
  if (status === 'open') return choosingState(model, checkout);
  if (status !== 'pending')
    return isDismissed && status !== 'closed'
      ? choosingState(model, checkout)
      : { status, checkout, connection, invoice };
  if (!invoiceId && !isDismissed)
    return { status: 'creating', checkout, connection, methodId: undefined, inDoubt: true, stuck: false };
  if (isDismissed || !invoice) return choosingState(model, checkout);
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

/** One render reads the state many times, and comparing the limits of all methods and banks takes a phone about a millisecond. */
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
