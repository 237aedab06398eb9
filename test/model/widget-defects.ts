// Reducers with one defect each, which show that the exploration can fail.
import { reduce } from '../../src/core/reducer.ts';
import type { Action } from '../../src/core/session-commands.ts';
import type { Model } from '../../src/core/session-model.ts';
import type { Checkout } from '../../src/protocol.ts';
import type { Reduce } from './widget-model.ts';

interface WidgetDefect {
  readonly name: string;
  readonly reduce: Reduce;
  /** A part of the rule that the exploration must report. */
  readonly rule: RegExp;
}

/** The same model with its last checkout changed. */
function withCheckout(model: Model, change: (checkout: Checkout) => Checkout): Model {
  const { checkout } = model.payment;
  return checkout === undefined ? model : { ...model, payment: { ...model.payment, checkout: change(checkout) } };
}

/** Changes the action before it is reduced. */
const onAction =
  (change: (action: Action, model: Model) => Action): Reduce =>
  (model, action) =>
    reduce(model, change(action, model));

/** Changes the model before the action is reduced. */
const onModel =
  (change: (model: Model, action: Action) => Model): Reduce =>
  (model, action) =>
    reduce(change(model, action), action);

/** Changes the resulting model. */
const onResult =
  (change: (model: Model, action: Action) => Model): Reduce =>
  (before, action) => {
    const { model, commands } = reduce(before, action);
    return { model: change(model, action), commands };
  };

export const widgetDefects: readonly WidgetDefect[] = [
  {
    name: 'an unknown status word is taken for a payment',
    rule: /did not report it/,
    reduce: onAction((action) =>
      action.type === 'loaded' && action.checkout.invoice?.service_status === 'HELD_BY_BANK'
        ? { ...action, checkout: { ...action.checkout, status: 'paid' } }
        : action,
    ),
  },
  {
    name: 'a later response reverts paid',
    rule: /an earlier request is applied/,
    reduce: onModel((model, { type }) =>
      type === 'loaded' ? withCheckout(model, (checkout) => ({ ...checkout, status: 'pending' })) : model,
    ),
  },
  {
    name: 'responses are applied in the order of their arrival',
    rule: /an earlier request is applied/,
    reduce: onModel((model) => ({ ...model, connection: { ...model.connection, applied: 0 } })),
  },
  {
    name: 'a failed read ends the payment',
    rule: /failed read changes/,
    reduce: onResult((model, { type }) =>
      type === 'loadFailed' ? withCheckout(model, (checkout) => ({ ...checkout, status: 'failed' })) : model,
    ),
  },
  {
    name: 'the clock of the device ends the invoice',
    rule: /did not report it/,
    reduce: onResult((model, { type }) =>
      type === 'tick' && model.payment.verifyingExpiry
        ? withCheckout(model, (checkout) => ({ ...checkout, status: 'expired' }))
        : model,
    ),
  },
  {
    name: 'nothing is fetched when the time is up',
    rule: /is not fetched/,
    reduce(before, action) {
      const { model, commands } = reduce(before, action);
      return { model, commands: commands.filter(({ type }) => type !== 'load') };
    },
  },
  {
    name: 'an invoice that has expired stays so when it is paid late',
    rule: /reported payment is not shown/,
    reduce: (model, action) =>
      model.payment.checkout?.status === 'expired' && action.type === 'loaded'
        ? { model, commands: [] }
        : reduce(model, action),
  },
  {
    name: 'a create without an answer counts as rejected',
    rule: /unknown result is dropped/,
    reduce: onResult((model, { type }) =>
      type === 'createInDoubt' ? { ...model, payment: { ...model.payment, pendingCreate: undefined } } : model,
    ),
  },
  {
    name: 'a create in doubt is followed by another one',
    rule: /may have created an invoice/,
    reduce(before, action) {
      const { pendingCreate } = before.payment;
      if (action.type !== 'createInvoice' || !pendingCreate?.inDoubt) return reduce(before, action);
      const request = { ...pendingCreate.request, key: action.key };
      const model = { ...before, payment: { ...before.payment, pendingCreate: { ...pendingCreate, request } } };
      return { model, commands: [] };
    },
  },
  {
    name: 'a new create request does not state that it replaces an invoice',
    rule: /replaces the pending invoice/,
    reduce: onResult((model) => {
      const { pendingCreate } = model.payment;
      if (pendingCreate?.request.replace !== true) return model;
      const request = { ...pendingCreate.request, replace: false };
      return { ...model, payment: { ...model.payment, pendingCreate: { ...pendingCreate, request } } };
    }),
  },
  {
    name: 'a payment of another amount is shown as paid',
    rule: /another amount is shown as paid/,
    reduce: onResult((model, action) =>
      action.type === 'loaded' && action.checkout.status === 'paid'
        ? withCheckout(model, (checkout) => ({ ...checkout, status: 'paid' }))
        : model,
    ),
  },
  {
    name: 'the amount of an invoice is not compared',
    rule: /for another amount is shown/,
    reduce: onResult((model, action) => {
      if (action.type !== 'loaded' && action.type !== 'created') return model;
      return withCheckout(model, (checkout) => ({ ...checkout, invoice: action.checkout.invoice }));
    }),
  },
  {
    name: 'a stop leaves the countdown running',
    rule: /after a stop/,
    reduce(before, action) {
      const { model, commands } = reduce(before, action);
      return action.type === 'stop' ? { model, commands: [...commands, { type: 'replan' }] } : { model, commands };
    },
  },
];
