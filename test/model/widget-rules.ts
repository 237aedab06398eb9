// The rules of the widget: which changes an action may cause, and what the screen may show.
import { selectState } from '../../src/core/select-public-state.ts';
import type { CheckoutState } from '../../src/core/public-state.ts';
import type { Action, Command } from '../../src/core/session-commands.ts';
import type { Model } from '../../src/core/session-model.ts';
import { lifetimeMs, type WidgetState } from './widget-model-state.ts';

/** One action, the models and states before and after the action, and the commands that the reducer returned. */
interface Change {
  readonly modelBefore: Model;
  readonly model: Model;
  readonly stateBefore: CheckoutState;
  readonly stateAfter: CheckoutState;
  readonly action: Action;
  readonly commands: readonly Command[];
  /** The status of the checkout that came with the action. */
  readonly receivedStatus: string | undefined;
}

type Rule = (change: Change) => string | false | undefined;

const paidIsFinal: Rule = ({ stateBefore, stateAfter }) =>
  stateBefore.status === 'paid' && stateAfter.status !== 'paid' && 'a paid checkout does not stay paid';

const oldResponsesAreIgnored: Rule = ({ action, modelBefore, model }) =>
  'number' in action &&
  action.number < modelBefore.connection.applied &&
  model !== modelBefore &&
  'a response to an earlier request is applied';

const paidIsShown: Rule = ({ action, modelBefore, receivedStatus, stateBefore, stateAfter }) => {
  if (receivedStatus !== 'paid' || !('checkout' in action) || action.number < modelBefore.connection.applied)
    return undefined;
  const { amount, invoice } = action.checkout;
  if (invoice?.amount === amount) return stateAfter.status !== 'paid' && 'a reported payment is not shown';
  return (
    stateBefore.status !== 'paid' && stateAfter.status === 'paid' && 'a payment of another amount is shown as paid'
  );
};

const endsAreReported: Rule = ({ modelBefore, stateBefore, stateAfter, receivedStatus }) =>
  stateAfter.status !== stateBefore.status &&
  ['paid', 'failed', 'expired'].includes(stateAfter.status) &&
  modelBefore.payment.checkout?.status !== stateAfter.status &&
  receivedStatus !== stateAfter.status &&
  `${stateAfter.status} is shown, and the backend did not report it`;

const failedReadsChangeNothing: Rule = ({ action, modelBefore, model, stateBefore, stateAfter }) =>
  action.type === 'loadFailed' &&
  (modelBefore.payment !== model.payment ||
    (modelBefore.payment.checkout !== undefined && stateAfter.status !== stateBefore.status)) &&
  'a failed read changes the payment';

const createsAreSafe: Rule = ({ modelBefore, model, stateBefore }) => {
  const [createBefore, createAfter] = [modelBefore.payment.pendingCreate, model.payment.pendingCreate];
  if (!createAfter || createAfter.request.key === createBefore?.request.key) return undefined;
  if (createBefore) return 'a new create request begins while another may have created an invoice';
  if (stateBefore.status !== 'choosing') return 'a new create request begins while requisites can be paid';
  return (
    stateBefore.checkout.status === 'pending' &&
    createAfter.request.replace !== true &&
    'a new create request does not state that it replaces the pending invoice'
  );
};

const doubtIsKept: Rule = ({ modelBefore, model, action, receivedStatus }) =>
  modelBefore.payment.pendingCreate &&
  !model.payment.pendingCreate &&
  action.type !== 'created' &&
  action.type !== 'createRejected' &&
  action.type !== 'dismissInvoice' &&
  receivedStatus === undefined &&
  'a create request with an unknown result is dropped';

const deadlineIsVerified: Rule = ({ action, commands }) =>
  action.type === 'tick' &&
  action.timeIsUp &&
  !commands.some(({ type }) => type === 'load') &&
  'the time is over, and the checkout is not read';

const stopIsQuiet: Rule = ({ model, commands }) => {
  if (model.lifecycle !== 'stopped') return undefined;
  const forbiddenCommand = commands.find(({ type, value }) =>
    type === 'create' || type === 'timer' ? value !== undefined : ['start', 'replan', 'loadLater'].includes(type),
  );
  return forbiddenCommand && `${forbiddenCommand.type} begins after a stop`;
};

const rules: readonly Rule[] = [
  paidIsFinal,
  oldResponsesAreIgnored,
  paidIsShown,
  failedReadsChangeNothing,
  endsAreReported,
  createsAreSafe,
  doubtIsKept,
  deadlineIsVerified,
  stopIsQuiet,
];

function statusOfAction(action: Action): string | undefined {
  if ('checkout' in action) return action.checkout.status;
  return 'response' in action ? action.response?.checkout.status : undefined;
}

/** The rule that one action breaks, or undefined. */
export function ruleBrokenByAction(
  modelBefore: Model,
  action: Action,
  model: Model,
  commands: readonly Command[],
): string | undefined {
  const [stateBefore, stateAfter] = [selectState(modelBefore), selectState(model)];
  const change: Change = {
    modelBefore,
    model,
    stateBefore,
    stateAfter,
    action,
    commands,
    receivedStatus: statusOfAction(action),
  };
  for (const rule of rules) {
    const brokenRule = rule(change);
    if (typeof brokenRule === 'string') return brokenRule;
  }
  return undefined;
}

/** The rule that a state breaks, or undefined. */
export function ruleBrokenByState({ model, brokenRule, paidEvents, invoices, now }: WidgetState): string | undefined {
  if (brokenRule !== undefined) return brokenRule;
  if (paidEvents > 1) return 'the paid event is emitted twice';
  const state = selectState(model);
  if (state.status === 'paid' && !invoices.some(({ word, hasWrongAmount }) => word === 'PAID' && !hasWrongAmount))
    return 'paid is shown, and no invoice for the right amount was paid';
  if (state.status !== 'waiting') return undefined;
  if (state.invoice.amount !== state.checkout.amount) return 'an invoice for another amount is shown';
  if (state.deadline === undefined || state.deadline.at > lifetimeMs + now) return 'the countdown is wrong';
  return undefined;
}
