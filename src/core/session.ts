import type { Checkout } from '../checkout-api.ts';
import type { Action, Command, Effects } from './session-commands.ts';
import { createDeadlineTimer, createSleepDetector } from './deadline-and-sleep-timer.ts';
import { createEmitter } from './event-emitter.ts';
import { CheckoutError } from './checkout-error.ts';
import { createInvoiceCreator } from './invoice-creator.ts';
import { haveSameQuery } from './choosing-state.ts';
import { createModel } from './session-model.ts';
import { createPoller, longPollSeconds, planPoll, type PollPlan } from './checkout-poller.ts';
import type { SessionPorts } from './session-ports.ts';
import { reduce } from './reducer.ts';
import { selectQuery } from './select-public-state.ts';
import type { CheckoutSession } from './public-state.ts';

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
  /** Whether the read that begins now is a check. */
  let isCheckRequested = false;

  const execute = <T extends keyof Effects>({ type, value }: Command<T>): void => effects[type](value);

  const dispatch = (action: Action): void => {
    const transition = reduce(model, action);
    model = transition.model;
    for (const command of transition.commands) execute(command);
  };

  const checkSleep = (isLate?: boolean): void => {
    if (hasSlept() || isLate) dispatch({ type: 'sleep' });
  };

  /** The arrival time and the number of a response. */
  const stampResponse = (): { now: number; number: number } => ({ now: clock.now(), number: ++requestCount });

  const read = async (longPoll: boolean, signal: AbortSignal): Promise<boolean> => {
    const query = selectQuery(model);
    const { connection, payment } = model;
    const isTagCurrent = payment.deadline?.certain !== false && haveSameQuery(query, connection.query);
    const check = isCheckRequested;
    const etag = isTagCurrent && !check ? connection.etag : undefined;
    const number = ++requestCount;
    const isAborted = (): boolean => signal.aborted;
    try {
      const result = await transport.read(
        { ...query, etag, ...(check && { check }), ...(longPoll && etag && { waitSeconds: longPollSeconds }) },
        signal,
      );
      if (isAborted()) return false;
      const hasSleptDuringRead = hasSlept();
      if (result.kind === 'checkout') dispatch({ ...result, type: 'loaded', query, number, now: clock.now() });
      else if (!etag) throw new CheckoutError('malformed', 'unchanged, but nothing was known');
      else dispatch({ type: 'unchanged', number });
      if (hasSleptDuringRead) dispatch({ type: 'sleep', duringLoad: true });
      return true;
    } catch (thrown) {
      const longPollAt = longPoll ? clock.now() : undefined;
      if (!isAborted()) dispatch({ type: 'loadFailed', number, error: CheckoutError.from(thrown), longPollAt });
      return false;
    }
  };

  const plan = (elapsed: number): PollPlan | undefined =>
    planPoll(model, { now: clock.now(), elapsed, visible: pageLifecycle.isVisible(), random: random() });
  const poller = createPoller(ports, read, plan, checkSleep);

  const effects: { readonly [T in keyof Effects]: (value?: Effects[T]) => void } = {
    ...poller,
    load(join) {
      lastLoad = poller.load(join);
    },
    create: createInvoiceCreator(
      ports,
      ({ kind, checkout, dropped }) => {
        const response = checkout && { checkout, dropped, ...stampResponse() };
        if (kind === 'created' && response) dispatch({ type: 'created', ...response });
        else dispatch({ type: 'createInDoubt', response });
      },
      (error, isRejected) => dispatch({ type: isRejected ? 'createRejected' : 'createInDoubt', error }),
    ),
    start: (ms) => poller.start(options.mayBeOld ? 0 : ms),
    timer: createDeadlineTimer(ports, (isLate, timeIsUp) => {
      checkSleep(isLate);
      dispatch({ type: 'tick', timeIsUp });
    }),
    notify: () => notify(model),
  };

  return {
    ...observable,
    start: () => dispatch({ type: 'start' }),
    stop: () => dispatch({ type: 'stop' }),
    select: (methodId) => dispatch({ type: 'select', methodId }),
    setAmount: (text) => dispatch({ type: 'setAmount', text }),
    prefer: (method) => dispatch({ type: 'prefer', method }),
    hydrate: (checkout, dropped) => dispatch({ type: 'hydrate', checkout, dropped, ...stampResponse() }),
    // The reducer is pure and cannot create a key, so each call creates one, even if no request is sent.
    createInvoice: () => dispatch({ type: 'createInvoice', key: ports.newKey(), now: clock.now() }),
    dismissInvoice: () => dispatch({ type: 'dismissInvoice' }),
    resumeInvoice: () => dispatch({ type: 'resumeInvoice' }),
    retry: () => dispatch({ type: 'retry' }),
    checkSleep,
    refresh(check = false) {
      isCheckRequested = check;
      dispatch({ type: 'refresh', check });
      isCheckRequested = false;
      return lastLoad;
    },
  };
}
