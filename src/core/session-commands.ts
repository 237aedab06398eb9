import type { CheckoutError } from './checkout-error.ts';
import type { Model, PendingCreate, Query } from './session-model.ts';
import { haveSameQuery, selectQuery, selectState } from './select-public-state.ts';
import type { DecodedCheckout } from './session-ports.ts';
import type { CheckoutEvent, CheckoutState, LostState, WaitingState } from './public-state.ts';

// What follows from a change of the model: commands, events, and when to read next.

/** A wait that may have a deadline. */
type Wait = Pick<WaitingState, 'deadline'>;

/** Facts about a request that has ended. */
export interface RequestFacts {
  /** When it ended, on the monotonic clock. */
  readonly now: number;
  /** Requests are numbered in the order of their starts; a create request gets its number when it ends. */
  readonly number: number;
  /** How long it took, if it was a long poll; else 0 or undefined. */
  readonly heldMs?: number | undefined;
}

/** A checkout from the backend. */
export interface CheckoutResponse extends DecodedCheckout, RequestFacts {
  /** The query of a read; absent for a create request. */
  readonly query?: Query;
  /** The entity tag of a read's response. */
  readonly etag?: string | undefined;
}

/** An input of the reducer: a call of a session's method, or a result from one of the session's ports. */
export type Action =
  | { readonly type: 'start' | 'stop' }
  | { readonly type: 'select'; readonly methodId: string }
  | { readonly type: 'setAmount'; readonly text: string; readonly sample?: string | undefined }
  | { readonly type: 'prefer'; readonly method: string }
  | { readonly type: 'dismissInvoice' | 'resumeInvoice' | 'retry' }
  /** `check`: the payer says that he has paid, so the backend is to ask the service. */
  | { readonly type: 'refresh'; readonly check?: boolean }
  /** `key` is the idempotency key of the request, if a request is sent. */
  | { readonly type: 'createInvoice'; readonly key: string; readonly now: number }
  /** A checkout whose age is not known, so that its remaining time is uncertain. */
  | ({ readonly type: 'hydrate' } & CheckoutResponse)
  | ({ readonly type: 'loaded' } & CheckoutResponse)
  | ({ readonly type: 'unchanged' } & RequestFacts)
  | ({ readonly type: 'loadFailed'; readonly error: CheckoutError } & RequestFacts)
  | ({ readonly type: 'created' } & CheckoutResponse)
  /** A create attempt ended without a result; `response` is the checkout that came with it. */
  | {
      readonly type: 'createInDoubt';
      readonly error?: CheckoutError | undefined;
      readonly response?: CheckoutResponse | undefined;
    }
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
  /** Stops polling, and leaves no timer, listener or read behind. */
  readonly stop: undefined;
  /** Aborts the read under way. The interval to the next read starts now. */
  readonly restart: undefined;
  /** Plans the next read again. */
  readonly replan: undefined;
  /**
   * Reads now. With `join`, a plain read that is under way, or a long poll that began less than a second ago, takes the place of
   * the new read. With `check`, the backend asks the service.
   */
  readonly load: 'join' | 'check' | undefined;
  /** Reads after this many ms. Replaces an earlier `loadLater`. */
  readonly loadLater: number;
}

/** The functions that execute the effects. */
export type EffectFunctions = { readonly [T in keyof Effects]: (value?: Effects[T]) => void };

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
  if (isRunning && status !== selectState(before).status)
    // The response to a create request brings the checkout: a read beside it would be of no use.
    commands.push({ type: status === 'creating' ? 'restart' : 'replan' });
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
    commands.push({ type: 'load', value: type === 'refresh' ? (action.check ? 'check' : 'join') : undefined });
  return commands;
}

/** Events of a new status. `failed` and `expired` are emitted for every invoice, `paid` once. */
function statusEvents(before: Model, after: Model): CheckoutEvent[] {
  const { checkout, invoiceId } = after.payment;
  const previousStatus = before.payment.checkout?.status;
  if (!checkout) return [];
  const events: CheckoutEvent[] = [];
  const { status } = checkout;
  const serviceStatus = checkout.invoice?.service_status;
  if (status !== previousStatus) events.push({ type: 'status', status, previous: previousStatus, serviceStatus });
  const isNewOutcome = status !== previousStatus || (status !== 'paid' && invoiceId !== before.payment.invoiceId);
  if (isNewOutcome && (status === 'paid' || status === 'failed' || status === 'expired'))
    events.push({ type: status, checkout });
  return events;
}

/** The errors of `after` that are not in `before`. An error with the same code in the same field of the model is not new. */
function newErrors(before: Model, after: Model): CheckoutError[] {
  const errors = after.emitted.issues.slice(before.emitted.issues.length).map(({ error }) => error);
  const errorsOf = ({ connection, selection, payment }: Model): (CheckoutError | undefined)[] => [
    connection.lost ?? connection.health.error,
    selection.refusal,
    payment.pendingCreate?.error,
  ];
  const errorsBefore = errorsOf(before);
  errorsOf(after).forEach((error, index) => {
    if (error && error.code !== errorsBefore[index]?.code) errors.push(error);
  });
  return errors;
}

