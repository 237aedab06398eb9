import type { CheckoutError } from './checkout-error.ts';
import type { Model, PendingCreate, Query } from './session-model.ts';
import { haveSameQuery, selectQuery, selectState } from './select-public-state.ts';
import type { DecodedCheckout } from './session-ports.ts';
import type { WaitingState } from './public-state.ts';

/** A wait that may have a deadline. */
type Wait = Pick<WaitingState, 'deadline'>;

/** A checkout from the backend. */
export interface CheckoutResponse extends DecodedCheckout {
  /** When it arrived, on the monotonic clock. */
  readonly now: number;
  /** Requests are numbered in the order of their starts; a create request gets its number when it ends. */
  readonly number: number;
  /** The query of a read; absent for a create request. */
  readonly query?: Query;
  /** The entity tag of a read's response. */
  readonly etag?: string | undefined;
}

/** An input of the reducer: a call of a session's method, or a result from one of the session's ports. */
export type Action =
  | { readonly type: 'start' | 'stop' }
  | { readonly type: 'select'; readonly methodId: string }
  | { readonly type: 'setAmount'; readonly text: string }
  | { readonly type: 'prefer'; readonly method: string }
  | { readonly type: 'dismissInvoice' | 'resumeInvoice' | 'retry' }
  /** `check`: the payer says that he has paid, so the backend is to ask the service. */
  | { readonly type: 'refresh'; readonly check?: boolean }
  /** `key` is the idempotency key of the request, if a request is sent. */
  | { readonly type: 'createInvoice'; readonly key: string; readonly now: number }
  /** A checkout whose age is not known, so that its remaining time is uncertain. */
  | ({ readonly type: 'hydrate' } & CheckoutResponse)
  | ({ readonly type: 'loaded' } & CheckoutResponse)
  | { readonly type: 'unchanged'; readonly number: number }
  /** `longPollAt`: when the failed read ended, if it was a long poll. */
  | {
      readonly type: 'loadFailed';
      readonly number: number;
      readonly error: CheckoutError;
      readonly longPollAt?: number | undefined;
    }
  | ({ readonly type: 'created' } & CheckoutResponse)
  /** A create attempt ended without a result; `response` is the checkout that came with it. */
  | { readonly type: 'createInDoubt'; readonly error?: CheckoutError; readonly response?: CheckoutResponse | undefined }
  | { readonly type: 'createRejected'; readonly error: CheckoutError }
  /** The device slept since the last check. `duringLoad` is true when it slept during a read, which has just ended. */
  | { readonly type: 'sleep'; readonly duringLoad?: boolean }
  /** Time has passed while the payer waits. `timeIsUp`: the deadline has passed since the last tick. */
  | { readonly type: 'tick'; readonly timeIsUp: boolean };

/** The effects that the session executes, and what each receives. */
export interface Effects {
  /** Cancels the previous create request. Sends the value, if there is one, until its result is known. */
  readonly create: PendingCreate;
  /** Starts ticks for a waiting payer, including a tick at the deadline. Without a value, stops the ticks. */
  readonly timer: Wait;
  /** Starts polling. The value is the delay of the first read, in ms. */
  readonly start: number;
  /** Stops polling. */
  readonly stop: undefined;
  /** Aborts the read under way. The interval to the next read starts now. */
  readonly restart: undefined;
  /** Plans the next read again. */
  readonly replan: undefined;
  /** Reads now. With true, a read that is under way and will soon have a response takes the place of the new read. */
  readonly load: boolean;
  /** Reads after this many ms. Replaces an earlier `loadLater`. */
  readonly loadLater: number;
}

/** One effect to execute. */
export type Command<T extends keyof Effects = keyof Effects> = {
  readonly [K in T]: { readonly type: K; readonly value?: Effects[K] | undefined };
}[T];

/** The delay between the last change of a typed amount and the request for its options, in ms. */
const typingMs = 350;

/** The create request that is sent or repeated while the session runs. */
function activeCreate({ lifecycle, payment }: Model): PendingCreate | undefined {
  return lifecycle === 'running' ? payment.pendingCreate : undefined;
}

/** What the payer waits for while the session runs: a payment, or the result of a create request in doubt. */
function activeWait(model: Model): Wait | undefined {
  const state = selectState(model);
  if (model.lifecycle !== 'running') return undefined;
  return state.status === 'waiting' || (state.status === 'creating' && state.inDoubt)
    ? { deadline: state.status === 'waiting' ? state.deadline : undefined }
    : undefined;
}

/** The commands that follow from a change of the model, whatever the action was. */
function commandsBetween(before: Model, after: Model): Command[] {
  const commands: Command[] = [];
  const isRunning = after.lifecycle === 'running';
  if (after.lifecycle !== before.lifecycle)
    commands.push(
      isRunning
        ? // After a pause the checkout is read at once. A checkout that came with the page is read after `poll_after_ms`.
          { type: 'start', value: before.lifecycle === 'new' ? before.payment.checkout?.poll_after_ms : 0 }
        : { type: 'stop' },
    );
  const createAfter = activeCreate(after);
  if (createAfter?.request.key !== activeCreate(before)?.request.key)
    commands.push({ type: 'create', value: createAfter });

  const waitingAfter = activeWait(after);
  const waitingBefore = activeWait(before);
  if (!waitingAfter !== !waitingBefore || waitingAfter?.deadline !== waitingBefore?.deadline)
    commands.push({ type: 'timer', value: waitingAfter });

  const { status } = selectState(after);
  if (isRunning && status !== selectState(before).status) commands.push({ type: 'replan' });
  if (isRunning && status === 'choosing' && !haveSameQuery(selectQuery(after), selectQuery(before)))
    commands.push({ type: 'loadLater', value: after.selection.typed === before.selection.typed ? 0 : typingMs });
  return commands;
}

/** The commands of a transition, in the order in which the session executes them. */
export function commandsFor(before: Model, after: Model, action: Action): readonly Command[] {
  const commands = commandsBetween(before, after);
  const { type } = action;
  if (type === 'hydrate' || type === 'created' || (type === 'createInDoubt' && action.response))
    commands.push({ type: 'restart' });
  const mayHaveSlept = type === 'sleep' && !action.duringLoad;
  if ((type === 'tick' && action.timeIsUp) || mayHaveSlept || type === 'createRejected' || type === 'refresh')
    commands.push({ type: 'load', value: type === 'refresh' && !action.check });
  return commands;
}
