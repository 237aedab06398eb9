import type { Checkout } from '../checkout-api.ts';
import { tryCompareDecimals } from '../base/decimal.ts';
import {
  commandsFor,
  isRefusal,
  type Action,
  type Command,
  type CheckoutResponse,
  type RequestFacts,
} from './session-commands.ts';
import { CheckoutError } from './checkout-error.ts';
import type { CheckoutIssue, Model } from './session-model.ts';
import { isMethodRefused, isTimeUp, isUsable, selectState } from './select-public-state.ts';
import { connected, type Deadline } from './public-state.ts';
import { validateCheckout } from './validate-checkout.ts';

/** Estimates of a deadline that differ by at most this, in ms, differ only in their network delay. */
const deadlineToleranceMs = 1000;

/** The next model, and the commands to execute in their order. */
export interface Transition {
  readonly model: Model;
  readonly commands: readonly Command[];
}

/** A model with some fields of a group changed. */
function updateGroup<G extends 'payment' | 'connection' | 'selection'>(
  model: Model,
  group: G,
  changes: Partial<Model[G]>,
): Model {
  return { ...model, [group]: { ...model[group], ...changes } };
}

/** How long a response may travel, in ms: it makes the deadline seem later. */
const longestTravelMs = 15_000;

/**
 * The deadline after a response. Small differences keep the known deadline, so that the countdown does not jump.
 * `remainingMs` is by the server's clock; `now` is monotonic. With `canBeLater` false, only an earlier deadline replaces the
 * known one: each response gives a time that is not too early, unless the server's clock is ahead.
 */
function refineDeadline(
  knownDeadline: Deadline | undefined,
  remainingMs: number | undefined,
  now: number,
  isCertain: boolean,
  canBeLater: boolean,
): Deadline | undefined {
  if (remainingMs === undefined) return undefined;
  if (!knownDeadline) return { at: now + remainingMs, span: remainingMs, certain: isCertain };
  // 0 means that the deadline has passed at an unknown time. A known deadline that has passed stays; a later one becomes `now`.
  const respondedAt = now + remainingMs;
  const at = canBeLater && remainingMs > 0 ? respondedAt : Math.min(knownDeadline.at, respondedAt);
  if (knownDeadline.certain && Math.abs(at - knownDeadline.at) <= deadlineToleranceMs) return knownDeadline;
  // After a sleep the known time is too late. A much later one shows only that the server's clock is behind.
  const isConfirmed =
    knownDeadline.certain ||
    at === respondedAt ||
    remainingMs === 0 ||
    respondedAt - knownDeadline.at < longestTravelMs;
  return { at, span: Math.max(knownDeadline.span, remainingMs), certain: isCertain && isConfirmed };
}

/** The model after a read or create request succeeded. A long poll that succeeded ends the series of those that were cut. */
const applySuccess = (model: Model, { number, heldMs }: RequestFacts): Model =>
  updateGroup(model, 'connection', {
    applied: number,
    health: connected,
    lost: undefined,
    ...(heldMs && { cuts: 0 }),
  });

/** The checkout of a response. If the backend omits the options while an invoice waits, the known options are kept. */
function keepOmittedOptions({ payment }: Model, { checkout, query }: CheckoutResponse): Checkout {
  const areOmitted = checkout.status === 'pending' && !checkout.options.length && !query?.options;
  return areOmitted ? { ...checkout, options: payment.checkout?.options ?? [] } : checkout;
}

/** Whether a response settles the create request: it has an invoice with a new id, or the checkout is paid. */
function settlesCreate({ payment: { pendingCreate } }: Model, { status, invoice }: Checkout): boolean {
  if (status === 'paid') return true;
  return !!pendingCreate && !!invoice && status !== 'open' && invoice.id !== pendingCreate.previousInvoiceId;
}

/** The issue of a member that was dropped. Its value is not in the error. */
const createDroppedIssue = (path: string): CheckoutError =>
  new CheckoutError('malformed', `${path} is not valid`, { field: path });

function mergeIssues(
  knownIssues: readonly CheckoutIssue[],
  invoiceId: string,
  errors: readonly CheckoutError[],
): CheckoutIssue[] {
  const newIssues = errors
    .map((error) => ({ key: `${error.code} ${String(error.field)} ${invoiceId}`, error }))
    .filter(({ key }) => knownIssues.every((issue) => issue.key !== key));
  return [...knownIssues, ...newIssues];
}

