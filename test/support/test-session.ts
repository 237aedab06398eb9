import {
  createSession,
  type CheckoutEvent,
  type CheckoutSession,
  type CheckoutState,
  type EndedState,
  type SessionOptions,
} from '../../src/core.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { FakePageLifecycle } from './fake-page-lifecycle.ts';
import { FakeBackend } from './fake-backend.ts';
import { FakeClock, settle } from './fake-clock.ts';
import { FakeTransport } from './fake-transport.ts';

/** A session over fakes, with the events and states that it emitted. */
export interface TestSession {
  readonly clock: FakeClock;
  readonly pageLifecycle: FakePageLifecycle;
  readonly backend: FakeBackend;
  readonly transport: FakeTransport;
  readonly session: CheckoutSession;
  readonly events: CheckoutEvent[];
  readonly states: CheckoutState[];
  /** The types of the events so far, with the codes of errors. */
  readonly eventTypes: () => string[];
}

export function createTestSession(
  checkout: Checkout,
  options: SessionOptions & { random?: () => number } = {},
): TestSession {
  const clock = new FakeClock();
  const pageLifecycle = new FakePageLifecycle();
  const backend = new FakeBackend(clock, checkout);
  const transport = new FakeTransport(clock, backend.read);
  let keyCount = 0;
  const session = createSession(
    {
      transport,
      clock,
      pageLifecycle,
      newKey: () => `key_${(keyCount += 1)}`,
      random: options.random ?? (() => 0.5),
      page: 'https://shop.example/pay',
    },
    options,
  );
  const events: CheckoutEvent[] = [];
  const states: CheckoutState[] = [];
  session.onEvent((event) => events.push(event));
  session.subscribe((state) => states.push(state));
  const eventTypes = (): string[] =>
    events.map((event) => (event.type === 'error' ? `error ${event.error.code}` : event.type));
  return { clock, pageLifecycle, backend, transport, session, events, states, eventTypes };
}

/** A session over fakes that has started, and has shown the backend's first response. */
export async function startTestSession(...args: Parameters<typeof createTestSession>): Promise<TestSession> {
  const testSession = createTestSession(...args);
  testSession.session.start();
  await settle();
  return testSession;
}

/** The member of the state union with a given status. */
type StateWith<S> = S extends EndedState['status'] ? EndedState : Extract<CheckoutState, { status: S }>;

/** Returns the session's state. Throws when its status is not the given one. */
export function expectStatus<S extends CheckoutState['status']>(session: CheckoutSession, status: S): StateWith<S> {
  const state = session.getState();
  if (!hasStatus(state, status)) throw new Error(`expected ${status}, but it is ${state.status}`);
  return state;
}

function hasStatus<S extends CheckoutState['status']>(
  state: CheckoutState,
  status: S,
): state is CheckoutState & StateWith<S> {
  return state.status === status;
}
