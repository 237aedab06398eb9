import { applyResponse, reached, type Answer } from './apply-response.ts';
import { isOver } from './deadline.ts';
import type { CheckoutError } from './error.ts';
import { isUsable } from './method.ts';
import type { Model } from './model.ts';
import type { CreateRequest } from './ports.ts';
import { selectState } from './select-state.ts';

/** After this long on the requisites the bank may be checking the transfer. */
const longMs = 120_000;

/** What the payer can do. */
type PayerAction =
  | { readonly type: 'select'; readonly methodId: string }
  | { readonly type: 'type'; readonly text: string }
  | { readonly type: 'leave' | 'resume' | 'retry' };

/** The answer to an ask; its `number` is taken when it comes, so that reads that are under way change nothing. */
type Came = Pick<Answer, 'checkout' | 'now' | 'number'>;

/** What can happen to a model. Moments (`now`) are of the monotonic clock; `number` counts requests in their order. */
export type Action =
  | ({ readonly type: 'answer' } & Answer)
  | { readonly type: 'unchanged'; readonly number: number }
  | { readonly type: 'unanswered'; readonly number: number; readonly error: CheckoutError }
  | { readonly type: 'asked'; readonly request: CreateRequest }
  | { readonly type: 'created'; readonly came: Came }
  /** An attempt ended and nobody knows whether an invoice was made; `came` is what was said besides. */
  | { readonly type: 'unknown'; readonly error?: CheckoutError; readonly came?: Came }
  | { readonly type: 'refused'; readonly error: CheckoutError }
  | PayerAction
  | { readonly type: 'prefer'; readonly preferred: string }
  | { readonly type: 'refresh' | 'sleep' | 'stop' }
  | { readonly type: 'tick'; readonly now: number };

function unanswered(model: Model, error: CheckoutError): Model {
  if (error.code === 'not_found' && !model.checkout) return { ...model, lost: error };
  return { ...model, asking: false, connection: { failures: model.connection.failures + 1, error } };
}

function created(model: Model, came: Came): Model {
  const id = came.checkout.invoice?.id;
  const amount = model.ask?.request.amount;
  const pledged = id && amount ? { id, amount } : model.pledged;
  return applyResponse({ ...model, pledged, ask: undefined, left: undefined, refusal: undefined }, came);
}

function unknown(model: Model, { error, came }: Action & { type: 'unknown' }): Model {
  if (!model.ask) return model;
  const waiting = { ...model, ask: { ...model.ask, unknown: true, error } };
  return came ? applyResponse(waiting, came) : waiting;
}

function asked(model: Model, request: CreateRequest): Model {
  return { ...model, ask: { request, before: model.invoiceId, unknown: false }, refusal: undefined };
}

/** What the payer does; what does not fit the screen changes nothing. */
function act(model: Model, action: PayerAction): Model {
  const state = selectState(model);
  switch (action.type) {
    case 'select': {
      if (state.status !== 'choosing') return model;
      const option = state.checkout.options.find(({ id }) => id === action.methodId);
      if (!option || !isUsable(option, state.amount)) return model;
      return { ...model, selected: option.id, refusal: undefined };
    }
    case 'type':
      if (state.status !== 'choosing' || state.checkout.amount !== null) return model;
      return { ...model, typed: action.text, refusal: undefined };
    case 'leave':
      return state.status === 'waiting' ? { ...model, left: model.invoiceId } : model;
    case 'retry':
      return state.status === 'failed' || state.status === 'expired'
        ? { ...model, left: model.invoiceId, refusal: undefined }
        : model;
    case 'resume':
      return state.status === 'choosing' && state.activeInvoice
        ? { ...model, left: undefined, refusal: undefined }
        : model;
  }
}

function ticked(model: Model, now: number): Model {
  const state = selectState(model);
  if (state.status !== 'waiting') return model;
  const checking = isOver(model.deadline, now);
  const long = now - model.since >= longMs;
  return checking === model.checking && long === model.long ? model : { ...model, checking, long };
}

/** After a stop nobody knows whether a create that was under way made an invoice. */
function stopped(model: Model): Model {
  const ask = model.ask && { ...model.ask, unknown: true };
  return model.asking || ask ? { ...model, asking: false, ask } : model;
}

/** The next model; the same one when nothing changed. */
export function reduce(model: Model, action: Action): Model {
  switch (action.type) {
    case 'answer':
      return applyResponse(model, action);
    case 'unchanged':
      return action.number < model.applied ? model : reached(model, action.number);
    case 'unanswered':
      return action.number < model.applied ? model : unanswered(model, action.error);
    case 'asked':
      return asked(model, action.request);
    case 'created':
      return created(model, action.came);
    case 'unknown':
      return unknown(model, action);
    case 'refused':
      return { ...model, ask: undefined, refusal: action.error };
    case 'select':
    case 'type':
    case 'leave':
    case 'resume':
    case 'retry':
      return act(model, action);
    case 'prefer':
      return { ...model, preferred: action.preferred };
    case 'refresh':
      return { ...model, asking: true };
    case 'sleep':
      return model.deadline ? { ...model, deadline: { ...model.deadline, certain: false } } : model;
    case 'stop':
      return stopped(model);
    case 'tick':
      return ticked(model, action.now);
  }
}
