// The widget's reducer as a model: a payer, a backend, a bank, a connection and a clock do everything in every order.
import { CheckoutError } from '../../src/core/checkout-error.ts';
import { diffEvents } from '../../src/core/event-emitter.ts';
import type { reduce } from '../../src/core/reducer.ts';
import { selectState } from '../../src/core/select-state.ts';
import type { Action } from '../../src/core/session-commands.ts';
import type { Checkout } from '../../src/protocol.ts';
import type { Model, Step } from './explore.ts';
import { brokenByAction, brokenByState } from './widget-rules.ts';
import {
  checkoutOf,
  lifeMs,
  startOfWidget,
  type Read,
  type WidgetBounds,
  type WidgetState,
  type Word,
} from './widget-model-state.ts';

export type Reduce = typeof reduce;

const lost = new CheckoutError('network', 'no answer');
const refused = new CheckoutError('invalid_request', 'refused');

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
  broken,
}: WidgetState): string {
  const { payment, connection, selection, lifecycle } = model;
  const brief = (answer: Checkout | string | undefined): unknown =>
    typeof answer === 'object'
      ? [answer.status, answer.invoice?.id, answer.invoice?.service_status, answer.invoice?.expires_in_ms]
      : answer;
  return JSON.stringify([
    lifecycle, brief(payment.checkout), payment.invoiceId, payment.mismatch?.code, payment.pendingCreate, payment.deadline,
    payment.verifyingExpiry, payment.slow, connection.health.failures > 0, connection.refreshing, connection.lost?.code,
    connection.query, selection.dismissedInvoiceId, selection.refusal?.code, now, requests - connection.applied,
    reads.map(({ number, answer }) => [number - connection.applied, brief(answer)]),
    create && [create.key, brief(create.answer)], invoices, creates, stops, sleeps, paidEvents, broken,
  ]); // prettier-ignore
}

/** The model of a widget for a reducer and bounds. */
export function widgetModel(tested: Reduce, bounds: WidgetBounds): Model<WidgetState> {
  /** The state after an action, with the rule that the action broke, if any. */
  const after = (state: WidgetState, action: Action): WidgetState => {
    const { model, commands } = tested(state.model, action);
    const events = diffEvents(state.model, model).filter(({ type }) => type === 'paid').length;
    const broken = brokenByAction(state.model, action, model, commands);
    return { ...state, model, paidEvents: state.paidEvents + events, broken };
  };
  return {
    initial: bounds.isWaiting ? waiting(after) : startOfWidget,
    *steps(state) {
      yield* lifecycle(state, bounds, after);
      yield* payer(state, bounds, after);
      yield* reads(state, bounds, after);
      yield* creates(state, bounds, after);
      yield* bankAndTime(state, after);
    },
    key,
    violation: brokenByState,
  };
}

type After = (state: WidgetState, action: Action) => WidgetState;

/** A state with a waiting invoice on the screen. */
function waiting(after: After): WidgetState {
  const invoices = [{ id: 'inv_0', key: 'key_0', word: 'PENDING', hasWrongAmount: false }] as const;
  const started = after({ ...startOfWidget, invoices, requests: 1 }, { type: 'start' });
  return after(started, { type: 'loaded', checkout: checkoutOf(started), number: 1, now: 0 });
}

function* lifecycle(state: WidgetState, bounds: WidgetBounds, after: After): Iterable<Step<WidgetState>> {
  if (state.model.lifecycle !== 'running') yield { name: 'start', next: after(state, { type: 'start' }) };
  else if (state.stops < bounds.stops)
    yield {
      name: 'stop',
      next: { ...after(state, { type: 'stop' }), stops: state.stops + 1, reads: [], create: undefined },
    };
  if (state.sleeps < bounds.sleeps)
    yield { name: 'the device sleeps', next: { ...after(state, { type: 'sleep' }), sleeps: state.sleeps + 1 } };
}

function* payer(state: WidgetState, bounds: WidgetBounds, after: After): Iterable<Step<WidgetState>> {
  for (const type of ['dismissInvoice', 'resumeInvoice', 'retry', 'refresh'] as const)
    yield { name: type, next: after(state, { type }) };
  if (state.creates >= bounds.creates) return;
  const next = after(state, { type: 'createInvoice', key: `key_${state.creates + 1}` });
  const isNew = next.model.payment.pendingCreate !== state.model.payment.pendingCreate;
  yield { name: 'createInvoice', next: { ...next, creates: state.creates + (isNew ? 1 : 0) } };
}

