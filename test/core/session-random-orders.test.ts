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
import type { Checkout } from '../../src/checkout-api.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { FakePageLifecycle } from '../support/fake-page-lifecycle.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { holds } from '../support/properties.ts';

/** A simple backend with one checkout. Each idempotency key has one invoice; the last one is current. Paid stays paid. */
class SimpleBackend {
  version = 1;
  checkout: Checkout = makeOpenCheckout();
  readonly invoiceIdByKey = new Map<string, string>();
  /** The statuses that the backend has had. The screen may show no other status. */
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
    const knownInvoiceId = this.invoiceIdByKey.get(key);
    if (knownInvoiceId === undefined) {
      if (this.checkout.status === 'pending' && replace !== true) throw new CheckoutError('invoice_pending', '');
      const id = `inv_${this.invoiceIdByKey.size + 1}`;
      this.invoiceIdByKey.set(key, id);
      this.set(makeCheckout('pending', { id }, { options: makeOpenCheckout().options }));
    }
    return { kind: 'created', checkout: this.checkout };
  }
}

const faults = ['network', 'timeout', 'malformed', 'internal'] as const;
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('time' as const), ms: fc.integer({ min: 0, max: 40_000 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('create', 'dismiss', 'resumeInvoice', 'retry') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('refresh', 'resumePage', 'restart', 'respond', 'sleep') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('paid', 'failed', 'expired') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lose' as const), fault: fc.constantFrom(...faults) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Runs the steps on a session. The scheduler decides the order of the responses. Throws as soon as a rule is broken. */
async function runSteps(steps: readonly Step[], scheduler: fc.Scheduler): Promise<void> {
  const clock = new FakeClock();
  const pageLifecycle = new FakePageLifecycle();
  const backend = new SimpleBackend();
  let readsUnderWay = 0;
  let createsUnderWay = 0;
  let nextError: CheckoutError | undefined;

  /** Calls `respond` now. The scheduler decides when the response arrives. `nextError`, if it is set, replaces the response. */
  const scheduleResponse = <T>(label: string, respond: () => T, onEnd: () => void, signal: AbortSignal): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      let isOpen = true;
      const settleOnce = (settlePromise: () => void): void => {
        if (!isOpen) return;
        isOpen = false;
        onEnd();
        settlePromise();
      };
      signal.addEventListener('abort', () => settleOnce(() => reject(new DOMException('aborted', 'AbortError'))));
      const injectedError = nextError;
      nextError = undefined;
      let deliverResult: () => void;
      try {
        const result = respond();
        deliverResult = () => (injectedError === undefined ? resolve(result) : reject(injectedError));
      } catch (error) {
        deliverResult = () => reject(injectedError ?? CheckoutError.from(error));
      }
      void scheduler.schedule(Promise.resolve(), label).then(() => settleOnce(deliverResult));
    });

  const transport: CheckoutTransport = {
    read(_, signal) {
      readsUnderWay += 1;
      assert.equal(readsUnderWay, 1, 'two reads are under way');
      return scheduleResponse(
        'read',
        () => backend.read(),
        () => (readsUnderWay -= 1),
        signal,
      );
    },
    createInvoice(request, signal) {
      createsUnderWay += 1;
      assert.equal(createsUnderWay, 1, 'two creates are under way');
      return scheduleResponse(
        'create',
        () => backend.create(request),
        () => (createsUnderWay -= 1),
        signal,
      );
    },
  };
  let keyCount = 0;
  const session = createSession(
    { transport, clock, pageLifecycle, newKey: () => `key_${(keyCount += 1)}`, random: () => 0.5 },
    { preferred: 'SBP' },
  );
  const eventCounts = new Map<string, number>();
  session.onEvent(({ type }) => eventCounts.set(type, (eventCounts.get(type) ?? 0) + 1));
  const checkState = (state: CheckoutState, previous?: CheckoutState): void => {
    if (previous?.status === 'paid') assert.equal(state.status, 'paid', 'a paid checkout did not stay paid');
    if (state.status === 'failed' || state.status === 'expired' || state.status === 'paid')
      assert.ok(backend.sentStatuses.has(state.status), `the backend never sent ${state.status}`);
    if (state.status === 'waiting') assert.ok([...backend.invoiceIdByKey.values()].includes(state.invoice.id));
    if (previous?.status === 'creating' && previous.methodId !== undefined && state.status === 'creating')
      assert.equal(state.methodId ?? previous.methodId, previous.methodId);
  };
  session.subscribe(checkState);

  session.start();
  for (const { do: stepName, ...values } of steps) {
    const statusBefore = session.getState().status;
    if (stepName === 'time' && 'ms' in values) await clock.advance(values.ms);
    else if (stepName === 'lose' && 'fault' in values) nextError = new CheckoutError(values.fault, '');
    else if (stepName === 'create') session.createInvoice();
    else if (stepName === 'dismiss') session.dismissInvoice();
    else if (stepName === 'resumeInvoice') session.resumeInvoice();
    else if (stepName === 'retry') session.retry();
    else if (stepName === 'refresh') void session.refresh();
    else if (stepName === 'resumePage') pageLifecycle.resume(3);
    else if (stepName === 'sleep') clock.sleep(60_000);
    else if (stepName === 'restart') {
      session.stop();
      assert.equal(
        clock.pending + readsUnderWay + createsUnderWay,
        0,
        'a timer, a listener or a request is left behind',
      );
      session.start();
    } else if (stepName === 'respond') {
      if (scheduler.count() > 0) await scheduler.waitNext(1);
      await settle();
    } else if (
      backend.checkout.status === 'pending' &&
      (stepName === 'paid' || stepName === 'failed' || stepName === 'expired')
    )
      backend.set({ ...backend.checkout, status: stepName });
    if (statusBefore === 'paid') assert.equal(session.getState().status, 'paid');
  }

  // Finally all responses arrive, so the screen has to show the state of the backend.
  for (let n = 0; n < 60; n += 1) {
    while (scheduler.count() > 0) await scheduler.waitNext(1);
    await clock.advance(10_000);
  }
  while (scheduler.count() > 0) await scheduler.waitNext(1);
  await settle();
  const { status } = session.getState();
  if (backend.checkout.status === 'paid') assert.equal(status, 'paid', 'a payment is not shown');
  assert.ok((eventCounts.get('paid') ?? 0) <= 1, 'two paid events');
  assert.ok((eventCounts.get('ready') ?? 0) <= 1, 'two ready events');
  assert.ok((eventCounts.get('created') ?? 0) <= backend.invoiceIdByKey.size, 'a created event without an invoice');
  session.stop();
  assert.equal(
    clock.pending + pageLifecycle.listeners + readsUnderWay + createsUnderWay,
    0,
    'a timer, a listener or a request is left behind',
  );
}

describe('responses in any order', () => {
  it('never undo or hide a payment, show a status that the backend did not have, or cause two requests at once', async () => {
    await holds(fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.scheduler(), runSteps), 300);
  });
});
