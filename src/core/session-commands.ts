import type { Checkout } from '../protocol.ts';
import type { CheckoutError } from './checkout-error.ts';
import { sameQuery, type Model, type PendingCreate, type Query } from './session-model.ts';
import { selectQuery, selectState } from './state-of-model.ts';
import type { WaitingState } from './checkout-state.ts';

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
  | { readonly type: 'sleep'; readonly duringLoad?: boolean }
  | { readonly type: 'tick'; readonly now: number };

/** The effects that the session executes, and what each receives. */
export interface Effects {
  /** Sends a create request until its result is known, in place of the one that is under way. Without a value, cancels it. */
  readonly create: PendingCreate;
  /** Starts the ticks for a waiting payer, with one at the deadline. Without a value, stops them. */
  readonly timer: WaitingState;
  /** Begins to poll, with the first read at once or after this many ms. */
  readonly start: number;
  /** Ends the polling. */
  readonly stop: undefined;
  /** Drops the read that is under way and counts the time to the next one from now. */
  readonly restart: undefined;
  /** Schedules the next read anew. */
  readonly replan: undefined;
  /** Reads now; true: or waits for a read that is under way and will soon be answered. */
  readonly load: boolean;
  /** Reads after this many ms, in place of an earlier `loadLater`. */
  readonly loadLater: number;
  /** Notifies subscribers of the change. */
  readonly notify: undefined;
}

/** One effect to execute. */
export type Command<T extends keyof Effects = keyof Effects> = {
  readonly [K in T]: { readonly type: K; readonly value?: Effects[K] | undefined };
}[T];

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
  const commands: Command[] = [];
  const running = after.lifecycle === 'running';
  if (after.lifecycle !== before.lifecycle)
    commands.push(
      running
        ? // The first read waits if the page brought a checkout; after a pause the state is old.
          { type: 'start', value: before.lifecycle === 'new' ? before.payment.checkout?.poll_after_ms : 0 }
        : { type: 'stop' },
    );
  const create = activeCreate(after);
  if (create?.request.key !== activeCreate(before)?.request.key) commands.push({ type: 'create', value: create });

  const waiting = activeWait(after);
  const waited = activeWait(before);
  if (!waiting !== !waited || waiting?.deadline !== waited?.deadline) commands.push({ type: 'timer', value: waiting });

  const { status } = selectState(after);
  if (running && status !== selectState(before).status) commands.push({ type: 'replan' });
  if (running && status === 'choosing' && !sameQuery(selectQuery(after), selectQuery(before)))
    commands.push({ type: 'loadLater', value: after.selection.typed === before.selection.typed ? 0 : typingMs });
  if (after !== before) commands.push({ type: 'notify' });
  return commands;
}

/** The commands of a transition, in the order in which the session executes them. */
export function commandsFor(before: Model, after: Model, action: Action): readonly Command[] {
  const commands = commandsBetween(before, after);
  const { type } = action;
  if (type === 'hydrate' || type === 'created' || (type === 'createInDoubt' && action.response))
    commands.push({ type: 'restart' });
  const timeIsUp = type === 'tick' && after.payment.verifyingExpiry && !before.payment.verifyingExpiry;
  const slept = type === 'sleep' && !action.duringLoad;
  if (timeIsUp || slept || type === 'createRejected' || type === 'refresh')
    commands.push({ type: 'load', value: type === 'refresh' });
  return commands;
}
