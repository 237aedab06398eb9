import type { Checkout } from '../protocol.ts';
import type { CheckoutError } from './error.ts';
import { sameQuery, type Model, type PendingCreate, type Query } from './model.ts';
import { selectQuery, selectState } from './select-state.ts';
import type { Deadline, WaitingState } from './state.ts';

/** A checkout from the backend. */
export interface Response {
  readonly checkout: Checkout;
  /** When it arrived, on the monotonic clock. */
  readonly now: number;
  /** The number of the request, in the order of their starts; that of a create request is taken when it ends. */
  readonly number: number;
  /** What a read requested besides, and the entity tag of its response. */
  readonly query?: Query;
  readonly etag?: string | undefined;
}

/** What can happen to a session: the commands of its owner, and the reports of its ports. */
export type Action =
  | { readonly type: 'start' | 'stop' }
  | { readonly type: 'select'; readonly methodId: string }
  | { readonly type: 'setAmount'; readonly text: string }
  | { readonly type: 'prefer'; readonly method: string }
  | { readonly type: 'dismissInvoice' | 'resumeInvoice' | 'retry' }
  | { readonly type: 'refresh' }
  /** `key` is the idempotency key of a new request, if one is made. */
  | { readonly type: 'createInvoice'; readonly key: string }
  /** A checkout whose age is not known, so that its remaining time is uncertain. */
  | ({ readonly type: 'hydrate' } & Response)
  | ({ readonly type: 'loaded' } & Response)
  | { readonly type: 'unchanged'; readonly number: number }
  | { readonly type: 'loadFailed'; readonly number: number; readonly error: CheckoutError }
  | ({ readonly type: 'created' } & Response)
  /** A create attempt ended without a result; `response` is the checkout that came with it. */
  | { readonly type: 'createInDoubt'; readonly error?: CheckoutError; readonly response?: Response | undefined }
  | { readonly type: 'createRejected'; readonly error: CheckoutError }
  /** The device slept: since the last check, or while a read was under way that has just ended. */
  | { readonly type: 'sleep' | 'sleepDuringLoad' }
  | { readonly type: 'tick'; readonly now: number };

/** An effect that the session executes over its ports. */
export type Command =
  /** Sends the create request until its result is known, in place of the one that is under way. */
  | { readonly type: 'create'; readonly create: PendingCreate }
  | { readonly type: 'cancelCreate' }
  /** Ticks until stopped, and at the deadline. */
  | { readonly type: 'timer'; readonly deadline: Deadline | undefined }
  | { readonly type: 'stopTimer' }
  /** `restart` drops the read that is under way; `replan` only moves the next one. */
  | { readonly type: 'poll'; readonly plan: 'stop' | 'restart' | 'replan' }
  | { readonly type: 'poll'; readonly plan: 'start'; readonly afterMs: number }
  /** Reads now. `join` waits for a read that is under way and will soon be answered. */
  | { readonly type: 'load'; readonly join?: boolean }
  /** Reads after `afterMs`, in place of an earlier `loadLater`. */
  | { readonly type: 'loadLater'; readonly afterMs: number }
  /** Notifies subscribers of the change. */
  | { readonly type: 'notify' };

/** How long a typed amount rests before its options are requested, in ms. */
const typingMs = 350;

function activeCreate({ lifecycle, payment }: Model): PendingCreate | undefined {
  return lifecycle === 'running' ? payment.pendingCreate : undefined;
}

function activeWait(model: Model): WaitingState | undefined {
  const state = selectState(model);
  return model.lifecycle === 'running' && state.status === 'waiting' ? state : undefined;
}

/** The commands that follow from a change of the model, whatever the action was. */
function commandsBetween(before: Model, after: Model): Command[] {
  if (before === after) return [];
  const commands: Command[] = [];
  const create = activeCreate(after);
  if (create?.request.key !== activeCreate(before)?.request.key)
    commands.push(create ? { type: 'create', create } : { type: 'cancelCreate' });

  const waiting = activeWait(after);
  const waited = activeWait(before);
  if (!waiting !== !waited || waiting?.deadline !== waited?.deadline)
    commands.push(waiting ? { type: 'timer', deadline: waiting.deadline } : { type: 'stopTimer' });

  if (after.lifecycle === 'running') {
    const { status } = selectState(after);
    if (status !== selectState(before).status) commands.push({ type: 'poll', plan: 'replan' });
    if (status === 'choosing' && !sameQuery(selectQuery(after), selectQuery(before)))
      commands.push({ type: 'loadLater', afterMs: after.selection.typed === before.selection.typed ? 0 : typingMs });
  }
  commands.push({ type: 'notify' });
  return commands;
}

/** The commands of an action besides those that follow from the change; executed after subscribers are notified. */
function commandsAfter(before: Model, after: Model, action: Action): readonly Command[] {
  switch (action.type) {
    case 'hydrate':
    case 'created':
      return [{ type: 'poll', plan: 'restart' }];
    case 'createInDoubt':
      return action.response ? [{ type: 'poll', plan: 'restart' }] : [];
    case 'createRejected':
    case 'sleep':
      return [{ type: 'load' }];
    case 'refresh':
      return [{ type: 'load', join: true }];
    case 'tick':
      return after.payment.verifyingExpiry && !before.payment.verifyingExpiry ? [{ type: 'load' }] : [];
    default:
      return [];
  }
}

/** The commands with which a start or a stop begins. */
function lifecycleCommands(before: Model, after: Model): readonly Command[] {
  if (after.lifecycle === before.lifecycle) return [];
  if (after.lifecycle !== 'running') return [{ type: 'poll', plan: 'stop' }];
  // The first read waits if the page brought a checkout; after a pause the state is old.
  const afterMs = before.lifecycle === 'new' ? (before.payment.checkout?.poll_after_ms ?? 0) : 0;
  return [{ type: 'poll', plan: 'start', afterMs }];
}

/** The commands of a transition, in the order in which the session executes them. */
export const commandsFor = (before: Model, after: Model, action: Action): readonly Command[] => [
  ...lifecycleCommands(before, after),
  ...commandsBetween(before, after),
  ...commandsAfter(before, after, action),
];
