// The rules of the widget: what an action may change, and what may be on the screen.
import { selectState } from '../../src/core/state-of-model.ts';
import type { CheckoutState } from '../../src/core/checkout-state.ts';
import type { Action, Command } from '../../src/core/session-commands.ts';
import type { Model } from '../../src/core/session-model.ts';
import { lifeMs, type WidgetState } from './widget-world.ts';

/** One action, the models around it, and what was to be executed. */
interface Change {
  readonly before: Model;
  readonly model: Model;
  readonly was: CheckoutState;
  readonly is: CheckoutState;
  readonly action: Action;
  readonly commands: readonly Command[];
  /** The status of the checkout that came with the action. */
  readonly answered: string | undefined;
}

type Rule = (change: Change) => string | false | undefined;

const paidIsFinal: Rule = ({ was, is }) =>
  was.status === 'paid' && is.status !== 'paid' && 'paid is taken back (row 12)';

const staleIsDropped: Rule = ({ action, before, model }) =>
  'number' in action &&
  action.number < before.connection.applied &&
  model !== before &&
  'a response to an earlier request is applied (row 12)';

const paidIsShown: Rule = ({ action, before, answered, was, is }) => {
  if (answered !== 'paid' || !('checkout' in action) || action.number < before.connection.applied) return undefined;
  const { amount, invoice } = action.checkout;
  if (invoice?.amount === amount) return is.status !== 'paid' && 'a reported payment is not shown (rows 1, 15)';
  return was.status !== 'paid' && is.status === 'paid' && 'a payment of another amount is shown as paid (row 42)';
};

const endsAreReported: Rule = ({ before, was, is, answered }) =>
  is.status !== was.status &&
  ['paid', 'failed', 'expired'].includes(is.status) &&
  before.payment.checkout?.status !== is.status &&
  answered !== is.status &&
  `${is.status} is shown, and the backend did not say it (rows 11, 15)`;

const failedReadsChangeNothing: Rule = ({ action, before, model, was, is }) =>
  action.type === 'loadFailed' &&
  (before.payment !== model.payment || (before.payment.checkout !== undefined && is.status !== was.status)) &&
  'a failed read changes the payment (row 13)';

const createsAreSafe: Rule = ({ before, model, was }) => {
  const [create, created] = [before.payment.pendingCreate, model.payment.pendingCreate];
  if (!created || created.request.key === create?.request.key) return undefined;
  if (create) return 'a new create begins while another may have made an invoice (row 3)';
  if (was.status !== 'choosing') return 'a new create begins beside requisites that can be paid (row 1)';
  return (
    was.checkout.status === 'pending' &&
    created.request.replace !== true &&
    'a new create beside a pending invoice does not say that it replaces it (row 1)'
  );
};

const doubtIsKept: Rule = ({ before, model, action, answered }) =>
  before.payment.pendingCreate &&
  !model.payment.pendingCreate &&
  action.type !== 'created' &&
  action.type !== 'createRejected' &&
  answered === undefined &&
  'a create whose result is not known is forgotten (row 3)';

const deadlineIsVerified: Rule = ({ before, model, action, commands }) =>
  action.type === 'tick' &&
  model.payment.verifyingExpiry &&
  !before.payment.verifyingExpiry &&
  !commands.some(({ type }) => type === 'load') &&
  'the time is up, and the invoice is not fetched (rows 15, 39)';

const stopIsQuiet: Rule = ({ model, commands }) => {
  if (model.lifecycle !== 'stopped') return undefined;
  const begun = commands.find(({ type, value }) =>
    type === 'create' || type === 'timer' ? value !== undefined : ['start', 'replan', 'loadLater'].includes(type),
  );
  return begun && `${begun.type} begins after a stop (row 16)`;
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
  const [was, is] = [selectState(before), selectState(model)];
  const change: Change = { before, model, was, is, action, commands, answered: statusIn(action) };
  for (const rule of rules) {
    const broken = rule(change);
    if (typeof broken === 'string') return broken;
  }
  return undefined;
}

/** The rule that a state breaks, or undefined. */
export function brokenByState({ model, broken, paidEvents, invoices, now }: WidgetState): string | undefined {
  if (broken !== undefined) return broken;
  if (paidEvents > 1) return 'the paid event is emitted twice (row 12)';
  const state = selectState(model);
  if (state.status === 'paid' && !invoices.some(({ word, hasWrongAmount }) => word === 'PAID' && !hasWrongAmount))
    return 'paid is shown, and no invoice for the right amount was paid (rows 11, 42)';
  if (state.status !== 'waiting') return undefined;
  if (state.invoice.amount !== state.checkout.amount) return 'an invoice for another amount is shown (row 8)';
  if (state.deadline === undefined || state.deadline.at > lifeMs + now) return 'the countdown is wrong (rows 14, 15)';
  return undefined;
}