/** The events that the change from one model to the next causes. */
export function diffEvents(before: Model, after: Model): CheckoutEvent[] {
  const { checkout } = after.payment;
  const events: CheckoutEvent[] = [];
  if (checkout && after.emitted.ready && !before.emitted.ready) events.push({ type: 'ready', checkout });
  const hasNewInvoice = before.payment.checkout && after.emitted.invoiceIds.length > before.emitted.invoiceIds.length;
  if (hasNewInvoice && checkout?.invoice) events.push({ type: 'created', invoice: checkout.invoice });
  events.push(...statusEvents(before, after));
  events.push(...newErrors(before, after).map((error): CheckoutEvent => ({ type: 'error', error })));
  return events;
}

// Intervals from the start of one read to the next, in ms. The backend's `poll_after_ms` is limited to the range from
// `shortestIntervalMs` to `longestIntervalMs`.
const shortestIntervalMs = 1000;
/** The shortest interval while no invoice waits for payment. While one waits, the interval grows slowly up to this. */
const slowIntervalMs = 15_000;
/** The shortest interval while the page is hidden. */
const hiddenIntervalMs = 20_000;
export const longestIntervalMs = 60_000;
/** How long the backend may hold back the response to a long poll, in seconds. */
export const longPollSeconds = 25;
/** How long after the deadline the backend is polled quickly, in ms. */
const expiryCheckMs = 5000;

/** What the time of the next read depends on besides the model. Times are in ms of the monotonic clock. */
export interface PollContext {
  readonly now: number;
  /** The time since the last read began. */
  readonly elapsed: number;
  readonly visible: boolean;
  /** A number from 0 up to 1, for jitter. */
  readonly random: number;
}

/** When to read next, in ms from now, and whether the backend may hold the response back (a long poll). */
export interface PollPlan {
  readonly after: number;
  readonly longPoll: boolean;
}

const clamp = (min: number, value: number, max: number): number => Math.max(min, Math.min(value, max));

/** The interval while reads succeed, and whether the next read is a long poll. */
function pollInterval(
  { since, deadline }: Model['payment'],
  state: Exclude<CheckoutState, LostState>,
  { now, visible }: PollContext,
): readonly [interval: number, longPoll: boolean] {
  if (state.status === 'loading') return [shortestIntervalMs, false];
  const { status, poll_after_ms } = state.checkout;
  const advisedMs = clamp(shortestIntervalMs, poll_after_ms, longestIntervalMs);
  const waitedMs = now - since;
  if (status !== 'pending' && state.status !== 'creating') {
    // Polling continues: another tab may create an invoice, and a payment may come late.
    const slowMs = status === 'open' ? slowIntervalMs : clamp(slowIntervalMs, waitedMs / 20, longestIntervalMs);
    return [Math.max(advisedMs, slowMs, visible ? 0 : hiddenIntervalMs), false];
  }
  // A browser may freeze a hidden page, and a poll that is held for it helps nobody.
  if (!visible) return [Math.max(advisedMs, hiddenIntervalMs), false];
  if (deadline?.certain === false) return [shortestIntervalMs, false];
  const overdueMs = deadline && state.status === 'waiting' ? now - deadline.at : -1;
  if (overdueMs >= 0 && overdueMs < expiryCheckMs) return [clamp(shortestIntervalMs, overdueMs, advisedMs), false];
  // After a long wait, a backend without long polls is polled less often.
  return [Math.max(advisedMs, clamp(0, waitedMs / 120, slowIntervalMs)), true];
}

const shortestBackoffMs = 500;
const firstBackoffMs = 1000;
const longestBackoffMs = 30_000;
const longestRetryAfterMs = 300_000;

/**
 * The delay before the next request after `failures` in a row, in milliseconds: exponential up to 30 s with full jitter
 * (`random` from 0 up to 1), and at least 0.5 s. The server's `Retry-After`, up to five minutes, is the minimum; those who were
 * refused together come back spread over a half of it.
 */
export function backoff(failures: number, random: number, retryAfterMs = 0): number {
  const ceilingMs = Math.min(longestBackoffMs, firstBackoffMs * 2 ** failures);
  const floorMs = Math.min(retryAfterMs, longestRetryAfterMs) * (1 + random / 2);
  return Math.max(shortestBackoffMs, floorMs, random * ceilingMs);
}

/** Whether the backend itself refused a request because of its load. */
export const isRefusal = (error: CheckoutError | undefined): boolean =>
  error?.code === 'try_again' || error?.code === 'rate_limited';

/** When and how to read next; `undefined` for a checkout that is paid or lost, because it cannot change any more. */
export function planPoll(model: Model, context: PollContext): PollPlan | undefined {
  const state = selectState(model);
  if (state.status === 'lost' || state.status === 'paid') return undefined;
  const { failures, error } = state.connection;
  const [intervalMs, mayWait] = pollInterval(model.payment, state, context);
  const longPoll = mayWait && context.now >= model.connection.plainPollsUntil;
  if (!failures) return { after: Math.max(0, intervalMs - context.elapsed), longPoll };
  const delayMs = backoff(failures, context.random, error?.retryAfterMs);
  return {
    after: context.visible ? delayMs : Math.max(delayMs, hiddenIntervalMs),
    // A backend under load can hold the repeated read. Without an answer, a plain read shows soonest that the backend is back.
    longPoll: longPoll && isRefusal(error),
  };
}
