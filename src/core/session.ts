import type { Checkout } from '../protocol.ts';
import { orderOf } from '../base/decimal.ts';
import { createInvoiceCreator } from './invoice-creator.ts';
import type { CheckoutSession } from './checkout-session.ts';
import { CheckoutError } from './error.ts';
import { createHeartbeat } from './deadline-timer.ts';
import { emptyModel, sameQuery, type Model } from './model.ts';
import { paceOf } from './poll-policy.ts';
import { createPoller } from './poller.ts';
import type { SessionPorts } from './ports.ts';
import { reduce, type Action } from './reducer.ts';
import { createSleepWatch } from './sleep-watch.ts';
import { queryOf, selectState } from './select-state.ts';
import { createEmitter } from './emitter.ts';

export interface SessionOptions {
  /** A checkout that came with the page: the first picture without a request. How old it is is not known. */
  readonly initial?: Checkout | undefined;
  /** The id or the type of the method that is marked before the payer chooses. */
  readonly preferred?: string | undefined;
}

/** How long the backend may hold an answer back. */
const waitSeconds = 25;
/** How long a typed amount rests before its options are asked for. */
const typingMs = 350;

/** A checkout over ports: every effect starts here, every rule is in the reducer. */
export function createSession(ports: SessionPorts, options: SessionOptions = {}): CheckoutSession {
  const { transport, clock, pageLifecycle, random } = ports;
  const slept = createSleepWatch(clock);
  let model: Model = { ...emptyModel, preferred: options.preferred, page: ports.page };
  const teller = createEmitter(model);
  let running = false;
  let begun = false;
  let requests = 0;
  let cancelTyping: (() => void) | undefined;

  const dispatch = (action: Action): void => {
    const before = model;
    model = reduce(before, action);
    if (model === before) return;
    if (running) {
      asker.follow(model.ask);
      heartbeat.follow(model);
      const { status } = selectState(model);
      if (status !== selectState(before).status) poller.replan();
      if (status === 'choosing' && !sameQuery(queryOf(model), queryOf(before))) {
        cancelTyping?.();
        cancelTyping = clock.schedule(model.typed === before.typed ? 0 : typingMs, () => void poller.now(true));
      }
    }
    teller.tell(model);
  };

  /** After a sleep what is known of the time is in doubt until the backend has said it anew. */
  const look = (isKnown?: boolean): void => {
    if (!slept() && !isKnown) return;
    dispatch({ type: 'sleep' });
    void poller.now(true);
  };

  const read = async (hold: boolean, signal: AbortSignal): Promise<boolean> => {
    const query = queryOf(model);
    const { answered, deadline } = model;
    const known = deadline?.certain !== false && sameQuery(query, answered.query);
    const etag = known ? answered.etag : undefined;
    const number = ++requests;
    const dropped = (): boolean => signal.aborted;
    try {
      const answer = await transport.read({ ...query, etag, ...(hold && etag && { waitSeconds }) }, signal);
      if (dropped()) return false;
      const doubtful = slept();
      if (answer.kind === 'checkout') dispatch({ ...answer, type: 'answer', query, number, now: clock.now() });
      else if (!etag) throw new CheckoutError('malformed', 'unchanged, but nothing was known');
      else dispatch({ type: 'unchanged', number });
      if (doubtful) dispatch({ type: 'sleep' });
      return true;
    } catch (thrown) {
      if (!dropped()) dispatch({ type: 'unanswered', number, error: CheckoutError.from(thrown) });
      return false;
    }
  };

  const poller = createPoller({
    clock,
    pageLifecycle,
    read,
    pace: (elapsed) =>
      paceOf(model, { now: clock.now(), elapsed, visible: pageLifecycle.isVisible(), random: random() }),
    onWake: look,
  });

  const asker = createInvoiceCreator({
    transport,
    clock,
    random,
    onAnswer({ kind, checkout }) {
      const came = checkout && { checkout, now: clock.now(), number: ++requests };
      if (kind === 'created' && came) dispatch({ type: 'created', came });
      else dispatch({ type: 'unknown', ...(came && { came }) });
      if (came) poller.restart();
    },
    onDoubt: (error) => dispatch({ type: 'unknown', error }),
    onRefusal(error) {
      dispatch({ type: 'refused', error });
      void poller.now(true);
    },
  });

  const heartbeat = createHeartbeat(clock, pageLifecycle, (late) => {
    look(late);
    const { checking } = model;
    dispatch({ type: 'tick', now: clock.now() });
    if (model.checking && !checking) void poller.now(true);
  });

  const { initial } = options;
  if (initial) {
    model = reduce(model, { type: 'answer', checkout: initial, number: 0, undated: true, now: clock.now() });
    teller.prepare(model);
  }

  return {
    getState: teller.getState,
    subscribe: teller.subscribe,
    onEvent: teller.onEvent,
    start() {
      if (running) return;
      running = true;
      teller.tell(model);
      poller.start(begun ? 0 : (model.checkout?.poll_after_ms ?? 0));
      begun = true;
      asker.follow(model.ask);
      heartbeat.follow(model);
    },
    stop() {
      if (!running) return;
      running = false;
      poller.stop();
      asker.follow(undefined);
      heartbeat.stop();
      cancelTyping?.();
      dispatch({ type: 'stop' });
    },
    select: (methodId) => dispatch({ type: 'select', methodId }),
    setAmount: (text) => dispatch({ type: 'type', text }),
    prefer: (preferred) => dispatch({ type: 'prefer', preferred }),
    hydrate(checkout) {
      dispatch({ type: 'answer', checkout, number: ++requests, undated: true, now: clock.now() });
      poller.restart();
    },
    createInvoice() {
      const state = selectState(model);
      if (state.status !== 'choosing') return;
      const { selected, amount, activeInvoice: leaving, checkout } = state;
      if (!selected || !amount) return;
      // The same method again has the same invoice: the payer goes back to it, and nothing can be paid twice.
      const again = leaving?.payment_method_id === selected && orderOf(leaving.amount, amount) === 0;
      if (again) dispatch({ type: 'resume' });
      else {
        const request = {
          key: ports.newKey(),
          payment_method_id: selected,
          ...(checkout.amount === null && { amount }),
          ...(checkout.status === 'pending' && { replace: true }),
        };
        dispatch({ type: 'asked', request });
      }
    },
    dismissInvoice: () => dispatch({ type: 'leave' }),
    resumeInvoice: () => dispatch({ type: 'resume' }),
    retry: () => dispatch({ type: 'retry' }),
    checkSleep: look,
    refresh() {
      const { status } = selectState(model);
      if (running && (status === 'failed' || status === 'expired')) dispatch({ type: 'refresh' });
      return poller.now();
    },
  };
}