function* reads(state: WidgetState, bounds: WidgetBounds, after: After): Iterable<Step<WidgetState>> {
  const number = state.requests + 1;
  if (state.model.lifecycle === 'running' && state.reads.length < bounds.reads)
    yield {
      name: `read ${number} begins`,
      next: { ...state, requests: number, reads: [...state.reads, { number, answer: undefined }], broken: undefined },
    };
  for (const read of state.reads) {
    const others = state.reads.filter((other) => other !== read);
    const withAnswer = (answer: Read['answer']): WidgetState => ({
      ...state,
      reads: state.reads.map((other) => (other === read ? { ...read, answer } : other)),
      broken: undefined,
    });
    if (read.answer === undefined) {
      yield { name: `the backend handles read ${read.number}`, next: withAnswer(checkoutOf(state)) };
      yield { name: `read ${read.number} fails`, next: withAnswer('error') };
      continue;
    }
    const rest = { ...state, reads: others };
    const { number: sent, answer } = read;
    const action: Action =
      answer === 'error'
        ? { type: 'loadFailed', number: sent, error: lost }
        : { type: 'loaded', checkout: answer, number: sent, now: state.now };
    yield {
      name: `the answer to read ${sent} arrives (${answer === 'error' ? 'error' : answer.status})`,
      next: after(rest, action),
    };
  }
}

function* creates(state: WidgetState, bounds: WidgetBounds, after: After): Iterable<Step<WidgetState>> {
  const pending = state.model.lifecycle === 'running' ? state.model.payment.pendingCreate : undefined;
  const { create } = state;
  if (pending === undefined) return;
  if (create?.key !== pending.request.key) {
    yield {
      name: 'the create request is sent',
      next: { ...state, create: { key: pending.request.key, answer: undefined }, broken: undefined },
    };
    return;
  }
  if (create.answer === undefined) {
    yield* handledCreates(state, create.key, pending.request.replace === true, bounds);
    return;
  }
  const rest = { ...state, create: undefined };
  const number = state.requests + 1;
  if (create.answer === 'rejected')
    yield { name: 'the rejection arrives', next: after(rest, { type: 'createRejected', error: refused }) };
  else if (create.answer === 'in doubt') {
    yield {
      name: 'the create request ends without an answer',
      next: after(rest, { type: 'createInDoubt', error: lost }),
    };
    const response = { checkout: checkoutOf(state), number, now: state.now };
    yield { name: 'a 202 arrives', next: after({ ...rest, requests: number }, { type: 'createInDoubt', response }) };
  } else
    yield {
      name: 'the created invoice arrives',
      next: after({ ...rest, requests: number }, { type: 'created', checkout: create.answer, number, now: state.now }),
    };
}

/** The backend handles a create request: the same key has the same invoice. */
function* handledCreates(
  state: WidgetState,
  sent: string,
  isReplace: boolean,
  bounds: WidgetBounds,
): Iterable<Step<WidgetState>> {
  const answered = (answer: NonNullable<WidgetState['create']>['answer'], invoices = state.invoices): WidgetState => ({
    ...state,
    invoices,
    create: { key: sent, answer },
    broken: undefined,
  });
  const known = state.invoices.some((invoice) => invoice.key === sent);
  const { status } = checkoutOf(state);
  if (!known && (status === 'paid' || (status === 'pending' && !isReplace))) {
    yield { name: 'the backend rejects the create', next: answered('rejected') };
    return;
  }
  yield { name: 'the create request is lost', next: answered('in doubt') };
  if (!known) yield { name: 'the service refuses the create', next: answered('rejected') };
  const wrong = state.invoices.filter(({ hasWrongAmount }) => hasWrongAmount).length;
  for (const hasWrongAmount of wrong < bounds.wrongAmounts ? [false, true] : [false]) {
    const fresh = { id: `inv_${sent}`, key: sent, word: 'PENDING', hasWrongAmount } as const;
    const invoices = known ? state.invoices : [...state.invoices, fresh];
    const made = { ...state, invoices };
    yield {
      name: `the backend creates ${fresh.id}${hasWrongAmount ? ' over another amount' : ''}`,
      next: answered(checkoutOf(made), invoices),
    };
    yield { name: `the backend creates ${fresh.id}, and its answer is lost`, next: answered('in doubt', invoices) };
  }
}

const moves: Readonly<Record<Word, readonly Word[]>> = {
  PENDING: ['PAID', 'FAILED', 'HELD_BY_BANK'],
  HELD_BY_BANK: ['PAID'],
  FAILED: ['PAID'],
  EXPIRED: ['PAID'],
  PAID: [],
};

/** The bank and the backend move invoices on, and time passes. */
function* bankAndTime(state: WidgetState, after: After): Iterable<Step<WidgetState>> {
  for (const invoice of state.invoices) {
    const late = state.now > lifeMs && invoice.word === 'PENDING' ? (['EXPIRED'] as const) : [];
    for (const word of [...moves[invoice.word], ...late])
      yield {
        name: `${invoice.id} becomes ${word}`,
        next: {
          ...state,
          invoices: state.invoices.map((other) => (other === invoice ? { ...invoice, word } : other)),
          broken: undefined,
        },
      };
  }
  if (state.now <= lifeMs)
    yield { name: 'the deadline passes', next: { ...state, now: lifeMs + 1, broken: undefined } };
  if (state.model.lifecycle === 'running' && selectState(state.model).status === 'waiting')
    yield { name: 'the countdown ticks', next: after(state, { type: 'tick', now: state.now }) };
}
