import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  CheckoutError,
  createSession,
  type CheckoutState,
  type CheckoutTransport,
  type CreateAnswer,
  type CreateRequest,
  type ReadAnswer,
} from '../../src/core.ts';
import type { Checkout } from '../../src/protocol.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { FakePageLifecycle } from '../support/fake-page-lifecycle.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { holds } from '../support/properties.ts';

/** A small merchant's backend: invoices by idempotency key, one of them current. A paid checkout stays paid. */
class SmallBackend {
  version = 1;
  checkout: Checkout = makeOpenCheckout();
  readonly keys = new Map<string, string>();
  /** The statuses that it has sent. The screen may show no other. */
  readonly sentStatuses = new Set<string>(['open']);

  set(checkout: Checkout): void {
    if (this.checkout.status === 'paid') return;
    this.version += 1;
    this.checkout = checkout;
    this.sentStatuses.add(checkout.status);
  }

  read(): ReadAnswer {
    return { kind: 'checkout', checkout: this.checkout, etag: `"${this.version}"` };
  }

  create({ key, replace }: CreateRequest): CreateAnswer {
    if (this.checkout.status === 'paid') throw new CheckoutError('already_paid', '');
    const known = this.keys.get(key);
    if (known === undefined) {
      if (this.checkout.status === 'pending' && replace !== true) throw new CheckoutError('invoice_pending', '');
      const id = `inv_${this.keys.size + 1}`;
      this.keys.set(key, id);
      this.set(makeCheckout('pending', { id }, { options: makeOpenCheckout().options }));
    }
    return { kind: 'created', checkout: this.checkout };
  }
}

const faults = ['network', 'timeout', 'malformed', 'internal'] as const;
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('time' as const), ms: fc.integer({ min: 0, max: 40_000 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('create', 'dismiss', 'resumeInvoice', 'retry') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('refresh', 'resumePage', 'restart', 'answer', 'sleep') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('paid', 'failed', 'expired') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lose' as const), fault: fc.constantFrom(...faults) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Runs the steps with answers that arrive in any order. Fails as soon as a rule is broken. */
async function runSteps(steps: readonly Step[], s: fc.Scheduler): Promise<void> {
  const clock = new FakeClock();
  const pageLifecycle = new FakePageLifecycle();
  const backend = new SmallBackend();
  let reading = 0;
  let creating = 0;
  let lose: CheckoutError | undefined;

  /** Calls `act` at once. The scheduler decides when its answer arrives; `lose` replaces that answer by an error. */
  const deliver = <T>(label: string, act: () => T, onEnd: () => void, signal: AbortSignal): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      let open = true;
      const end = (then: () => void): void => {
        if (!open) return;
        open = false;
        onEnd();
        then();
      };
      signal.addEventListener('abort', () => end(() => reject(new DOMException('aborted', 'AbortError'))));
      const lost = lose;
      lose = undefined;
      let outcome: () => void;
      try {
        const answer = act();
        outcome = () => (lost === undefined ? resolve(answer) : reject(lost));
      } catch (error) {
        outcome = () => reject(lost ?? CheckoutError.from(error));
      }
      void s.schedule(Promise.resolve(), label).then(() => end(outcome));
    });

  const transport: CheckoutTransport = {
    read(_, signal) {
      reading += 1;
      assert.equal(reading, 1, 'two reads are under way');
      return deliver(
        'read',
        () => backend.read(),
        () => (reading -= 1),
        signal,
      );
    },
    createInvoice(request, signal) {
      creating += 1;
      assert.equal(creating, 1, 'two creates are under way');
      return deliver(
        'create',
        () => backend.create(request),
        () => (creating -= 1),
        signal,
      );
    },
  };
  let keys = 0;
  const session = createSession(
    { transport, clock, pageLifecycle, newKey: () => `key_${(keys += 1)}`, random: () => 0.5 },
    { preferred: 'SBP' },
  );
  const counts = new Map<string, number>();
  session.onEvent(({ type }) => counts.set(type, (counts.get(type) ?? 0) + 1));
  const check = (state: CheckoutState, previous?: CheckoutState): void => {
    if (previous?.status === 'paid') assert.equal(state.status, 'paid', 'a paid checkout did not stay paid');
    if (state.status === 'failed' || state.status === 'expired' || state.status === 'paid')
      assert.ok(backend.sentStatuses.has(state.status), `the backend never sent ${state.status}`);
    if (state.status === 'waiting') assert.ok([...backend.keys.values()].includes(state.invoice.id));
    if (previous?.status === 'creating' && previous.methodId !== undefined && state.status === 'creating')
      assert.equal(state.methodId ?? previous.methodId, previous.methodId);
  };
  session.subscribe(check);

  session.start();
  for (const { do: what, ...rest } of steps) {
    const before = session.getState().status;
    if (what === 'time' && 'ms' in rest) await clock.advance(rest.ms);
    else if (what === 'lose' && 'fault' in rest) lose = new CheckoutError(rest.fault, '');
    else if (what === 'create') session.createInvoice();
    else if (what === 'dismiss') session.dismissInvoice();
    else if (what === 'resumeInvoice') session.resumeInvoice();
    else if (what === 'retry') session.retry();
    else if (what === 'refresh') void session.refresh();
    else if (what === 'resumePage') pageLifecycle.resume(3);
    else if (what === 'sleep') clock.sleep(60_000);
    else if (what === 'restart') {
      session.stop();
      assert.equal(clock.pending + reading + creating, 0, 'something is left behind');
      session.start();
    } else if (what === 'answer') {
      if (s.count() > 0) await s.waitNext(1);
      await settle();
    } else if (backend.checkout.status === 'pending' && (what === 'paid' || what === 'failed' || what === 'expired'))
      backend.set({ ...backend.checkout, status: what });
    if (before === 'paid') assert.equal(session.getState().status, 'paid');
  }

  // Once answers arrive again, the screen shows the state of the backend.
  for (let n = 0; n < 60; n += 1) {
    while (s.count() > 0) await s.waitNext(1);
    await clock.advance(10_000);
  }
  while (s.count() > 0) await s.waitNext(1);
  await settle();
  const { status } = session.getState();
  if (backend.checkout.status === 'paid') assert.equal(status, 'paid', 'a payment was not noticed');
  assert.ok((counts.get('paid') ?? 0) <= 1, 'two paid events');
  assert.ok((counts.get('ready') ?? 0) <= 1, 'two ready events');
  assert.ok((counts.get('created') ?? 0) <= backend.keys.size, 'a created event without an invoice');
  session.stop();
  assert.equal(clock.pending + pageLifecycle.listeners + reading + creating, 0, 'something is left behind');
}

describe('responses in any order', () => {
  it('never undo a payment, show a status that the backend did not send, overlap, or hide a payment', async () => {
    await holds(fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.scheduler(), runSteps), 300);
  });
});
