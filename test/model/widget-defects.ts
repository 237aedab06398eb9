// Reducers with one defect each. The exploration must find each defect, which shows that it can fail.
import { reduce } from '../../src/core/reducer.ts';
import type { Action } from '../../src/core/session-commands.ts';
import type { Model } from '../../src/core/session-model.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import type { Reduce } from './widget-model.ts';

interface WidgetDefect {
  readonly name: string;
  readonly reduce: Reduce;
  /** Matches the rule that the exploration must report as broken. */
  readonly rule: RegExp;
}

/** The model with a changed checkout. */
function withCheckout(model: Model, change: (checkout: Checkout) => Checkout): Model {
  const { checkout } = model.payment;
  return checkout === undefined ? model : { ...model, payment: { ...model.payment, checkout: change(checkout) } };
}

/** A reducer that changes each action before it is reduced. */
const changingAction =
  (change: (action: Action, model: Model) => Action): Reduce =>
  (model, action) =>
    reduce(model, change(action, model));

/** A reducer that changes the model before each action is reduced. */
const changingModel =
  (change: (model: Model, action: Action) => Model): Reduce =>
  (model, action) =>
    reduce(change(model, action), action);

/** A reducer that changes the resulting model. */
const changingResult =
  (change: (model: Model, action: Action) => Model): Reduce =>
  (modelBefore, action) => {
    const { model, commands } = reduce(modelBefore, action);
    return { model: change(model, action), commands };
  };

export const widgetDefects: readonly WidgetDefect[] = [
  {
    name: 'an unlisted status word is shown as paid',
    rule: /did not report it/,
    reduce: changingAction((action) =>
      action.type === 'loaded' && action.checkout.invoice?.service_status === 'HELD_BY_BANK'
        ? { ...action, checkout: { ...action.checkout, status: 'paid' } }
        : action,
    ),
  },
  {
    name: 'a later response replaces the status paid',
    rule: /an earlier request is applied/,
    reduce: changingModel((model, { type }) =>
      type === 'loaded' ? withCheckout(model, (checkout) => ({ ...checkout, status: 'pending' })) : model,
    ),
  },
  {
    name: 'responses are applied in the order of their arrival',
    rule: /an earlier request is applied/,
    reduce: changingModel((model) => ({ ...model, connection: { ...model.connection, applied: 0 } })),
  },
  {
    name: 'a failed read ends the payment',
    rule: /failed read changes/,
    reduce: changingResult((model, { type }) =>
      type === 'loadFailed' ? withCheckout(model, (checkout) => ({ ...checkout, status: 'failed' })) : model,
    ),
  },
  {
    name: 'an invoice expires by the clock of the device',
    rule: /did not report it/,
    reduce: changingResult((model, action) =>
      action.type === 'tick' && action.timeIsUp
        ? withCheckout(model, (checkout) => ({ ...checkout, status: 'expired' }))
        : model,
    ),
  },
  {
    name: 'the checkout is not read when the time is over',
    rule: /is not read/,
    reduce(modelBefore, action) {
      const { model, commands } = reduce(modelBefore, action);
      return { model, commands: commands.filter(({ type }) => type !== 'load') };
    },
  },
  {
    name: 'an expired invoice stays expired although it is paid late',
    rule: /reported payment is not shown/,
    reduce: (model, action) =>
      model.payment.checkout?.status === 'expired' && action.type === 'loaded'
        ? { model, commands: [] }
        : reduce(model, action),
  },
  {
    name: 'a create without a response counts as rejected',
    rule: /unknown result is dropped/,
    reduce: changingResult((model, { type }) =>
      type === 'createInDoubt' ? { ...model, payment: { ...model.payment, pendingCreate: undefined } } : model,
    ),
  },
  {
    name: 'a create in doubt is followed by another create',
    rule: /may have created an invoice/,
    reduce(modelBefore, action) {
      const { pendingCreate } = modelBefore.payment;
      if (action.type !== 'createInvoice' || !pendingCreate?.inDoubt) return reduce(modelBefore, action);
      const request = { ...pendingCreate.request, key: action.key };
      const model = {
        ...modelBefore,
        payment: { ...modelBefore.payment, pendingCreate: { ...pendingCreate, request } },
      };
      return { model, commands: [] };
    },
  },
  {
    name: 'a new create request does not state that it replaces an invoice',
    rule: /replaces the pending invoice/,
    reduce: changingResult((model) => {
      const { pendingCreate } = model.payment;
      if (pendingCreate?.request.replace !== true) return model;
      const request = { ...pendingCreate.request, replace: false };
      return { ...model, payment: { ...model.payment, pendingCreate: { ...pendingCreate, request } } };
    }),
  },
  {
    name: 'a payment of another amount is shown as paid',
    rule: /another amount is shown as paid/,
    reduce: changingResult((model, action) =>
      action.type === 'loaded' && action.checkout.status === 'paid'
        ? withCheckout(model, (checkout) => ({ ...checkout, status: 'paid' }))
        : model,
    ),
  },
  {
    name: 'the amount of an invoice is not compared',
    rule: /for another amount is shown/,
    reduce: changingResult((model, action) => {
      if (action.type !== 'loaded' && action.type !== 'created') return model;
      return withCheckout(model, (checkout) => ({ ...checkout, invoice: action.checkout.invoice }));
    }),
  },
  {
    name: 'a stop leaves the countdown running',
    rule: /after a stop/,
    reduce(modelBefore, action) {
      const { model, commands } = reduce(modelBefore, action);
      return action.type === 'stop' ? { model, commands: [...commands, { type: 'replan' }] } : { model, commands };
    },
  },
];
