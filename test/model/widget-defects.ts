// Reducers with a defect each: an exploration that finds nothing in one of them is not able to fail.
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

/** Changes the model that comes out. */
const onResult =
  (change: (model: Model, action: Action) => Model): Reduce =>
  (before, action) => {
    const { model, commands } = reduce(before, action);
    return { model: change(model, action), commands };
  };

export const widgetDefects: readonly WidgetDefect[] = [
  {
    name: 'an unknown status word is taken for a payment',
    rule: /rows 11/,
    reduce: onAction((action) =>
      action.type === 'loaded' && action.checkout.invoice?.service_status === 'HELD_BY_BANK'
        ? { ...action, checkout: { ...action.checkout, status: 'paid' } }
        : action,
    ),
  },
  {
    name: 'a later response takes paid back',
    rule: /row 12\)/,
    reduce: onModel((model, { type }) =>
      type === 'loaded' ? withCheckout(model, (checkout) => ({ ...checkout, status: 'pending' })) : model,
    ),
  },
  {
    name: 'responses are applied in the order of their arrival',
    rule: /row 12\)/,
    reduce: onModel((model) => ({ ...model, connection: { ...model.connection, applied: 0 } })),
  },
  {
    name: 'a failed read ends the payment',
    rule: /row 13\)/,
    reduce: onResult((model, { type }) =>
      type === 'loadFailed' ? withCheckout(model, (checkout) => ({ ...checkout, status: 'failed' })) : model,
    ),
  },
  {
    name: 'the clock of the device ends the invoice',
    rule: /rows 11, 15\)/,
    reduce: onResult((model, { type }) =>
      type === 'tick' && model.payment.verifyingExpiry
        ? withCheckout(model, (checkout) => ({ ...checkout, status: 'expired' }))
        : model,
    ),
  },
  {
    name: 'nothing is fetched when the time is up',
    rule: /rows 15, 39\)/,
    reduce(before, action) {
      const { model, commands } = reduce(before, action);
      return { model, commands: commands.filter(({ type }) => type !== 'load') };
    },
  },
  {
    name: 'an invoice that has expired stays so when it is paid late',
    rule: /rows 1, 15\)/,
    reduce: (model, action) =>
      model.payment.checkout?.status === 'expired' && action.type === 'loaded'
        ? { model, commands: [] }
        : reduce(model, action),
  },
  {
    name: 'a create without an answer counts as rejected',
    rule: /row 3\)/,
    reduce: onResult((model, { type }) =>
      type === 'createInDoubt' ? { ...model, payment: { ...model.payment, pendingCreate: undefined } } : model,
    ),
  },
  {
    name: 'a create in doubt is followed by another one',
    rule: /row 3\)/,
    reduce(before, action) {
      const { pendingCreate } = before.payment;
      if (action.type !== 'createInvoice' || !pendingCreate?.inDoubt) return reduce(before, action);
      const request = { ...pendingCreate.request, key: action.key };
      const model = { ...before, payment: { ...before.payment, pendingCreate: { ...pendingCreate, request } } };
      return { model, commands: [] };
    },
  },
  {
    name: 'a new create hides that it replaces an invoice',
    rule: /row 1\)/,
    reduce: onResult((model) => {
      const { pendingCreate } = model.payment;
      if (pendingCreate?.request.replace !== true) return model;
      const request = { ...pendingCreate.request, replace: false };
      return { ...model, payment: { ...model.payment, pendingCreate: { ...pendingCreate, request } } };
    }),
  },
  {
    name: 'a payment of another amount is shown as paid',
    rule: /row 42\)/,
    reduce: onResult((model, action) =>
      action.type === 'loaded' && action.checkout.status === 'paid'
        ? withCheckout(model, (checkout) => ({ ...checkout, status: 'paid' }))
        : model,
    ),
  },
  {
    name: 'the amount of an invoice is not compared',
    rule: /row 8\)/,
    reduce: onResult((model, action) => {
      if (action.type !== 'loaded' && action.type !== 'created') return model;
      return withCheckout(model, (checkout) => ({ ...checkout, invoice: action.checkout.invoice }));
    }),
  },
  {
    name: 'a stop leaves the countdown running',
    rule: /row 16\)/,
    reduce(before, action) {
      const { model, commands } = reduce(before, action);
      return action.type === 'stop' ? { model, commands: [...commands, { type: 'replan' }] } : { model, commands };
    },
  },
];
