import type { Checkout } from '../protocol.ts';
import type { CheckoutError } from './checkout-error.ts';
import type { CheckoutSession, CheckoutState } from './checkout-state.ts';
import { createModel, type Model } from './session-model.ts';
import { isUsable, selectState } from './state-of-model.ts';

/**
 * The state of a checkout until its session runs, for a page that loads the code of sessions later: the options, and what
 * the payer chose meanwhile. Its states are those of a session. It sends and validates nothing.
 */
export interface CheckoutPreview extends Pick<
  CheckoutSession,
  'getState' | 'select' | 'setAmount' | 'prefer' | 'createInvoice'
> {
  /** Shows the options of an open checkout. Any other checkout needs the session: the state stays `loading`. */
  show(checkout: Checkout): void;
  /**
   * Something could not be loaded. Without options the state has a failed connection; a payer who asked for an invoice is
   * back at the options, where `error` says so.
   */
  fail(error: CheckoutError): void;
  /** Does in a session what the payer did here. */
  replay(session: CheckoutSession): void;
}

export function createPreview(preferred: string): CheckoutPreview {
  let model = createModel(preferred);
  const change = <G extends 'payment' | 'connection' | 'selection'>(group: G, changes: Partial<Model[G]>): void => {
    model = { ...model, [group]: { ...model[group], ...changes } };
  };
  const getState = (): CheckoutState => selectState(model);

  return {
    getState,
    show(checkout) {
      // Links are validated by the session.
      const return_urls = { success_url: null, fail_url: null };
      if (checkout.status === 'open') change('payment', { checkout: { ...checkout, return_urls } });
    },
    fail(error) {
      const { failures } = model.connection.health;
      const { status } = getState();
      if (status === 'creating') {
        change('payment', { pendingCreate: undefined });
        change('selection', { refusal: error });
      } else if (error.code === 'not_found') change('connection', { lost: error });
      else change('connection', { health: { failures: failures + 1, error } });
    },
    select(methodId) {
      const state = getState();
      const option = state.status === 'choosing' && state.checkout.options.find(({ id }) => id === methodId);
      if (option && isUsable(option, state.amount)) change('selection', { methodId, refusal: undefined });
    },
    setAmount: (typed) => change('selection', { typed, refusal: undefined }),
    prefer: (method) => change('selection', { preferred: method }),
    createInvoice() {
      const state = getState();
      if (state.status !== 'choosing' || !state.selected || !state.amount) return;
      // The session makes the request, with a key of its own.
      const request = { key: '', payment_method_id: state.selected };
      change('payment', { pendingCreate: { request, previousInvoiceId: '', inDoubt: false } });
    },
    replay(session) {
      const { methodId, typed } = model.selection;
      if (typed !== undefined) session.setAmount(typed);
      if (methodId) session.select(methodId);
      if (model.payment.pendingCreate) session.createInvoice();
    },
  };
}