/** The model after an action of this type brought a checkout. A paid checkout stays paid. */
function applyResponse(before: Model, response: CheckoutResponse, actionType?: Action['type']): Model {
  const { payment, emitted } = before;
  const { now, query = {}, etag } = response;
  const model = applySuccess(before, response);
  const isSettled = actionType === 'created' || settlesCreate(model, response.checkout);
  const invoiceId = response.checkout.invoice?.id ?? '';
  // The invoice of a paid checkout may be an earlier invoice, for which the payer typed another amount.
  const typedAmount =
    isSettled && response.checkout.status !== 'paid' && invoiceId && payment.pendingCreate?.request.amount;
  const requestedAmount = typedAmount ? { invoiceId, amount: typedAmount } : payment.requestedAmount;
  const expectedAmount =
    response.checkout.amount ?? (requestedAmount?.invoiceId === invoiceId ? requestedAmount.amount : undefined);
  const { checkout, hiddenBecause, issues } = validateCheckout(
    keepOmittedOptions(model, response),
    expectedAmount,
    model.page,
  );
  if (payment.checkout?.status === 'paid' && checkout.status !== 'paid') return model;

  const isSameInvoice = invoiceId === payment.invoiceId;
  const expiresAt = checkout.invoice?.expires_at;
  const isSameWait = isSameInvoice && checkout.status === payment.checkout?.status;
  const deadline = refineDeadline(
    isSameInvoice ? payment.deadline : undefined,
    checkout.invoice?.expires_in_ms,
    now,
    actionType !== 'hydrate',
    actionType === 'created' || !expiresAt || expiresAt !== payment.checkout?.invoice?.expires_at,
  );
  const shownInvoiceId = checkout.invoice?.id;
  const { invoiceIds } = emitted;
  const modelAfter: Model = {
    ...model,
    connection: { ...model.connection, query, etag },
    payment: {
      checkout,
      invoiceId,
      hiddenBecause: checkout.status === 'pending' ? hiddenBecause : undefined,
      pendingCreate: isSettled ? undefined : payment.pendingCreate,
      requestedAmount,
      deadline,
      since: isSameWait ? payment.since : now,
    },
    selection: isSettled ? { ...model.selection, dismissedInvoiceId: undefined } : model.selection,
    emitted: {
      ready: emitted.ready || !!shownInvoiceId || checkout.options.length > 0,
      invoiceIds: !shownInvoiceId || invoiceIds.includes(shownInvoiceId) ? invoiceIds : [...invoiceIds, shownInvoiceId],
      issues: mergeIssues(emitted.issues, invoiceId, [...(response.dropped ?? []).map(createDroppedIssue), ...issues]),
    },
  };
  return !modelAfter.selection.refusal || selectState(modelAfter).status === 'choosing'
    ? modelAfter
    : withoutRefusal(modelAfter);
}

/** The model without the reason why the last create request was rejected. */
const withoutRefusal = (model: Model): Model => updateGroup(model, 'selection', { refusal: undefined });

/** A long poll that fails earlier than this, in ms, was not cut: the connection was refused, or a proxy had no server. */
const shortestCutMs = 5000;
/** How long plain polls take the place of long polls after the second cut, in ms. It grows with each further cut, tenfold at most. */
const plainPollsMs = 30_000;

/**
 * A checkout that is not found is lost. One that was there is lost after the second such answer in a row.
 *
 * A proxy may cut every long poll. One cut proves nothing, because a server that ends cuts its long polls too: plain polls, which
 * cost the backend many times more, follow only the second cut without a good long poll between them.
 */
function applyLoadFailure(model: Model, { error, now, heldMs = 0 }: Action & { type: 'loadFailed' }): Model {
  const { connection, payment } = model;
  const { checkout } = payment;
  if (
    error.code === 'not_found' &&
    (!checkout || (checkout.status !== 'paid' && connection.health.error?.code === error.code))
  )
    return {
      ...updateGroup(model, 'connection', { lost: error, etag: undefined }),
      payment: { invoiceId: '', since: 0, ...(checkout && { lastCheckout: { ...checkout, invoice: null } }) },
    };
  const health = { failures: connection.health.failures + 1, error };
  if (heldMs < shortestCutMs || isRefusal(error)) return updateGroup(model, 'connection', { health });
  const cuts = connection.cuts + 1;
  const plainPollsUntil = now + Math.min(cuts - 1, 10) * plainPollsMs;
  return updateGroup(model, 'connection', { health, cuts, plainPollsUntil });
}

function applyCreateInDoubt(
  model: Model,
  { error, response }: Pick<Action & { type: 'createInDoubt' }, 'error' | 'response'>,
): Model {
  const { pendingCreate } = model.payment;
  if (!pendingCreate) return model;
  const inDoubt = updateGroup(model, 'payment', { pendingCreate: { ...pendingCreate, inDoubt: true, error } });
  return response ? applyResponse(inDoubt, response) : inDoubt;
}

