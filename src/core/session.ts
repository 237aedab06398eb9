import type { Checkout } from '../checkout-api.ts';
import {
  diffEvents,
  longPollSeconds,
  planPoll,
  type Action,
  type Command,
  type EffectFunctions,
  type Effects,
  type PollPlan,
  type RequestFacts,
} from './session-commands.ts';
import {
  createDeadlineTimer,
  createInvoiceCreator,
  createPoller,
  createSleepDetector,
  type WholeRead,
} from './session-effects.ts';
import { CheckoutError } from './checkout-error.ts';
import { createModel, type Model } from './session-model.ts';
import type { SessionPorts } from './session-ports.ts';
import { reduce } from './reducer.ts';
import { haveSameQuery, selectQuery, selectState } from './select-public-state.ts';
import type { CheckoutEvent, CheckoutSession, CheckoutState } from './public-state.ts';

export interface SessionOptions {
  /** A checkout that came with the page, so that the first state needs no request. Its age is not known. */
  readonly initial?: Checkout | undefined;
  /** The paths of members of `initial` that were dropped because they were not valid. */
  readonly dropped?: readonly string[] | undefined;
  /** The id or the type of the method that is selected until the payer chooses a method. */
  readonly preferred?: string | undefined;
  /** Whether `initial` may be old, so that the checkout is read at once. */
  readonly mayBeOld?: boolean | undefined;
}

/** Notifies subscribers in order, once per change; safe against re-entrancy. */
interface Emitter extends Pick<CheckoutSession, 'getState' | 'subscribe' | 'onEvent'> {
  readonly notify: (model: Model) => void;
}

/** Whether two states have the same members. */
function haveSameMembers(one: CheckoutState, other: CheckoutState): boolean {
  const entries = Object.entries(one);
  const otherEntries = new Map<string, unknown>(Object.entries(other));
  return entries.length === otherEntries.size && entries.every(([key, value]) => otherEntries.get(key) === value);
}

/** Calls a subscriber. Its exception becomes an unhandled rejection, and does not prevent the calls of other subscribers. */
function callIsolated(callback: () => void): void {
  void new Promise<void>((resolve) => {
    callback();
    resolve();
  });
}

/**
 * `getState` returns the state of `model` until the first `notify`, which emits the events since `lastNotified`. What follows
 * from the time is that of `now`, also between two notifications.
 */
function createEmitter(lastNotified: Model, model: Model, now: () => number): Emitter {
  const listeners = new Set<(state: CheckoutState, previousState: CheckoutState) => void>();
  const eventListeners = new Set<(event: CheckoutEvent) => void>();
  const queue: (() => void)[] = [];
  let current = model;
  let state = selectState(model, now());
  let notifiedState = state;
  let isFlushing = false;

  const getState = (): CheckoutState => {
    const nextState = selectState(current, now());
    if (!haveSameMembers(nextState, state)) state = nextState;
    return state;
  };

  const flushQueue = (): void => {
    if (isFlushing) return;
    isFlushing = true;
    for (let notifyNext = queue.shift(); notifyNext !== undefined; notifyNext = queue.shift()) notifyNext();
    isFlushing = false;
  };

  const addListener = <T>(set: Set<T>, listener: T): (() => void) => {
    set.add(listener);
    return () => set.delete(listener);
  };

  return {
    getState,
    // The wrapper keeps subscriptions separate when the same function subscribes twice.
    subscribe: (listener) => addListener(listeners, (next, previousState) => listener(next, previousState)),
    onEvent: (listener) => addListener(eventListeners, (event) => listener(event)),
    notify(next) {
      current = next;
      const previousState = notifiedState;
      const nextState = getState();
      if (nextState !== previousState) {
        notifiedState = nextState;
        queue.push(() => listeners.forEach((listener) => callIsolated(() => listener(nextState, previousState))));
      }
      for (const event of diffEvents(lastNotified, next))
        queue.push(() => eventListeners.forEach((listener) => callIsolated(() => listener(event))));
      lastNotified = next;
      flushQueue();
    },
  };
}

