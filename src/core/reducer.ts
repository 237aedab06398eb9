import type { Checkout } from '../protocol.ts';
import { tryCompareDecimals } from '../base/decimal.ts';
import { commandsFor, type Action, type Command, type CheckoutResponse } from './session-commands.ts';
import type { CheckoutError } from './checkout-error.ts';
import type { CheckoutIssue, Model } from './session-model.ts';
import { isUsable, selectState } from './select-state.ts';
import { connected, type Deadline } from './checkout-state.ts';
import { validateCheckout } from './validate-checkout.ts';

/** When the payer has waited this long, in ms, the bank may be checking the transfer. */
const slowMs = 120_000;
/** Estimates of a deadline that differ by at most this, in ms, differ only in their network delay. */
const deadlineToleranceMs = 1000;

/** The next model, and the commands to execute in their order. */
export interface Transition {
  readonly model: Model;
  readonly commands: readonly Command[];
}

/** A model with some fields of a group changed. */
function update<G extends 'payment' | 'connection' | 'selection'>(
  model: Model,
  group: G,
  changes: Partial<Model[G]>,
): Model {
  return { ...model, [group]: { ...model[group], ...changes } };
}

/** Whether the time is up. Only the server decides whether the invoice has expired. */
const isOver = (deadline: Deadline | undefined, now: number): boolean => !!deadline && now >= deadline.at;

/**
 * The deadline after a response. Small differences keep the known deadline, so that the countdown does not jump.
 * `remainingMs` is by the server's clock; `now` is monotonic.
 */
function refineDeadline(
  known: Deadline | undefined,
  remainingMs: number | undefined,
  now: number,
  certain: boolean,
): Deadline | undefined {
  if (remainingMs === undefined) return undefined;
  if (!known) return { at: now + remainingMs, span: remainingMs, certain };
  // 0 means that the deadline has passed, at an unknown time: the known deadline stays unless it is in the future.
  const at = remainingMs === 0 ? Math.min(known.at, now) : now + remainingMs;
  if (known.certain && Math.abs(at - known.at) <= deadlineToleranceMs) return known;
  return { at, span: Math.max(known.span, remainingMs), certain };
}

/** The model after the request with this number succeeded. */
const requestSucceeded = (model: Model, number: number): Model =>
  update(model, 'connection', { applied: number, health: connected, lost: undefined, refreshing: false });

/** The checkout of a response. The backend may omit options while an invoice waits: the earlier ones are kept for going back. */
function withOptions({ payment }: Model, { checkout, query }: CheckoutResponse): Checkout {
  const omitted = checkout.status === 'pending' && !checkout.options.length && !query?.options;
  return omitted ? { ...checkout, options: payment.checkout?.options ?? [] } : checkout;
}

/** Whether a response settles the create request: with an invoice that was not there before, or with a payment. */
function settlesCreate({ payment: { pendingCreate } }: Model, { status, invoice }: Checkout): boolean {
  if (status === 'paid') return true;
  return !!pendingCreate && !!invoice && status !== 'open' && invoice.id !== pendingCreate.previousInvoiceId;
}

function mergeIssues(known: readonly CheckoutIssue[], id: string, errors: readonly CheckoutError[]): CheckoutIssue[] {
  const fresh = errors
    .map((error) => ({ key: `${error.code} ${String(error.field)} ${id}`, error }))
    .filter(({ key }) => known.every((issue) => issue.key !== key));
  return [...known, ...fresh];
}

/** The model after a checkout was received by the action `type`. `paid` is final. */
function applyResponse(before: Model, response: CheckoutResponse, type?: Action['type']): Model {
  const { payment, emitted } = before;
  const { now, number, query = {}, etag } = response;
  const model = requestSucceeded(before, number);
  const settled = type === 'created' || settlesCreate(model, response.checkout);
  const invoiceId = response.checkout.invoice?.id ?? '';
  // A paid response may be about an earlier invoice, for which another amount was typed.
  const typed = settled && response.checkout.status !== 'paid' && invoiceId && payment.pendingCreate?.request.amount;
  const requestedAmount = typed ? { invoiceId, amount: typed } : payment.requestedAmount;
  const expectedAmount =
    response.checkout.amount ?? (requestedAmount?.invoiceId === invoiceId ? requestedAmount.amount : undefined);
  const { checkout, mismatch, issues } = validateCheckout(withOptions(model, response), expectedAmount, model.page);
  if (payment.checkout?.status === 'paid' && checkout.status !== 'paid') return model;

  const isSameInvoice = invoiceId === payment.invoiceId;
  const pending = checkout.status === 'pending';
  const deadline = refineDeadline(
    isSameInvoice ? payment.deadline : undefined,
    checkout.invoice?.expires_in_ms,
    now,
    type !== 'hydrate',
  );
  const shownId = checkout.invoice?.id;
  const { invoiceIds } = emitted;
  const next: Model = {
    ...model,
    connection: { ...model.connection, query, etag },
    payment: {
      checkout,
      invoiceId,
      mismatch: pending ? mismatch : undefined,
      pendingCreate: settled ? undefined : payment.pendingCreate,
      requestedAmount,
      deadline,
      since: isSameInvoice ? payment.since : now,
      verifyingExpiry: pending && isOver(deadline, now),
      slow: isSameInvoice && payment.slow,
    },
    selection: settled ? { ...model.selection, dismissedInvoiceId: undefined } : model.selection,
    emitted: {
      ready: emitted.ready || !!shownId || checkout.options.length > 0,
      invoiceIds: !shownId || invoiceIds.includes(shownId) ? invoiceIds : [...invoiceIds, shownId],
      issues: mergeIssues(emitted.issues, invoiceId, issues),
    },
  };
  return !next.selection.refusal || selectState(next).status === 'choosing' ? next : withoutRefusal(next);
}

