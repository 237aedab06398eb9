import type { Checkout } from '../protocol.ts';
import type { CheckoutError } from './checkout-error.ts';
import { choosingState, isUsable } from './choosing-state.ts';
import { connected, type CheckoutSession, type CheckoutState } from './public-state.ts';
import type { SelectionModel } from './session-model.ts';

/**
 * Takes the place of a session until the session's code is loaded: shows the options, and stores what the payer chooses. It
 * has the same states as a session. It sends no requests and validates nothing.
 */
export interface StandInSession extends Pick<
  CheckoutSession,
  'getState' | 'select' | 'setAmount' | 'prefer' | 'createInvoice'
> {
  /** Shows the options of an open checkout. Any other checkout needs the session: the state stays `loading`. */
  show(checkout: Checkout): void;
  /**
   * Call it when the session's code could not be loaded. A payer who has requested an invoice returns to the options, with
   * `error` as the refusal. Before such a request, it counts as a failed read.
   */
  fail(error: CheckoutError): void;
  /** Repeats in a session what the payer did in the stand-in session. */
  replay(session: CheckoutSession): void;
}

export function createStandInSession(preferred: string): StandInSession {
  let checkout: Checkout | undefined;
  let connection = connected;
  let selection: SelectionModel = { preferred };
  /** The method of the invoice that the payer requested. */
  let requestedMethodId: string | undefined;

  const computeState = (): CheckoutState => {
    if (!checkout) return { status: 'loading', connection };
    return requestedMethodId === undefined
      ? choosingState(checkout, connection, selection, {})
      : { status: 'creating', checkout, connection, methodId: requestedMethodId, inDoubt: false };
  };
  let state = computeState();
  const changeSelection = (changes: Partial<SelectionModel>): void => {
    selection = { ...selection, ...changes };
    state = computeState();
  };

  return {
    getState: () => state,
    show(openCheckout) {
      if (openCheckout.status !== 'open') return;
      // Links that are not validated are not shown. The session validates them.
      checkout = { ...openCheckout, return_urls: { success_url: null, fail_url: null } };
      state = computeState();
    },
    fail(error) {
      const isRequested = requestedMethodId !== undefined;
      requestedMethodId = undefined;
      if (!isRequested) connection = { failures: connection.failures + 1, error };
      changeSelection(isRequested ? { refusal: error } : {});
    },
    select(methodId) {
      if (state.status !== 'choosing') return;
      const option = state.checkout.options.find(({ id }) => id === methodId);
      if (option && isUsable(option, state.amount)) changeSelection({ methodId, refusal: undefined });
    },
    setAmount: (typed) => changeSelection({ typed, refusal: undefined }),
    prefer: (method) => changeSelection({ preferred: method }),
    createInvoice() {
      // The session sends the request, with its own key.
      if (state.status === 'choosing' && state.amount) requestedMethodId = state.selected;
      state = computeState();
    },
    replay(session) {
      if (selection.typed !== undefined) session.setAmount(selection.typed);
      if (selection.methodId) session.select(selection.methodId);
      if (requestedMethodId !== undefined) session.createInvoice();
    },
  };
}