/** Creates the session of a checkout. The reducer decides; the session executes its commands and dispatches their results. */
export function createSession(ports: SessionPorts, options: SessionOptions = {}): CheckoutSession {
  const { transport, clock, pageLifecycle, random } = ports;
  const hasSlept = createSleepDetector(clock);
  let model = createModel(options.preferred, ports.page);
  const emptyModel = model;
  if (options.initial)
    model = reduce(model, {
      type: 'hydrate',
      checkout: options.initial,
      dropped: options.dropped,
      number: 0,
      now: clock.now(),
    }).model;
  const { notify, ...observable } = createEmitter(emptyModel, model, () => clock.now());
  let requestCount = 0;
  let lastLoad = Promise.resolve();

  const execute = <T extends keyof Effects>({ type, value }: Command<T>): void => effects[type](value);

  const dispatch = (action: Action): void => {
    const transition = reduce(model, action);
    const isChanged = model !== transition.model;
    model = transition.model;
    for (const command of transition.commands) execute(command);
    // A tick changes what follows from the time.
    if (isChanged || action.type === 'tick') notify(model);
  };

  const checkSleep = (isLate?: boolean): void => {
    if (hasSlept() || isLate) dispatch({ type: 'sleep' });
  };

  /** The arrival time and the number of a response. */
  const stampResponse = (): { now: number; number: number } => ({ now: clock.now(), number: ++requestCount });

  const read = async (longPoll: boolean, signal: AbortSignal, whole?: WholeRead): Promise<boolean> => {
    const query = selectQuery(model);
    const { connection, payment } = model;
    const isTagCurrent = payment.deadline?.certain !== false && haveSameQuery(query, connection.query);
    const check = whole === 'check';
    const etag = isTagCurrent && !whole ? connection.etag : undefined;
    const number = ++requestCount;
    const isAborted = (): boolean => signal.aborted;
    const beganAt = clock.now();
    const facts = (): RequestFacts => {
      const now = clock.now();
      return { number, now, heldMs: longPoll ? now - beganAt : 0 };
    };
    try {
      const result = await transport.read(
        { ...query, etag, ...(check && { check }), ...(longPoll && etag && { waitSeconds: longPollSeconds }) },
        signal,
      );
      if (isAborted()) return false;
      const hasSleptDuringRead = hasSlept();
      if (result.kind === 'checkout') dispatch({ ...result, ...facts(), type: 'loaded', query });
      else if (!etag) throw new CheckoutError('malformed', '304 without a tag');
      else dispatch({ type: 'unchanged', ...facts() });
      if (hasSleptDuringRead) dispatch({ type: 'sleep', duringLoad: true });
      return true;
    } catch (thrown) {
      const error = CheckoutError.from(thrown);
      if (!isAborted()) dispatch({ type: 'loadFailed', error, ...facts() });
      return false;
    }
  };

  const plan = (elapsed: number): PollPlan | undefined =>
    planPoll(model, { now: clock.now(), elapsed, visible: pageLifecycle.isVisible(), random: random() });
  const poller = createPoller(ports, read, plan, checkSleep);

  const effects: EffectFunctions = {
    ...poller,
    load(how) {
      lastLoad = poller.load(how);
    },
    create: createInvoiceCreator(
      ports,
      ({ kind, checkout, dropped }, hasSleptMeanwhile) => {
        const response = checkout && { checkout, dropped, ...stampResponse() };
        if (kind === 'created' && response) dispatch({ type: 'created', ...response });
        else dispatch({ type: 'createInDoubt', response });
        if (hasSleptMeanwhile) dispatch({ type: 'sleep', duringLoad: true });
      },
      (error, isRejected) => dispatch({ type: isRejected ? 'createRejected' : 'createInDoubt', error }),
    ),
    start: (ms) => poller.start(options.mayBeOld ? 0 : ms),
    timer: createDeadlineTimer(ports, (isLate, timeIsUp) => {
      checkSleep(isLate);
      dispatch({ type: 'tick', timeIsUp });
    }),
  };

  return {
    ...observable,
    start: () => dispatch({ type: 'start' }),
    stop: () => dispatch({ type: 'stop' }),
    select: (methodId) => dispatch({ type: 'select', methodId }),
    setAmount: (text, sample) => dispatch({ type: 'setAmount', text, sample }),
    prefer: (method) => dispatch({ type: 'prefer', method }),
    hydrate: (checkout, dropped) => dispatch({ type: 'hydrate', checkout, dropped, ...stampResponse() }),
    // The reducer is pure and cannot create a key, so each call creates one, even if no request is sent.
    createInvoice: () => dispatch({ type: 'createInvoice', key: ports.newKey(), now: clock.now() }),
    dismissInvoice: () => dispatch({ type: 'dismissInvoice' }),
    resumeInvoice: () => dispatch({ type: 'resumeInvoice' }),
    retry: () => dispatch({ type: 'retry' }),
    checkSleep,
    refresh(check = false) {
      dispatch({ type: 'refresh', check });
      return lastLoad;
    },
  };
}
