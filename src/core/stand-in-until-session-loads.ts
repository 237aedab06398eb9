import type { Checkout } from '../protocol.ts';
import type { CheckoutError } from './checkout-error.ts';
import type { CheckoutSession, CheckoutState } from './public-state.ts';
import { createModel, type Model } from './session-model.ts';
import { isUsable, selectState } from './select-public-state.ts';

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
   * Call it when a response or the session's code could not be loaded. A payer who has requested an invoice returns to the
   * options, with `error` as the refusal. Before such a request, `not_found` makes the checkout lost, and another error is a
   * failed read.
   */
  fail(error: CheckoutError): void;
  /** Repeats in a session what the payer did in the stand-in session. */
  replay(session: CheckoutSession): void;
}

export function createStandInSession(preferred: string): StandInSession {
  let model = createModel(preferred);
  const changeGroup = <G extends 'payment' | 'connection' | 'selection'>(
    group: G,
    changes: Partial<Model[G]>,
  ): void => {
    model = { ...model, [group]: { ...model[group], ...changes } };
  };
  const getState = (): CheckoutState => selectState(model);

  return {
    getState,
    show(checkout) {
      // Links that are not validated are not shown. The session validates them.
      const return_urls = { success_url: null, fail_url: null };
      if (checkout.status === 'open') changeGroup('payment', { checkout: { ...checkout, return_urls } });
    },
    fail(error) {
      const { failures } = model.connection.health;
      const { status } = getState();
      if (status === 'creating') {
        changeGroup('payment', { pendingCreate: undefined });
        changeGroup('selection', { refusal: error });
      } else if (error.code === 'not_found') changeGroup('connection', { lost: error });
      else changeGroup('connection', { health: { failures: failures + 1, error } });
    },
    select(methodId) {
      const state = getState();
      const option = state.status === 'choosing' && state.checkout.options.find(({ id }) => id === methodId);
      if (option && isUsable(option, state.amount)) changeGroup('selection', { methodId, refusal: undefined });
    },
    setAmount: (typed) => changeGroup('selection', { typed, refusal: undefined }),
    prefer: (method) => changeGroup('selection', { preferred: method }),
    createInvoice() {
      const state = getState();
      if (state.status !== 'choosing' || !state.selected || !state.amount) return;
      // The session sends the request, with its own key.
      const request = { key: '', payment_method_id: state.selected };
      changeGroup('payment', { pendingCreate: { request, previousInvoiceId: '', inDoubt: false } });
    },
    replay(session) {
      const { methodId, typed } = model.selection;
      if (typed !== undefined) session.setAmount(typed);
      if (methodId) session.select(methodId);
      if (model.payment.pendingCreate) session.createInvoice();
    },
  };
}
