// The widget's reducer as a model. The steps are those of a payer, a backend, a bank, a connection and a clock, in every order.
import { CheckoutError } from '../../src/core/checkout-error.ts';
import { diffEvents } from '../../src/core/event-emitter.ts';
import type { reduce } from '../../src/core/reducer.ts';
import { selectState } from '../../src/core/select-public-state.ts';
import type { Action } from '../../src/core/session-commands.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import type { Model, Step } from './explore.ts';
import { ruleBrokenByAction, ruleBrokenByState } from './widget-rules.ts';
import {
  buildCheckout,
  lifetimeMs,
  initialWidgetState,
  type Read,
  type WidgetBounds,
  type WidgetState,
  type Word,
} from './widget-model-state.ts';

export type Reduce = typeof reduce;

const connectionError = new CheckoutError('network', 'no response');
const refusalError = new CheckoutError('invalid_request', 'refused');

/** Identifies a state. */
function key({
  model,
  now,
  requests,
  reads,
  create,
  invoices,
  creates,
  stops,
  sleeps,
  paidEvents,
  brokenRule,
}: WidgetState): string {
  const { payment, connection, selection, lifecycle } = model;
  const summarize = (response: Checkout | string | undefined): unknown =>
    typeof response === 'object'
      ? [response.status, response.invoice?.id, response.invoice?.service_status, response.invoice?.expires_in_ms]
      : response;
  return JSON.stringify([
    lifecycle, summarize(payment.checkout), payment.invoiceId, payment.hiddenBecause?.code, payment.pendingCreate, payment.deadline,
    connection.health.failures > 0, connection.refreshing, connection.lost?.code,
    connection.query, selection.dismissedInvoiceId, selection.refusal?.code, now, requests - connection.applied,
    reads.map(({ number, response }) => [number - connection.applied, summarize(response)]),
    create && [create.key, summarize(create.response)], invoices, creates, stops, sleeps, paidEvents, brokenRule,
  ]); // prettier-ignore
}

/** The model of a widget for a reducer and bounds. */
export function widgetModel(reduceUnderTest: Reduce, bounds: WidgetBounds): Model<WidgetState> {
  /** The state after an action, with the rule that the action broke, if any. */
  const apply = (state: WidgetState, action: Action): WidgetState => {
    const { model, commands } = reduceUnderTest(state.model, action);
    const events = diffEvents(state.model, model).filter(({ type }) => type === 'paid').length;
    const brokenRule = ruleBrokenByAction(state.model, action, model, commands);
    return { ...state, model, paidEvents: state.paidEvents + events, brokenRule };
  };
  return {
    initial: bounds.startsWithInvoice ? createStateWithInvoice(apply) : initialWidgetState,
    *steps(state) {
      yield* startOrStop(state, bounds, apply);
      yield* actAsPayer(state, bounds, apply);
      yield* readCheckout(state, bounds, apply);
      yield* createInvoice(state, bounds, apply);
      yield* changeStatusesAndTime(state, apply);
    },
    key,
    violation: ruleBrokenByState,
  };
}

type ApplyAction = (state: WidgetState, action: Action) => WidgetState;

/** A state with a pending invoice on the screen. */
function createStateWithInvoice(apply: ApplyAction): WidgetState {
  const invoices = [{ id: 'inv_0', key: 'key_0', word: 'PENDING', hasWrongAmount: false }] as const;
  const started = apply({ ...initialWidgetState, invoices, requests: 1 }, { type: 'start' });
  return apply(started, { type: 'loaded', checkout: buildCheckout(started), number: 1, now: 0 });
}

function* startOrStop(state: WidgetState, bounds: WidgetBounds, apply: ApplyAction): Iterable<Step<WidgetState>> {
  if (state.model.lifecycle !== 'running') yield { name: 'start', next: apply(state, { type: 'start' }) };
  else if (state.stops < bounds.stops)
    yield {
      name: 'stop',
      next: { ...apply(state, { type: 'stop' }), stops: state.stops + 1, reads: [], create: undefined },
    };
  if (state.sleeps < bounds.sleeps)
    yield { name: 'the device sleeps', next: { ...apply(state, { type: 'sleep' }), sleeps: state.sleeps + 1 } };
}

function* actAsPayer(state: WidgetState, bounds: WidgetBounds, apply: ApplyAction): Iterable<Step<WidgetState>> {
  for (const type of ['dismissInvoice', 'resumeInvoice', 'retry', 'refresh'] as const)
    yield { name: type, next: apply(state, { type }) };
  if (state.creates >= bounds.creates) return;
  const nextState = apply(state, { type: 'createInvoice', key: `key_${state.creates + 1}`, now: state.now });
  const isNew = nextState.model.payment.pendingCreate !== state.model.payment.pendingCreate;
  yield { name: 'createInvoice', next: { ...nextState, creates: state.creates + (isNew ? 1 : 0) } };
}

