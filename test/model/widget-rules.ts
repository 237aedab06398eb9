// The rules of the widget: what an action may change, and what may be on the screen.
import { selectState } from '../../src/core/select-state.ts';
import type { CheckoutState } from '../../src/core/checkout-state.ts';
import type { Action, Command } from '../../src/core/session-commands.ts';
import type { Model } from '../../src/core/session-model.ts';
import { lifeMs, type WidgetState } from './widget-model-state.ts';

/** One action, the models and states before and after it, and its commands. */
interface Change {
  readonly before: Model;
  readonly model: Model;
  readonly stateBefore: CheckoutState;
  readonly stateAfter: CheckoutState;
  readonly action: Action;
  readonly commands: readonly Command[];
  /** The status of the checkout that came with the action. */
  readonly answered: string | undefined;
}

type Rule = (change: Change) => string | false | undefined;

const paidIsFinal: Rule = ({ stateBefore, stateAfter }) =>
  stateBefore.status === 'paid' && stateAfter.status !== 'paid' && 'a paid checkout does not stay paid';

const staleIsDropped: Rule = ({ action, before, model }) =>
  'number' in action &&
  action.number < before.connection.applied &&
  model !== before &&
  'a response to an earlier request is applied';

const paidIsShown: Rule = ({ action, before, answered, stateBefore, stateAfter }) => {
  if (answered !== 'paid' || !('checkout' in action) || action.number < before.connection.applied) return undefined;
  const { amount, invoice } = action.checkout;
  if (invoice?.amount === amount) return stateAfter.status !== 'paid' && 'a reported payment is not shown';
  return (
    stateBefore.status !== 'paid' && stateAfter.status === 'paid' && 'a payment of another amount is shown as paid'
  );
};

const endsAreReported: Rule = ({ before, stateBefore, stateAfter, answered }) =>
  stateAfter.status !== stateBefore.status &&
  ['paid', 'failed', 'expired'].includes(stateAfter.status) &&
  before.payment.checkout?.status !== stateAfter.status &&
  answered !== stateAfter.status &&
  `${stateAfter.status} is shown, and the backend did not report it`;

const failedReadsChangeNothing: Rule = ({ action, before, model, stateBefore, stateAfter }) =>
  action.type === 'loadFailed' &&
  (before.payment !== model.payment ||
    (before.payment.checkout !== undefined && stateAfter.status !== stateBefore.status)) &&
  'a failed read changes the payment';

const createsAreSafe: Rule = ({ before, model, stateBefore }) => {
  const [create, created] = [before.payment.pendingCreate, model.payment.pendingCreate];
  if (!created || created.request.key === create?.request.key) return undefined;
  if (create) return 'a new create request begins while another may have created an invoice';
  if (stateBefore.status !== 'choosing') return 'a new create request begins while requisites can be paid';
  return (
    stateBefore.checkout.status === 'pending' &&
    created.request.replace !== true &&
    'a new create request does not state that it replaces the pending invoice'
  );
};

const doubtIsKept: Rule = ({ before, model, action, answered }) =>
  before.payment.pendingCreate &&
  !model.payment.pendingCreate &&
  action.type !== 'created' &&
  action.type !== 'createRejected' &&
  answered === undefined &&
  'a create request with an unknown result is dropped';

const deadlineIsVerified: Rule = ({ before, model, action, commands }) =>
  action.type === 'tick' &&
  model.payment.verifyingExpiry &&
  !before.payment.verifyingExpiry &&
  !commands.some(({ type }) => type === 'load') &&
  'the time is up, and the invoice is not fetched';

const stopIsQuiet: Rule = ({ model, commands }) => {
  if (model.lifecycle !== 'stopped') return undefined;
  const begun = commands.find(({ type, value }) =>
    type === 'create' || type === 'timer' ? value !== undefined : ['start', 'replan', 'loadLater'].includes(type),
  );
  return begun && `${begun.type} begins after a stop`;
};

const rules: readonly Rule[] = [
  paidIsFinal,
  staleIsDropped,
  paidIsShown,
  failedReadsChangeNothing,
  endsAreReported,
  createsAreSafe,
  doubtIsKept,
  deadlineIsVerified,
  stopIsQuiet,
];

function statusIn(action: Action): string | undefined {
  if ('checkout' in action) return action.checkout.status;
  return 'response' in action ? action.response?.checkout.status : undefined;
}

/** The rule that one action breaks, or undefined. */
export function brokenByAction(
  before: Model,
  action: Action,
  model: Model,
  commands: readonly Command[],
): string | undefined {
  const [stateBefore, stateAfter] = [selectState(before), selectState(model)];
  const change: Change = { before, model, stateBefore, stateAfter, action, commands, answered: statusIn(action) };
  for (const rule of rules) {
    const broken = rule(change);
    if (typeof broken === 'string') return broken;
  }
  return undefined;
}

/** The rule that a state breaks, or undefined. */
export function brokenByState({ model, broken, paidEvents, invoices, now }: WidgetState): string | undefined {
  if (broken !== undefined) return broken;
  if (paidEvents > 1) return 'the paid event is emitted twice';
  const state = selectState(model);
  if (state.status === 'paid' && !invoices.some(({ word, hasWrongAmount }) => word === 'PAID' && !hasWrongAmount))
    return 'paid is shown, and no invoice for the right amount was paid';
  if (state.status !== 'waiting') return undefined;
  if (state.invoice.amount !== state.checkout.amount) return 'an invoice for another amount is shown';
  if (state.deadline === undefined || state.deadline.at > lifeMs + now) return 'the countdown is wrong';
  return undefined;
}