function applyCreateInvoice(model: Model, { key, now }: Action & { type: 'createInvoice' }): Model {
  const state = selectState(model);
  if (state.status !== 'choosing') return model;
  const { selected, amount, activeInvoice, checkout } = state;
  if (!selected || !amount) return model;
  // Until its time is up, an active invoice for the same method and amount is shown again, so that nothing is paid twice.
  const hasSameMethodAndAmount =
    activeInvoice?.payment_method_id === selected && tryCompareDecimals(activeInvoice.amount, amount) === 0;
  if (hasSameMethodAndAmount && !isTimeUp(model.payment, now))
    return applyPayerAction(model, { type: 'resumeInvoice' });
  const request = {
    key,
    payment_method_id: selected,
    ...(checkout.amount === null && { amount }),
    ...(checkout.status !== 'open' && { replace: true }),
  };
  const pendingCreate = { request, previousInvoiceId: model.payment.invoiceId, since: now, inDoubt: false };
  return withoutRefusal(updateGroup(model, 'payment', { pendingCreate }));
}

type PayerAction = Extract<Action, { type: 'select' | 'setAmount' | 'dismissInvoice' | 'resumeInvoice' | 'retry' }>;

/** The model after an action of the payer. An action that the current screen does not offer changes nothing. */
function applyPayerAction(model: Model, action: PayerAction): Model {
  const state = selectState(model);
  const dismissedInvoiceId = model.payment.invoiceId;
  switch (action.type) {
    case 'dismissInvoice': {
      const canLeave =
        state.status === 'waiting' ? !state.verifyingAmount : state.status === 'creating' && state.inDoubt;
      if (!canLeave) return model;
      return updateGroup(updateGroup(model, 'payment', { pendingCreate: undefined }), 'selection', {
        dismissedInvoiceId,
      });
    }
    case 'retry':
      return state.status === 'failed' || state.status === 'expired'
        ? updateGroup(model, 'selection', { dismissedInvoiceId, refusal: undefined })
        : model;
    default:
  }
  if (state.status !== 'choosing') return model;
  switch (action.type) {
    case 'select': {
      const option = state.checkout.options.find(({ id }) => id === action.methodId);
      if (!option || !isUsable(option, state.amount)) return model;
      return updateGroup(model, 'selection', { methodId: option.id, refusal: undefined });
    }
    case 'setAmount':
      if (state.checkout.amount !== null) return model;
      return updateGroup(model, 'selection', { typed: action.text, sample: action.sample, refusal: undefined });
    case 'resumeInvoice':
      return state.activeInvoice
        ? updateGroup(model, 'selection', { dismissedInvoiceId: undefined, refusal: undefined })
        : model;
  }
}

function applyAction(model: Model, action: Action): Model {
  const isRunning = model.lifecycle === 'running';
  // Ignores a response whose request is earlier than the request of the last applied response.
  if ('number' in action && action.number < model.connection.applied) return model;
  switch (action.type) {
    case 'start':
      return isRunning ? model : { ...model, lifecycle: 'running' };
    case 'stop': {
      // The result of a create request that was under way is then in doubt.
      const error = model.payment.pendingCreate?.error;
      return isRunning ? applyCreateInDoubt({ ...model, lifecycle: 'stopped' }, { error }) : model;
    }
    case 'prefer':
      return updateGroup(model, 'selection', { preferred: action.method });
    case 'createInvoice':
      return applyCreateInvoice(model, action);
    case 'hydrate':
    case 'loaded':
    case 'created':
      return applyResponse(model, action, action.type);
    case 'unchanged':
      return applySuccess(model, action);
    case 'loadFailed':
      return applyLoadFailure(model, action);
    case 'createInDoubt':
      return applyCreateInDoubt(model, action);
    case 'createRejected':
      return updateGroup(updateGroup(model, 'payment', { pendingCreate: undefined }), 'selection', {
        refusal: action.error,
        ...(isMethodRefused(action.error) && { methodId: undefined }),
      });
    case 'sleep': {
      const { deadline } = model.payment;
      return deadline ? updateGroup(model, 'payment', { deadline: { ...deadline, certain: false } }) : model;
    }
    case 'refresh':
    case 'tick':
      return model;
    default:
      return applyPayerAction(model, action);
  }
}

/** The next model and the commands for an action. Pure: the session executes the commands. */
export function reduce(before: Model, action: Action): Transition {
  const model = applyAction(before, action);
  return { model, commands: commandsFor(before, model, action) };
}