function* readCheckout(state: WidgetState, bounds: WidgetBounds, apply: ApplyAction): Iterable<Step<WidgetState>> {
  const number = state.requests + 1;
  if (state.model.lifecycle === 'running' && state.reads.length < bounds.reads)
    yield {
      name: `read ${number} begins`,
      next: {
        ...state,
        requests: number,
        reads: [...state.reads, { number, response: undefined }],
        brokenRule: undefined,
      },
    };
  for (const read of state.reads) {
    const otherReads = state.reads.filter((other) => other !== read);
    const withResponse = (response: Read['response']): WidgetState => ({
      ...state,
      reads: state.reads.map((other) => (other === read ? { ...read, response } : other)),
      brokenRule: undefined,
    });
    if (read.response === undefined) {
      yield { name: `the backend handles read ${read.number}`, next: withResponse(buildCheckout(state)) };
      yield { name: `read ${read.number} fails`, next: withResponse('error') };
      continue;
    }
    const remaining = { ...state, reads: otherReads };
    const { number: readNumber, response } = read;
    const action: Action =
      response === 'error'
        ? { type: 'loadFailed', number: readNumber, error: connectionError }
        : { type: 'loaded', checkout: response, number: readNumber, now: state.now };
    yield {
      name: `the response to read ${readNumber} arrives (${response === 'error' ? 'error' : response.status})`,
      next: apply(remaining, action),
    };
  }
}

function* createInvoice(state: WidgetState, bounds: WidgetBounds, apply: ApplyAction): Iterable<Step<WidgetState>> {
  const pendingCreate = state.model.lifecycle === 'running' ? state.model.payment.pendingCreate : undefined;
  const { create } = state;
  if (pendingCreate === undefined) return;
  if (create?.key !== pendingCreate.request.key) {
    yield {
      name: 'the create request is sent',
      next: { ...state, create: { key: pendingCreate.request.key, response: undefined }, brokenRule: undefined },
    };
    return;
  }
  if (create.response === undefined) {
    yield* handleCreate(state, create.key, pendingCreate.request.replace === true, bounds);
    return;
  }
  const remaining = { ...state, create: undefined };
  const number = state.requests + 1;
  if (create.response === 'rejected')
    yield { name: 'the rejection arrives', next: apply(remaining, { type: 'createRejected', error: refusalError }) };
  else if (create.response === 'in doubt') {
    yield {
      name: 'the create request ends without a response',
      next: apply(remaining, { type: 'createInDoubt', error: connectionError }),
    };
    const response = { checkout: buildCheckout(state), number, now: state.now };
    yield {
      name: 'a 202 arrives',
      next: apply({ ...remaining, requests: number }, { type: 'createInDoubt', response }),
    };
  } else
    yield {
      name: 'the created invoice arrives',
      next: apply(
        { ...remaining, requests: number },
        { type: 'created', checkout: create.response, number, now: state.now },
      ),
    };
}

/** The backend handles a create request. A known key gets the existing invoice. */
function* handleCreate(
  state: WidgetState,
  requestKey: string,
  replaces: boolean,
  bounds: WidgetBounds,
): Iterable<Step<WidgetState>> {
  const withResponse = (
    response: NonNullable<WidgetState['create']>['response'],
    invoices = state.invoices,
  ): WidgetState => ({
    ...state,
    invoices,
    create: { key: requestKey, response },
    brokenRule: undefined,
  });
  const isKnownKey = state.invoices.some((invoice) => invoice.key === requestKey);
  const { status } = buildCheckout(state);
  if (!isKnownKey && (status === 'paid' || (status === 'pending' && !replaces))) {
    yield { name: 'the backend rejects the create', next: withResponse('rejected') };
    return;
  }
  yield { name: 'the create request is lost', next: withResponse('in doubt') };
  if (!isKnownKey) yield { name: 'the service refuses the create', next: withResponse('rejected') };
  const wrongAmountCount = state.invoices.filter(({ hasWrongAmount }) => hasWrongAmount).length;
  for (const hasWrongAmount of wrongAmountCount < bounds.wrongAmounts ? [false, true] : [false]) {
    const newInvoice = { id: `inv_${requestKey}`, key: requestKey, word: 'PENDING', hasWrongAmount } as const;
    const invoices = isKnownKey ? state.invoices : [...state.invoices, newInvoice];
    const stateWithInvoice = { ...state, invoices };
    yield {
      name: `the backend creates ${newInvoice.id}${hasWrongAmount ? ' with another amount' : ''}`,
      next: withResponse(buildCheckout(stateWithInvoice), invoices),
    };
    yield {
      name: `the backend creates ${newInvoice.id}, and its response is lost`,
      next: withResponse('in doubt', invoices),
    };
  }
}

const nextWords: Readonly<Record<Word, readonly Word[]>> = {
  PENDING: ['PAID', 'FAILED', 'HELD_BY_BANK'],
  HELD_BY_BANK: ['PAID'],
  FAILED: ['PAID'],
  EXPIRED: ['PAID'],
  PAID: [],
};

/** The bank changes the status of an invoice, or time passes. */
function* changeStatusesAndTime(state: WidgetState, apply: ApplyAction): Iterable<Step<WidgetState>> {
  for (const invoice of state.invoices) {
    const timeBasedWords = state.now > lifetimeMs && invoice.word === 'PENDING' ? (['EXPIRED'] as const) : [];
    for (const word of [...nextWords[invoice.word], ...timeBasedWords])
      yield {
        name: `${invoice.id} becomes ${word}`,
        next: {
          ...state,
          invoices: state.invoices.map((other) => (other === invoice ? { ...invoice, word } : other)),
          brokenRule: undefined,
        },
      };
  }
  if (state.now <= lifetimeMs)
    yield { name: 'the deadline passes', next: { ...state, now: lifetimeMs + 1, brokenRule: undefined } };
  if (state.model.lifecycle === 'running' && selectState(state.model).status === 'waiting')
    yield { name: 'the countdown ticks', next: apply(state, { type: 'tick', timeIsUp: state.now > lifetimeMs }) };
}