const withoutRefusal = (model: Model): Model => update(model, 'selection', { refusal: undefined });

function loadFailed(model: Model, error: CheckoutError): Model {
  if (error.code === 'not_found' && !model.payment.checkout) return update(model, 'connection', { lost: error });
  const failures = model.connection.health.failures + 1;
  return update(model, 'connection', { refreshing: false, health: { failures, error } });
}

function createInDoubt(model: Model, { error, response }: Action & { type: 'createInDoubt' }): Model {
  const { pendingCreate } = model.payment;
  if (!pendingCreate) return model;
  const inDoubt = update(model, 'payment', { pendingCreate: { ...pendingCreate, inDoubt: true, error } });
  return response ? applyResponse(inDoubt, response) : inDoubt;
}

function createInvoice(model: Model, key: string): Model {
  const state = selectState(model);
  if (state.status !== 'choosing') return model;
  const { selected, amount, activeInvoice, checkout } = state;
  if (!selected || !amount) return model;
  // Until the time is up, the same method leads back to its invoice, so that nothing is paid twice.
  const isSame =
    activeInvoice?.payment_method_id === selected && tryCompareDecimals(activeInvoice.amount, amount) === 0;
  if (isSame && !model.payment.verifyingExpiry) return applyPayerAction(model, { type: 'resumeInvoice' });
  const request = {
    key,
    payment_method_id: selected,
    ...(checkout.amount === null && { amount }),
    ...(checkout.status !== 'open' && { replace: true }),
  };
  const pendingCreate = { request, previousInvoiceId: model.payment.invoiceId, inDoubt: false };
  return withoutRefusal(update(model, 'payment', { pendingCreate }));
}

type PayerAction = Extract<Action, { type: 'select' | 'setAmount' | 'dismissInvoice' | 'resumeInvoice' | 'retry' }>;

/** The model after an action of the payer. An action that the current screen does not offer changes nothing. */
function applyPayerAction(model: Model, action: PayerAction): Model {
  const state = selectState(model);
  const dismissedInvoiceId = model.payment.invoiceId;
  switch (action.type) {
    case 'dismissInvoice':
      return state.status === 'waiting' && !state.verifyingAmount
        ? update(model, 'selection', { dismissedInvoiceId })
        : model;
    case 'retry':
      return state.status === 'failed' || state.status === 'expired'
        ? update(model, 'selection', { dismissedInvoiceId, refusal: undefined })
        : model;
    default:
  }
  if (state.status !== 'choosing') return model;
  switch (action.type) {
    case 'select': {
      const option = state.checkout.options.find(({ id }) => id === action.methodId);
      if (!option || !isUsable(option, state.amount)) return model;
      return update(model, 'selection', { methodId: option.id, refusal: undefined });
    }
    case 'setAmount':
      if (state.checkout.amount !== null) return model;
      return update(model, 'selection', { typed: action.text, refusal: undefined });
    case 'resumeInvoice':
      return state.activeInvoice
        ? update(model, 'selection', { dismissedInvoiceId: undefined, refusal: undefined })
        : model;
  }
}

function ticked(model: Model, now: number): Model {
  const { payment } = model;
  if (selectState(model).status !== 'waiting') return model;
  const verifyingExpiry = isOver(payment.deadline, now);
  const slow = now - payment.since >= slowMs;
  return verifyingExpiry === payment.verifyingExpiry && slow === payment.slow
    ? model
    : update(model, 'payment', { verifyingExpiry, slow });
}

/** After a stop the result of a create request that was under way is in doubt. */
function stopped(model: Model): Model {
  const { pendingCreate } = model.payment;
  const idle: Model = { ...update(model, 'connection', { refreshing: false }), lifecycle: 'stopped' };
  return pendingCreate ? update(idle, 'payment', { pendingCreate: { ...pendingCreate, inDoubt: true } }) : idle;
}

function nextModel(model: Model, action: Action): Model {
  const running = model.lifecycle === 'running';
  // Ignores the response to a request that is older than the last applied one.
  if ('number' in action && action.number < model.connection.applied) return model;
  switch (action.type) {
    case 'start':
      return running ? model : { ...model, lifecycle: 'running' };
    case 'stop':
      return running ? stopped(model) : model;
    case 'prefer':
      return update(model, 'selection', { preferred: action.method });
    case 'createInvoice':
      return createInvoice(model, action.key);
    case 'refresh': {
      const { status } = selectState(model);
      return running && (status === 'failed' || status === 'expired')
        ? update(model, 'connection', { refreshing: true })
        : model;
    }
    case 'hydrate':
    case 'loaded':
    case 'created':
      return applyResponse(model, action, action.type);
    case 'unchanged':
      return requestSucceeded(model, action.number);
    case 'loadFailed':
      return loadFailed(model, action.error);
    case 'createInDoubt':
      return createInDoubt(model, action);
    case 'createRejected':
      return update(update(model, 'payment', { pendingCreate: undefined }), 'selection', { refusal: action.error });
    case 'sleep': {
      const { deadline } = model.payment;
      return deadline ? update(model, 'payment', { deadline: { ...deadline, certain: false } }) : model;
    }
    case 'tick':
      return ticked(model, action.now);
    default:
      return applyPayerAction(model, action);
  }
}

/** The next model and the commands for an action. Pure: the session executes the commands. */
export function reduce(before: Model, action: Action): Transition {
  const model = nextModel(before, action);
  return { model, commands: commandsFor(before, model, action) };
}
